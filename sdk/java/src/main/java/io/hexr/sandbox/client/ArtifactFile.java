package io.hexr.sandbox.client;

import java.io.File;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.UUID;

/**
 * Where an artifact is saved. The program chose its path, so it may lead anywhere; and what lies on the way may be a link that an earlier artifact, or whoever may write
 * there, left.
 */
record ArtifactFile(Path target) {
    /** To a program a backslash or a colon is an ordinary character; on Windows it leads elsewhere. */
    private static final String UNSAFE = File.separatorChar == '/' ? "\0" : "\0\\:*?\"<>|";

    /** The place of an artifact's path below a directory, with the directories on the way. */
    static ArtifactFile below(Path directory, String path) throws IOException {
        var parts = path.split("/", -1);
        for (var part : parts) {
            if (part.isEmpty() || part.equals(".") || part.equals("..") || hasUnsafeCharacter(part)) {
                throw new FileSystemException(
                        path, null, "this path of an artifact is not safe here; save it under a name of your own");
            }
        }
        var place = directory;
        for (int i = 0; i < parts.length - 1; i++) {
            place = place.resolve(parts[i]);
            makeDirectory(place);
        }
        return new ArtifactFile(refuseLink(place.resolve(parts[parts.length - 1])));
    }

    private static boolean hasUnsafeCharacter(String part) {
        return part.chars().anyMatch(c -> UNSAFE.indexOf(c) >= 0);
    }

    private static void makeDirectory(Path directory) throws IOException {
        try {
            Files.createDirectory(refuseLink(directory));
        } catch (FileAlreadyExistsException e) {
            if (!Files.isDirectory(directory)) {
                throw e;
            }
        }
    }

    private static Path refuseLink(Path path) throws FileSystemException {
        if (Files.isSymbolicLink(path)) {
            throw new FileSystemException(path.toString(), null, "a symbolic link is there and is not followed");
        }
        return path;
    }

    /** Writes a file of its own and renames it, which takes the place of a link, hard ones as well, and writes through none. */
    Path write(byte[] content) throws IOException {
        var directory = target.toAbsolutePath().getParent();
        if (directory == null) {
            throw new FileSystemException(target.toString(), null, "is a directory");
        }
        var written = directory.resolve(".artifact-" + UUID.randomUUID());
        try {
            Files.write(written, content, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            return Files.move(written, target, StandardCopyOption.ATOMIC_MOVE);
        } finally {
            Files.deleteIfExists(written);
        }
    }
}

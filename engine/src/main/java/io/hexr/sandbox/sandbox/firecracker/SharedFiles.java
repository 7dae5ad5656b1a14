package io.hexr.sandbox.sandbox.firecracker;

import static java.nio.file.StandardCopyOption.ATOMIC_MOVE;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** Files that many jails read and none may change: a directory of them, on the file system of the jails. */
record SharedFiles(Path directory) {
    static final Set<PosixFilePermission> READABLE = PosixFilePermissions.fromString("r--r--r--");
    private static final Set<PosixFilePermission> EXECUTABLE = PosixFilePermissions.fromString("r-xr-xr-x");
    private static final String IMAGE_SUFFIX = ".erofs";

    /** A copy of a program under this name. */
    Path program(Path program, String name) throws IOException {
        Path making = directory.resolve(".making");
        Files.deleteIfExists(making);
        Files.copy(program, making);
        Files.setPosixFilePermissions(making, EXECUTABLE);
        return Files.move(making, directory.resolve(name), ATOMIC_MOVE);
    }

    /** An image, named by its hash; those of earlier engines go, machines that still use one have a link of their own. */
    Path image(Path image, String sha256) throws IOException {
        Path shared = directory.resolve(sha256 + IMAGE_SUFFIX);
        for (Path old : images()) {
            if (!old.equals(shared)) {
                Files.delete(old);
            }
        }
        if (Files.exists(shared)) {
            return shared;
        }
        Path making = directory.resolve(".making");
        Files.deleteIfExists(making);
        place(image, making);
        return Files.move(making, shared, ATOMIC_MOVE);
    }

    private List<Path> images() throws IOException {
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.filter(entry -> entry.toString().endsWith(IMAGE_SUFFIX))
                    .toList();
        }
    }

    /** Puts a file at a path: as a hard link where all may read it and the file system is the same, else as a copy. */
    static void place(Path file, Path target) throws IOException {
        if (Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_READ)) {
            try {
                Files.createLink(target, file);
                return;
            } catch (FileSystemException e) {
                // Another file system, or too many links: only a copy can be had.
            }
        }
        Files.copy(file, target);
        Files.setPosixFilePermissions(target, READABLE);
    }
}

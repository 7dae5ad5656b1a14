package io.hexr.sandbox.host;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * A directory that only the engine's own user can change. What lies in it is run or deleted by the engine, so whoever can write there could
 * make the engine resume a template of theirs.
 */
public final class PrivateDirectory {
    private static final Path SELF = Path.of("/proc/self");

    private PrivateDirectory() {}

    /**
     * Makes the directory, for its owner only, or checks the one that is there.
     *
     * @return its path without symbolic links
     * @throws IOException if it belongs to somebody else or others may write to it; the message says what to do
     */
    public static Path open(Path directory) throws IOException {
        if (!Files.exists(directory)) {
            Files.createDirectories(
                    directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        }
        Path real = directory.toRealPath();
        var attributes = Files.readAttributes(real, PosixFileAttributes.class, NOFOLLOW_LINKS);
        var permissions = attributes.permissions();
        if (!attributes.isDirectory()) {
            throw new IOException(real + " is not a directory: choose another one");
        }
        if (!Files.getAttribute(real, "unix:uid", NOFOLLOW_LINKS).equals(Files.getAttribute(SELF, "unix:uid"))) {
            throw new IOException("%s belongs to %s, not to the engine's user: change its owner, or choose another one"
                    .formatted(real, attributes.owner().getName()));
        }
        if (permissions.contains(PosixFilePermission.GROUP_WRITE)
                || permissions.contains(PosixFilePermission.OTHERS_WRITE)) {
            throw new IOException(
                    "%s can be written by others: chmod go-w %s, or choose another one".formatted(real, real));
        }
        return real;
    }
}

package io.hexr.sandbox.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/** The cgroup file systems of this host. */
final class KernelCgroupFiles implements CgroupFiles {
    @Override
    public String read(Path file) throws IOException {
        return Files.readString(file);
    }

    @Override
    public void write(Path file, String value) throws IOException {
        Files.writeString(file, value, StandardOpenOption.WRITE);
    }

    @Override
    public boolean exists(Path path) {
        return Files.exists(path, LinkOption.NOFOLLOW_LINKS);
    }

    @Override
    public void makeDirectory(Path directory) throws IOException {
        Files.createDirectory(directory);
    }

    @Override
    public void removeDirectory(Path directory) throws IOException {
        Files.deleteIfExists(directory);
    }

    @Override
    public List<String> directories(Path directory) throws IOException {
        try (var entries = Files.list(directory)) {
            return entries.filter(entry -> Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS))
                    .map(entry -> entry.getFileName().toString())
                    .toList();
        }
    }
}

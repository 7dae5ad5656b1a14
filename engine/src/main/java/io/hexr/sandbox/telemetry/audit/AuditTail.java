package io.hexr.sandbox.telemetry.audit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a chain goes on.
 *
 * @param end of the last whole line; what is behind it an engine left that died while it wrote, and that answered nobody
 * @param firstSequence of the file's first line; 0 when it has none
 */
record AuditTail(long end, long firstSequence, long sequence, String hash) {

    static AuditTail read(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        int end = bytes.length;
        while (end > 0 && bytes[end - 1] != '\n') {
            end--;
        }
        if (end == 0) {
            return afterRotated(file);
        }
        String text = new String(bytes, 0, end - 1, UTF_8);
        var first = AuditLine.parse(text.substring(0, text.indexOf('\n') < 0 ? text.length() : text.indexOf('\n')));
        var last = AuditLine.parse(text.substring(text.lastIndexOf('\n') + 1));
        if (first.isEmpty() || last.isEmpty()) {
            throw new IOException(
                    "%s was changed: `audit verify` says where. Move it away to begin a new chain.".formatted(file));
        }
        return new AuditTail(
                end, first.get().sequence(), last.get().sequence(), last.get().hash());
    }

    /** An engine that stopped between two files. */
    private static AuditTail afterRotated(Path file) throws IOException {
        List<Path> rotated = rotated(file);
        if (rotated.isEmpty()) {
            return new AuditTail(0, 0, 0, AuditLine.NOTHING);
        }
        var before = read(rotated.getLast());
        return new AuditTail(0, 0, before.sequence, before.hash);
    }

    /** The full files, oldest first: their names end with the number of their first line. */
    static List<Path> rotated(Path file) throws IOException {
        @Nullable Path directory = file.toAbsolutePath().getParent();
        String name = file.getFileName() + ".";
        if (directory == null) {
            return List.of();
        }
        try (var entries = Files.list(directory)) {
            return entries.filter(entry -> {
                        String other = entry.getFileName().toString();
                        return other.startsWith(name)
                                && other.substring(name.length()).matches("\\d{18}");
                    })
                    .sorted()
                    .toList();
        }
    }
}

package io.hexr.sandbox.telemetry.audit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where a chain goes on.
 *
 * @param end of the last whole line; what is behind it an engine left that died while it wrote, and that answered nobody
 * @param firstSequence of the file's first line; 0 when it has none
 */
record AuditTail(long end, long firstSequence, long sequence, String hash) {

    /** Of a file that may be larger than the heap only the two lines are read. */
    static AuditTail read(Path file) throws IOException {
        try (var channel = FileChannel.open(file)) {
            var bytes = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size());
            int end = startOfLine(bytes, bytes.limit());
            if (end == 0) {
                return afterRotated(file);
            }
            var first = line(bytes, 0);
            var last = line(bytes, startOfLine(bytes, end - 1));
            if (first.isEmpty() || last.isEmpty()) {
                throw new IOException("%s was changed: `audit verify` says where. Move it away to begin a new chain."
                        .formatted(file));
            }
            return new AuditTail(
                    end,
                    first.get().sequence(),
                    last.get().sequence(),
                    last.get().hash());
        }
    }

    /** Of the line that has a byte before this position. */
    private static int startOfLine(ByteBuffer bytes, int position) {
        int start = position;
        while (start > 0 && bytes.get(start - 1) != '\n') {
            start--;
        }
        return start;
    }

    private static Optional<AuditLine> line(ByteBuffer bytes, int start) {
        int end = start;
        while (bytes.get(end) != '\n') {
            end++;
        }
        return AuditLine.parse(UTF_8.decode(bytes.slice(start, end - start)).toString());
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

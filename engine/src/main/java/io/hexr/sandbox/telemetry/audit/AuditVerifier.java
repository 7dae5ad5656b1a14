package io.hexr.sandbox.telemetry.audit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Follows the chain through the full files and the current one. What it cannot see by itself are lines cut off at the end, and a chain made
 * anew from the start by somebody who can write the files: compare the last number and hash with those noted elsewhere, such as by shipping
 * the log as it is written.
 */
public final class AuditVerifier {
    private @Nullable AuditLine last;
    private @Nullable AuditLine first;

    private AuditVerifier() {}

    /**
     * A chain that is intact.
     *
     * @param firstSequence more than 1 when older files were archived elsewhere
     */
    public record Intact(int files, long firstSequence, long lastSequence, String lastHash) {}

    /**
     * Follows the whole chain.
     *
     * @throws IOException if a line was changed, removed or inserted; the message says which is the first
     */
    public static Intact verify(Path file) throws IOException {
        List<Path> files = new ArrayList<>(AuditTail.rotated(file));
        if (Files.exists(file)) {
            files.add(file);
        }
        if (files.isEmpty()) {
            throw new IOException("there is no file " + file);
        }
        var verifier = new AuditVerifier();
        for (Path one : files) {
            verifier.follow(one);
        }
        var first = verifier.first;
        var last = verifier.last;
        if (first == null || last == null) {
            throw new IOException("there is no record in " + file);
        }
        return new Intact(files.size(), first.sequence(), last.sequence(), last.hash());
    }

    private void follow(Path file) throws IOException {
        try (BufferedReader reader = Files.newBufferedReader(file, UTF_8)) {
            int number = 0;
            for (String text = reader.readLine(); text != null; text = reader.readLine()) {
                number++;
                check(text, "%s, line %d".formatted(file, number));
            }
        }
    }

    private void check(String text, String where) throws IOException {
        var line = AuditLine.parse(text).orElseThrow(() -> new IOException(where + ": the line was changed"));
        if (last == null) {
            if (line.sequence() == 1 && !line.previous().equals(AuditLine.NOTHING)) {
                throw new IOException(where + ": the first line of the chain names one before it");
            }
            first = line;
        } else if (line.sequence() != last.sequence() + 1) {
            throw new IOException(
                    "%s: line %d of the chain follows on line %d".formatted(where, line.sequence(), last.sequence()));
        } else if (!line.previous().equals(last.hash())) {
            throw new IOException(where + ": the line before it is not the one that was there");
        }
        last = line;
    }
}

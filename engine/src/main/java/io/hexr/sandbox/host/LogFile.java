package io.hexr.sandbox.host;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;

/** A log file of a process that is not the engine. */
public final class LogFile {
    private LogFile() {}

    /** Its last bytes as text; empty if it cannot be read. */
    public static String tail(Path path, int maxBytes) {
        try (var file = new RandomAccessFile(path.toFile(), "r")) {
            int length = (int) Math.min(file.length(), maxBytes);
            byte[] bytes = new byte[length];
            file.seek(file.length() - length);
            int read = file.read(bytes);
            return new String(bytes, 0, Math.max(read, 0), UTF_8).strip();
        } catch (IOException e) {
            return "";
        }
    }
}

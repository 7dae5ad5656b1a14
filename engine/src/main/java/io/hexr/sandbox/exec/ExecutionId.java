package io.hexr.sandbox.exec;

import java.security.SecureRandom;
import java.util.HexFormat;

/** Names one execution in answers, logs and records: {@code exec-} and 32 hex digits, the first twelve of them the time in ms. */
final class ExecutionId {
    private static final SecureRandom RANDOM = new SecureRandom();

    private ExecutionId() {}

    static String next() {
        byte[] tail = new byte[10];
        RANDOM.nextBytes(tail);
        return "exec-" + HexFormat.of().toHexDigits(System.currentTimeMillis(), 12)
                + HexFormat.of().formatHex(tail);
    }
}

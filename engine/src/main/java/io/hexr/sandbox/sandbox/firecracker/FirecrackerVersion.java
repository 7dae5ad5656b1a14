package io.hexr.sandbox.sandbox.firecracker;

import java.io.IOException;
import java.util.Comparator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A version of Firecracker. Every field that the engine sends is known to the oldest one it accepts, so later ones need no cases. */
record FirecrackerVersion(int major, int minor, int patch) implements Comparable<FirecrackerVersion> {
    private static final Pattern TEXT = Pattern.compile("(\\d{1,6})\\.(\\d{1,6})\\.(\\d{1,6})(?:[-+].*)?");
    private static final FirecrackerVersion OLDEST = new FirecrackerVersion(1, 12, 0);

    /** No vsock connection is ever accepted after a restore (Firecracker issue 5969); 1.16.1 corrects it. */
    private static final FirecrackerVersion BROKEN = new FirecrackerVersion(1, 16, 0);

    static FirecrackerVersion parse(String text) throws IOException {
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches()) {
            throw new IOException("'%s' is not a version of Firecracker".formatted(text));
        }
        return new FirecrackerVersion(
                Integer.parseInt(matcher.group(1)),
                Integer.parseInt(matcher.group(2)),
                Integer.parseInt(matcher.group(3)));
    }

    /** Refuses those that cannot resume a machine as the engine needs it. */
    void requireUsable() throws IOException {
        if (compareTo(OLDEST) < 0) {
            throw new IOException("Firecracker %s is too old: %s or newer is needed".formatted(this, OLDEST));
        }
        if (equals(BROKEN)) {
            throw new IOException(
                    "Firecracker %s cannot be reached through vsock after a resume: use 1.16.1 or newer, or 1.15"
                            .formatted(this));
        }
    }

    @Override
    public int compareTo(FirecrackerVersion other) {
        return Comparator.comparingInt(FirecrackerVersion::major)
                .thenComparingInt(FirecrackerVersion::minor)
                .thenComparingInt(FirecrackerVersion::patch)
                .compare(this, other);
    }

    @Override
    public String toString() {
        return "%d.%d.%d".formatted(major, minor, patch);
    }
}

package io.hexr.sandbox.policy;

import io.hexr.sandbox.identity.FileChanges;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The policy that holds now. One from a file follows the file; a file that is changed into something that is no policy changes nothing, and the
 * log says so. Calls that were admitted before go on under what they were admitted with.
 */
public final class PolicySource implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(PolicySource.class);
    private static final long MAX_BYTES = 1 << 20;

    private final @Nullable FileChanges changes;
    private final LongAdder reloads = new LongAdder();
    private final LongAdder failedReloads = new LongAdder();
    private volatile Policy current;
    private volatile Instant loadedAt = Instant.now();

    private PolicySource(@Nullable FileChanges changes, Policy first) {
        this.changes = changes;
        this.current = first;
    }

    /** Whoever is authenticated may everything, for good. */
    public static PolicySource everybody() {
        return new PolicySource(null, Policy.EVERYBODY);
    }

    /** Reads the file and goes on following it. */
    public static PolicySource open(Path file) throws IOException {
        try {
            return open(file, FileChanges.watch(List.of(file)));
        } catch (IOException e) {
            throw new IOException("POLICY_FILE %s: %s".formatted(file, reason(e)), e);
        }
    }

    private static PolicySource open(Path file, FileChanges changes) throws IOException {
        try {
            var source = new PolicySource(changes, read(file));
            changes.follow("policy-file", () -> source.reread(file));
            return source;
        } catch (IOException e) {
            changes.close();
            throw e;
        }
    }

    private static Policy read(Path file) throws IOException {
        if (Files.size(file) > MAX_BYTES) {
            throw new IOException("it has more than %d bytes".formatted(MAX_BYTES));
        }
        return PolicyReader.read(Files.readString(file));
    }

    private void reread(Path changed) {
        try {
            var read = read(changed);
            if (!read.equals(current)) {
                current = read;
                loadedAt = Instant.now();
                reloads.increment();
                log.info(
                        "policy reloaded from {}: {} rules",
                        changed,
                        read.rules().size());
            }
        } catch (IOException e) {
            failedReloads.increment();
            log.error("POLICY_FILE {} is no policy, the former one stays: {}", changed, reason(e));
        }
    }

    /** Of an exception of the file system the message is only the file's name. */
    private static String reason(IOException e) {
        return e instanceof FileSystemException ? e.toString() : String.valueOf(e.getMessage());
    }

    public Policy current() {
        return current;
    }

    /**
     * What happened since the start.
     *
     * @param failedReloads changes of the file that were not taken
     * @param loadedAt when the policy that holds was read
     */
    public record Counts(long reloads, long failedReloads, Instant loadedAt) {}

    public Counts counts() {
        return new Counts(reloads.sum(), failedReloads.sum(), loadedAt);
    }

    @Override
    public void close() {
        if (changes != null) {
            changes.close();
        }
    }
}

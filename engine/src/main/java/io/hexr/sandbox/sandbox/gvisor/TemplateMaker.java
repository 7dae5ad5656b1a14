package io.hexr.sandbox.sandbox.gvisor;

import io.hexr.sandbox.guest.GuestChannel;
import io.hexr.sandbox.guest.GuestSession;
import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.host.CgroupLimits;
import io.hexr.sandbox.host.Deadline;
import io.hexr.sandbox.host.Watchdog;
import io.hexr.sandbox.sandbox.SandboxException;
import io.hexr.sandbox.sandbox.SandboxException.Code;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes a template: runs the agent until it is parked, takes a checkpoint, and measures what a sandbox restored from it is charged. */
final class TemplateMaker {
    private static final Logger log = LoggerFactory.getLogger(TemplateMaker.class);

    /** No program runs while a template is made, so these only bound accidents. */
    private static final CgroupLimits LIMITS =
            new CgroupLimits(2L << 30, Runtime.getRuntime().availableProcessors(), 4_096);

    /** The first restore of a checkpoint is also charged for reading its files into the page cache, later ones are not. */
    private static final int RESTORES_UNTIL_WARM = 2;

    private static final int ENTROPY_BYTES = 64;

    private final Containers containers;

    TemplateMaker(Containers containers) {
        this.containers = containers;
    }

    /** Fills the directory. */
    TemplateStore.Facts make(Language language, String spec, Path directory, Deadline deadline)
            throws SandboxException {
        long started = System.nanoTime();
        try {
            Files.writeString(directory.resolve("config.json"), spec);
            park(directory, deadline);
            long readyBytes = 0;
            for (int restore = 0; restore < RESTORES_UNTIL_WARM; restore++) {
                readyBytes = measure(directory, deadline);
            }
            log.info(
                    "made the template of {} in {} ms, {} MiB when ready",
                    language.id(),
                    Duration.ofNanos(System.nanoTime() - started).toMillis(),
                    readyBytes >> 20);
            return new TemplateStore.Facts(readyBytes);
        } catch (IOException | SandboxException e) {
            Code code = e instanceof SandboxException failure && failure.code() == Code.CLOSED
                    ? Code.CLOSED
                    : Code.TEMPLATE_FAILED;
            throw new SandboxException(code, "no template for %s: %s".formatted(language.id(), e.getMessage()), e);
        }
    }

    private void park(Path directory, Deadline deadline) throws SandboxException, IOException {
        try (Container container = containers.create(LIMITS);
                var _ = Watchdog.start(deadline.remaining(), container::kill)) {
            RunscCommand runsc = container.runsc();
            GuestChannel channel = container.start(runsc.run(container.id(), directory), deadline.remaining());
            try {
                new GuestSession(channel).awaitParked();
                container.execute(
                        runsc.checkpoint(container.id(), directory.resolve(GvisorTemplate.CHECKPOINT)),
                        deadline.remaining());
            } catch (IOException e) {
                throw new IOException("%s; its log: %s".formatted(e.getMessage(), container.log()), e);
            }
        }
    }

    private long measure(Path directory, Deadline deadline) throws SandboxException, IOException {
        try (Container container = containers.create(LIMITS);
                var _ = Watchdog.start(deadline.remaining(), container::kill)) {
            GuestChannel channel = container.start(
                    container.runsc().restore(container.id(), directory, directory.resolve(GvisorTemplate.CHECKPOINT)),
                    deadline.remaining());
            byte[] entropy = new byte[ENTROPY_BYTES];
            new SecureRandom().nextBytes(entropy);
            try {
                new GuestSession(channel).handshake(Instant.now(), entropy);
            } catch (IOException e) {
                throw new IOException("%s; its log: %s".formatted(e.getMessage(), container.log()), e);
            }
            return container.usage().memoryBytes();
        }
    }
}

package io.hexr.sandbox.sandbox.gvisor;

import io.hexr.sandbox.guest.GuestChannel;
import io.hexr.sandbox.guest.GuestSession;
import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.host.CgroupLimits;
import io.hexr.sandbox.host.Deadline;
import io.hexr.sandbox.host.Watchdog;
import io.hexr.sandbox.sandbox.SandboxException;
import io.hexr.sandbox.sandbox.process.SandboxProcesses;
import io.hexr.sandbox.sandbox.template.TemplateKey;
import io.hexr.sandbox.sandbox.template.TemplateRecipe;
import io.hexr.sandbox.sandbox.template.VerifiedFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/** Makes a template: runs the agent until it is parked, takes a checkpoint, and measures what a sandbox restored from it is charged. */
final class TemplateMaker implements TemplateRecipe<GvisorTemplate> {
    /** To be raised when the way of making templates changes in a way that nothing else in the key shows. */
    private static final int FORMAT = 1;

    /** No program runs while a template is made, so these only bound accidents. */
    private static final CgroupLimits LIMITS =
            new CgroupLimits(2L << 30, Runtime.getRuntime().availableProcessors(), 4_096, 1);

    /** The first restore of a checkpoint is also charged for reading its files into the page cache, later ones are not. */
    private static final int RESTORES_UNTIL_WARM = 2;

    private static final int ENTROPY_BYTES = 64;
    private static final String FACTS = "template.json";

    private final SandboxProcesses processes;
    private final VerifiedFile image;
    private final Path runsc;
    private final String runscSha256;
    private final String cpu;

    /** What is known of a template besides its files. */
    private record Facts(long readyBytes) {}

    TemplateMaker(SandboxProcesses processes, VerifiedFile image, Path runsc, String runscSha256, String cpu) {
        this.processes = processes;
        this.image = image;
        this.runsc = runsc;
        this.runscSha256 = runscSha256;
        this.cpu = cpu;
    }

    @Override
    public String key(Language language, int variant) {
        return TemplateKey.of(Map.of(
                "format", Integer.toString(FORMAT),
                "image", image.sha256(),
                "runsc", runscSha256,
                "flags", String.join(" ", RunscCommand.FLAGS),
                "cpu", cpu,
                "spec", spec(language),
                "variant", Integer.toString(variant)));
    }

    private String spec(Language language) {
        return ContainerSpec.json(language, image.path());
    }

    @Override
    public void make(Language language, int variant, Path directory, Deadline deadline)
            throws SandboxException, IOException {
        image.verify();
        Files.writeString(directory.resolve("config.json"), spec(language));
        park(directory, deadline);
        long readyBytes = 0;
        for (int restore = 0; restore < RESTORES_UNTIL_WARM; restore++) {
            readyBytes = measure(directory, deadline);
        }
        Files.writeString(directory.resolve(FACTS), JsonMapper.shared().writeValueAsString(new Facts(readyBytes)));
    }

    @Override
    public GvisorTemplate open(Language language, int variant, String key, Path directory, Deadline deadline)
            throws IOException {
        String facts = Files.readString(directory.resolve(FACTS));
        try {
            long readyBytes = JsonMapper.shared().readValue(facts, Facts.class).readyBytes();
            return new GvisorTemplate(language, variant, key, directory, readyBytes);
        } catch (JacksonException e) {
            throw new IOException("%s in %s: %s".formatted(FACTS, directory, e.getOriginalMessage()), e);
        }
    }

    private void park(Path directory, Deadline deadline) throws SandboxException, IOException {
        try (Container container = new Container(processes.create(LIMITS), runsc);
                var _ = Watchdog.start(deadline.remaining(), container::kill)) {
            RunscCommand command = container.runsc();
            GuestChannel channel = container.start(command.run(container.id(), directory), deadline.remaining());
            try {
                new GuestSession(channel).awaitParked();
                container.execute(
                        command.checkpoint(container.id(), GvisorTemplate.checkpoint(directory)), deadline.remaining());
            } catch (IOException e) {
                throw new IOException("%s; its log: %s".formatted(e.getMessage(), container.log()), e);
            }
        }
    }

    private long measure(Path directory, Deadline deadline) throws SandboxException, IOException {
        try (Container container = new Container(processes.create(LIMITS), runsc);
                var _ = Watchdog.start(deadline.remaining(), container::kill)) {
            GuestChannel channel = container.start(
                    container.runsc().restore(container.id(), directory, GvisorTemplate.checkpoint(directory)),
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

package io.hexr.sandbox.sandbox;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.hexr.sandbox.guest.GuestLimits;
import io.hexr.sandbox.guest.GuestOutcome;
import io.hexr.sandbox.guest.GuestRun;
import io.hexr.sandbox.guest.GuestSession;
import io.hexr.sandbox.guest.GuestSession.Ready;
import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.guest.OutputSink;
import java.io.ByteArrayOutputStream;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** One run in one sandbox, with the limits of the contract's tests. */
public final class ProgramRun implements OutputSink {
    private final GuestSession session;
    private final ByteArrayOutputStream output = new ByteArrayOutputStream();
    private final CompletableFuture<Void> firstOutput = new CompletableFuture<>();
    private final Ready ready;

    public ProgramRun(Sandbox sandbox) throws Exception {
        session = new GuestSession(sandbox.channel());
        byte[] entropy = new byte[64];
        new SecureRandom().nextBytes(entropy);
        ready = session.handshake(Instant.now(), entropy);
    }

    Ready ready() {
        return ready;
    }

    public GuestOutcome outcome(String script) {
        return outcome(Language.BASH, script);
    }

    public GuestOutcome outcome(Language language, String script) {
        return outcome(language, script, SandboxBackendContract.LIMITS.memoryBytes());
    }

    public GuestOutcome outcome(Language language, String script, long memoryBytes) {
        return outcome(language, script, memoryBytes, 256);
    }

    public GuestOutcome outcome(Language language, String script, long memoryBytes, int openFiles) {
        var limits = new GuestLimits(
                SandboxBackendContract.DEADLINE,
                64,
                openFiles,
                1 << 20,
                1 << 20,
                1_000,
                8 << 20,
                8 << 20,
                8 << 20,
                memoryBytes,
                1,
                1 << 20);
        var file = new GuestRun.GuestFile(language.scriptName(), script.getBytes(UTF_8));
        return session.run(new GuestRun(limits, List.of(), Map.of(), List.of(file), List.of(), new byte[0]), this);
    }

    /** Does something, on another thread, once the program has written. */
    public CompletableFuture<Void> afterOutput(Runnable action) {
        return firstOutput.thenRunAsync(action, Thread::startVirtualThread);
    }

    public String output() {
        return output.toString(UTF_8);
    }

    @Override
    public void stdout(byte[] bytes) {
        output.writeBytes(bytes);
        firstOutput.complete(null);
    }

    @Override
    public void stderr(byte[] bytes) {
        output.writeBytes(bytes);
    }
}

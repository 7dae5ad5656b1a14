package io.hexr.sandbox.sandbox;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.hexr.sandbox.guest.FakeProcess;
import io.hexr.sandbox.guest.GuestRun;
import java.io.IOException;
import java.util.Set;

/** The fake that the engine's unit tests use keeps the promises of a real backend. */
class FakeBackendTest extends SandboxBackendContract {
    private final FakeBackend fake = new FakeBackend(FakeBackendTest::play);

    private static void play(GuestRun run, FakeProcess process) throws IOException, InterruptedException {
        String script = new String(run.files().getFirst().content(), UTF_8);
        switch (script) {
            case HELLO -> {
                process.stdout("hello\n");
                process.exit(0);
            }
            case SLEEP -> {
                process.stdout("started\n");
                process.hang();
            }
            case HOLD_24_MIB -> {
                process.stdout("started\n25165824\n");
                process.exit(0);
            }
            case USE_UP_MEMORY -> {
                process.stdout("started\n");
                process.dieOfSignal(9);
            }
            default -> throw new AssertionError("cannot play: " + script);
        }
    }

    @Override
    protected SandboxBackend open() {
        return fake;
    }

    @Override
    protected Set<String> traces() {
        return fake.liveIds();
    }

    @Override
    protected void crash(Sandbox sandbox) {
        fake.crash(sandbox);
    }

    @Override
    protected void expectOutOfMemory() {
        fake.count(new HostUsage(128 << 20, true, false, null));
    }
}

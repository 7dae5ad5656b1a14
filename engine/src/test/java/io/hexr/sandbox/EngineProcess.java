package io.hexr.sandbox;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;

/** An engine in a process of its own, on a free port, for tests that stop or kill it. Its log is printed when it does not start. */
public final class EngineProcess implements AutoCloseable {
    private static final Duration START_DEADLINE = Duration.ofMinutes(2);
    private static final Pattern READY = Pattern.compile("^Ready: (\\S+)$", Pattern.MULTILINE);

    private final Process process;
    private final Path log;
    private final Path stateDir;
    private final URI uri;

    private EngineProcess(Process process, Path log, Path stateDir, URI uri) {
        this.process = process;
        this.log = log;
        this.stateDir = stateDir;
        this.uri = uri;
    }

    /** On a state directory beside that of {@link Engines}, so that both can run at once; templates in it stay for the next run. */
    public static EngineProcess start() throws Exception {
        return start(Map.of());
    }

    public static EngineProcess start(Path stateDir) throws Exception {
        return start(stateDir, Map.of());
    }

    /** With variables of its own. */
    public static EngineProcess start(Map<String, String> variables) throws Exception {
        return start(Path.of(System.getenv("STATE_DIR") + "-process"), variables);
    }

    public static EngineProcess start(Path stateDir, Map<String, String> variables) throws Exception {
        Path log = Files.createTempFile("engine", ".log");
        var builder = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Main.class.getName())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        builder.environment()
                .putAll(Map.of(
                        "LISTEN_ADDRESS", "127.0.0.1:0", "STATE_DIR", stateDir.toString(), "PYTHON_VARIANTS", "1"));
        builder.environment().putAll(variables);
        Process process = builder.start();
        try {
            return new EngineProcess(process, log, stateDir, awaitReady(process, log));
        } catch (Exception e) {
            process.destroyForcibly();
            Files.deleteIfExists(log);
            throw e;
        }
    }

    private static URI awaitReady(Process process, Path log)
            throws IOException, InterruptedException, TimeoutException {
        long deadline = System.nanoTime() + START_DEADLINE.toNanos();
        while (System.nanoTime() < deadline) {
            var ready = READY.matcher(Files.readString(log, StandardCharsets.UTF_8));
            if (ready.find()) {
                return URI.create(ready.group(1));
            }
            if (process.waitFor(50, TimeUnit.MILLISECONDS)) {
                throw new IOException("the engine ended with " + process.exitValue() + ":\n" + Files.readString(log));
            }
        }
        throw new TimeoutException("the engine is not ready:\n" + Files.readString(log));
    }

    /** What an engine that cannot start prints. */
    public static String failToStart(Path stateDir) throws Exception {
        try {
            start(stateDir).close();
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        }
        throw new AssertionError("the engine started");
    }

    public URI uri() {
        return uri;
    }

    public Path stateDir() {
        return stateDir;
    }

    public String log() throws IOException {
        return Files.readString(log);
    }

    public long pid() {
        return process.pid();
    }

    /** SIGTERM. */
    public void terminate() {
        process.destroy();
    }

    /** SIGKILL. */
    public void killHard() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    public int awaitExit() throws Exception {
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
            throw new TimeoutException("the engine does not end:\n" + log());
        }
        return process.exitValue();
    }

    @Override
    public void close() throws IOException {
        process.destroy();
        try {
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        Files.deleteIfExists(log);
    }
}

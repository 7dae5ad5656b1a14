package io.hexr.sandbox.http;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.hexr.sandbox.identity.Pem;
import io.hexr.sandbox.identity.X509Svid;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;

/**
 * A real SPIRE server, agent and any number of Envoys in a directory of their own, from the configuration of examples/envoy-spire. Needs root:
 * workloads are told apart by the user that they run as. Closing it ends every process, also after a start that failed half-way; what a
 * program logged is part of the error.
 */
final class SpireChain implements AutoCloseable {
    static final int GATEWAY_UID = 20_002;

    private static final Path EXAMPLE = Path.of("../examples/envoy-spire");
    private static final Duration START = Duration.ofSeconds(60);
    private static final Pattern ENTRY = Pattern.compile("Entry ID\\s*: (\\S+)");

    private final Path directory;
    private final Deque<Process> processes = new ArrayDeque<>();
    private final int spirePort = freePorts(1).getFirst();

    SpireChain() throws Exception {
        directory = Files.createTempDirectory("spire");
        try {
            Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
            Path programs = Files.createDirectory(directory.resolve("bin"));
            Path spire = Path.of(variable("SPIRE_BIN"));
            install(spire.resolve("spire-server"), programs);
            install(spire.resolve("spire-agent"), programs);
            install(Path.of(variable("ENVOY_BIN")), programs);
            startServer();
            startAgent();
        } catch (Exception e) {
            close();
            throw e;
        }
    }

    private static String variable(String name) {
        String value = System.getenv(name);
        if (value == null) {
            throw new IllegalStateException(name + " is not set; ./dev test sets it");
        }
        return value;
    }

    /** Where workloads of other users can start it. */
    private static void install(Path program, Path directory) throws IOException {
        Path copy = directory.resolve(program.getFileName().toString());
        Files.copy(program, copy, StandardCopyOption.COPY_ATTRIBUTES);
    }

    private void startServer() throws Exception {
        Files.createDirectory(directory.resolve("server"));
        configure(EXAMPLE.resolve("spire-server.conf"), Map.of());
        start("server", program("spire-server"), "run", "-config", file("spire-server.conf"));
        await("server", program("spire-server"), "healthcheck", "-socketPath", file("server.sock"));
    }

    private void startAgent() throws Exception {
        Files.writeString(directory.resolve("bootstrap.pem"), server("bundle", "show"));
        String token = server("token", "generate", "-spiffeID", "spiffe://example.org/node")
                .lines()
                .filter(line -> line.startsWith("Token: "))
                .findFirst()
                .orElseThrow()
                .substring("Token: ".length());
        Files.createDirectory(directory.resolve("agent"));
        configure(EXAMPLE.resolve("spire-agent.conf"), Map.of());
        start("agent", program("spire-agent"), "run", "-config", file("spire-agent.conf"), "-joinToken", token);
        await("agent", program("spire-agent"), "healthcheck", "-socketPath", file("agent.sock"));
    }

    /** Different ones: all are held until the last is found. */
    static List<Integer> freePorts(int count) throws IOException {
        var sockets = new ArrayList<ServerSocket>();
        try {
            for (int i = 0; i < count; i++) {
                sockets.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
            }
            return sockets.stream().map(ServerSocket::getLocalPort).toList();
        } finally {
            for (var socket : sockets) {
                socket.close();
            }
        }
    }

    Path agentSocket() {
        return directory.resolve("agent.sock");
    }

    /** Registers a workload; returns the entry, for {@link #delete}. */
    String entry(String path, int uid, Duration lifetime) throws Exception {
        var matcher = ENTRY.matcher(server(
                "entry",
                "create",
                "-parentID",
                "spiffe://example.org/node",
                "-spiffeID",
                "spiffe://example.org/" + path,
                "-selector",
                "unix:uid:" + uid,
                "-x509SVIDTTL",
                Long.toString(lifetime.toSeconds())));
        if (!matcher.find()) {
            throw new IOException("no entry was made");
        }
        return matcher.group(1);
    }

    void delete(String entry) throws Exception {
        server("entry", "delete", "-entryID", entry);
    }

    private String server(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(program("spire-server")));
        command.addAll(List.of(arguments));
        command.addAll(List.of("-socketPath", file("server.sock")));
        return run(command);
    }

    /** What the agent gives to a process of this user; waits until it gives something. */
    X509Svid fetch(int uid) throws Exception {
        Path target = Files.createTempDirectory(directory, "svid");
        Files.setPosixFilePermissions(target, PosixFilePermissions.fromString("rwxrwxrwx"));
        await("agent", asUser(uid, fetchCommand(target)));
        var chain = Pem.certificates(Files.readAllBytes(target.resolve("svid.0.pem")));
        return new X509Svid(chain, Pem.privateKey(Files.readAllBytes(target.resolve("svid.0.key")), chain.getFirst()));
    }

    /** Whether the agent has an identity for this user. */
    boolean knows(int uid) throws Exception {
        Path target = Files.createTempDirectory(directory, "svid");
        Files.setPosixFilePermissions(target, PosixFilePermissions.fromString("rwxrwxrwx"));
        return succeeds(asUser(uid, fetchCommand(target)));
    }

    private String[] fetchCommand(Path target) {
        return new String[] {
            program("spire-agent"),
            "api",
            "fetch",
            "x509",
            "-socketPath",
            file("agent.sock"),
            "-write",
            target.toString()
        };
    }

    X509Certificate authority() throws Exception {
        return Pem.certificates(server("bundle", "show").getBytes(US_ASCII)).getFirst();
    }

    /** Starts an Envoy as the gateway. */
    void startEnvoy(Path template, Map<String, String> values) throws Exception {
        String name = configure(template, values);
        start(
                name,
                asUser(
                        GATEWAY_UID,
                        program("envoy"),
                        "-c",
                        file(name),
                        "--use-dynamic-base-id",
                        "--concurrency",
                        "1",
                        "--log-level",
                        "warning"));
    }

    private String configure(Path template, Map<String, String> values) throws IOException {
        String text = Files.readString(template)
                .replace("@RUN@", directory.toString())
                .replace("@SPIRE_PORT@", Integer.toString(spirePort));
        for (var entry : values.entrySet()) {
            text = text.replace("@" + entry.getKey() + "@", entry.getValue());
        }
        String name = template.getFileName().toString();
        Files.writeString(directory.resolve(name), text);
        return name;
    }

    private String program(String name) {
        return directory.resolve("bin").resolve(name).toString();
    }

    private String file(String name) {
        return directory.resolve(name).toString();
    }

    private static String[] asUser(int uid, String... command) {
        List<String> all = new ArrayList<>(List.of("setpriv", "--reuid=" + uid, "--regid=" + uid, "--clear-groups"));
        all.addAll(List.of(command));
        return all.toArray(String[]::new);
    }

    private void start(String name, String... command) throws IOException {
        processes.push(new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve(name + ".log").toFile())
                .start());
    }

    String log(String name) throws IOException {
        return Files.readString(directory.resolve(name + ".log"));
    }

    /** Tries until the command succeeds, while the program that was started last lives: none of these tells when it is ready. */
    private void await(String name, String... command) throws Exception {
        long deadline = System.nanoTime() + START.toNanos();
        while (!succeeds(command)) {
            if (System.nanoTime() > deadline) {
                throw new TimeoutException(name + " is not ready:\n" + log(name));
            }
            if (processes.element().waitFor(100, TimeUnit.MILLISECONDS)) {
                throw new IOException("a program ended; log of " + name + ":\n" + log(name));
            }
        }
    }

    private boolean succeeds(String... command) throws Exception {
        var process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        return finish(process) == 0;
    }

    private String run(List<String> command) throws Exception {
        Path output = Files.createTempFile(directory, "output", ".txt");
        var process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        int status = finish(process);
        String text = Files.readString(output);
        if (status != 0) {
            throw new IOException("%s ended with %d:\n%s".formatted(String.join(" ", command), status, text));
        }
        return text;
    }

    private static int finish(Process process) throws Exception {
        if (!process.waitFor(START.toSeconds(), TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new TimeoutException(process.info().commandLine().orElse("a command") + " does not end");
        }
        return process.exitValue();
    }

    @Override
    public void close() throws IOException {
        for (var process : processes) {
            process.destroyForcibly();
            process.onExit().join();
        }
        Files.walkFileTree(directory, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path done, IOException e) throws IOException {
                Files.delete(done);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}

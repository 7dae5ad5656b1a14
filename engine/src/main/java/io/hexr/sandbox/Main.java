package io.hexr.sandbox;

import io.hexr.sandbox.config.ConfigException;
import io.hexr.sandbox.config.ConfigVariables;
import io.hexr.sandbox.config.EngineConfig;
import io.hexr.sandbox.config.Machine;
import java.net.URI;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * Entry point. Exit status: 0 after a clean stop, 1 when the engine could not start, 2 when its configuration or command line is not
 * valid.
 */
@Command(
        name = "sandbox-engine",
        mixinStandardHelpOptions = true,
        versionProvider = Main.Version.class,
        subcommands = AuditCommand.class,
        description = "Runs code written by AI agents, each call in a fresh sandbox.",
        footerHeading = "%nVariables:%n")
public final class Main implements Callable<Integer> {
    private static final int EXIT_CANNOT_START = 1;
    private static final int EXIT_BAD_CONFIGURATION = 2;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    private Main() {}

    public static void main(String[] args) {
        var command = new CommandLine(new Main());
        // Not as an annotation: the text is computed, and picocli would read '%' in it.
        command.getCommandSpec()
                .usageMessage()
                .footer(ConfigVariables.helpText().replace("%", "%%"));
        command.setParameterExceptionHandler(Main::refuse);
        System.exit(command.execute(args));
    }

    /** Without the usage, which picocli adds: it lists every variable, and the error would have scrolled away. */
    private static int refuse(CommandLine.ParameterException error, String[] args) {
        error.getCommandLine().getErr().println(error.getMessage() + "; --help lists what there is");
        return EXIT_BAD_CONFIGURATION;
    }

    @Override
    public Integer call() throws InterruptedException {
        var err = spec.commandLine().getErr();
        EngineConfig config;
        try {
            config = EngineConfig.load(System.getenv(), Machine.current());
        } catch (ConfigException e) {
            err.println(e.getMessage());
            return EXIT_BAD_CONFIGURATION;
        }
        try {
            serve(config);
            return 0;
        } catch (StartException e) {
            err.println(e.getMessage());
            return EXIT_CANNOT_START;
        }
    }

    private void serve(EngineConfig config) throws StartException, InterruptedException {
        try (Engine engine = Engine.open(config)) {
            Runtime.getRuntime()
                    .addShutdownHook(Thread.ofPlatform().name("shutdown").unstarted(() -> stop(engine)));
            engine.makeReady();
            announce(engine);
            new CountDownLatch(1).await(); // until a signal runs the hook
        }
    }

    /** The hook runs on a signal, also while the engine starts, and at the end of a start that failed: then the exit status says so. */
    private static void stop(Engine engine) {
        boolean failed = engine.isClosed();
        engine.close();
        if (!failed) {
            // A stop that was asked for is a success; the JVM by itself would report 128 + the signal.
            Runtime.getRuntime().halt(0);
        }
    }

    private void announce(Engine engine) {
        var out = spec.commandLine().getOut();
        if (engine.isOpenToTheNetwork()) {
            out.println("Warning: callers are not authenticated, and the port is open beyond this machine"
                    + " (LISTEN_ADDRESS=127.0.0.1:8080 keeps it here, AUTH_MODE lets only known callers in).");
        }
        out.println("Ready: " + engine.uri());
        if (!engine.uri().getScheme().equals("https")) { // there curl would need a certificate
            out.println("""
                    Try:   curl -s %s/api/v1/exec -H 'Content-Type: application/json' -d '{"code": "print(1 + 1)", "language": "python"}'""".formatted(curlAddress(engine.uri())));
        }
        out.flush();
    }

    static String curlAddress(URI engine) {
        return engine.getScheme().equals("unix")
                ? "--unix-socket '%s' http://localhost".formatted(engine.getPath())
                : engine.toString();
    }

    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {"sandbox-engine " + Engine.version()};
        }
    }
}

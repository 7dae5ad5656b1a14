package io.hexr.sandbox;

import io.hexr.sandbox.config.EngineConfig;
import io.hexr.sandbox.config.Machine;
import java.net.URI;
import java.nio.file.Path;
import java.util.HashMap;

/** Starts real engines in this JVM for tests of other packages. */
public final class Engines {
    private Engines() {}

    /** An engine on a free port of loopback; parts and state directory come from the environment that ./dev test sets. */
    public static Handle start() {
        var environment = new HashMap<>(System.getenv());
        environment.put("LISTEN_ADDRESS", "127.0.0.1:0");
        Engine engine = null;
        try {
            var config = EngineConfig.load(environment, Machine.current());
            engine = Engine.open(config);
            engine.makeReady();
            return new Handle(engine, config.backend().stateDir());
        } catch (Exception e) {
            if (engine != null) {
                engine.close();
            }
            throw new IllegalStateException("no engine for the tests: " + e.getMessage(), e);
        }
    }

    /** A running engine. */
    public record Handle(Engine engine, Path stateDir) implements AutoCloseable {
        public URI uri() {
            return engine.uri();
        }

        @Override
        public void close() {
            engine.close();
        }
    }
}

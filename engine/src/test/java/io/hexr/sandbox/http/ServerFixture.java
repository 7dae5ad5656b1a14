package io.hexr.sandbox.http;

import io.hexr.sandbox.config.ConfigException;
import io.hexr.sandbox.config.EngineConfig;
import io.hexr.sandbox.config.Machine;
import io.hexr.sandbox.http.HealthReport.LanguageInfo;
import io.hexr.sandbox.http.HealthReport.Load;
import io.hexr.sandbox.http.HealthReport.Pool;
import io.hexr.sandbox.http.HealthReport.PoolLevel;
import io.hexr.sandbox.http.HealthReport.State;
import io.hexr.sandbox.identity.AuthMode;
import io.hexr.sandbox.identity.Authenticator;
import io.hexr.sandbox.identity.SvidSource;
import io.hexr.sandbox.identity.SvidVerifier;
import io.hexr.sandbox.policy.PolicySource;
import io.hexr.sandbox.sandbox.BackendInfo;
import io.hexr.sandbox.telemetry.audit.Audit;
import io.hexr.sandbox.telemetry.metrics.Metrics;
import io.hexr.sandbox.telemetry.trace.Tracing;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The real server on a loopback port of the kernel's choice, with an engine that runs nothing. */
final class ServerFixture implements AutoCloseable {
    static final HttpServer.Gate EVERYBODY = new HttpServer.Gate(
            new Authenticator(AuthMode.NONE, Set.of(), List.of(), new SvidVerifier(SvidSource.none(), Set.of())),
            PolicySource.everybody(),
            null);

    final FakeEngine engine = new FakeEngine();
    final Metrics metrics = new Metrics("1.2.3");
    volatile HealthReport health = healthy();
    final HttpServer server;

    /** With these variables besides the defaults. */
    ServerFixture(String... pairs) throws IOException, ConfigException {
        this(1L << 30, pairs);
    }

    ServerFixture(long heapBytes, String... pairs) throws IOException, ConfigException {
        this(config(pairs), EVERYBODY, heapBytes);
    }

    ServerFixture(EngineConfig config, HttpServer.Gate gate, long heapBytes) throws IOException {
        this(config, gate, Audit.NONE, heapBytes);
    }

    /** Everybody may come in, and leaves a record. */
    ServerFixture(Audit audit) throws IOException, ConfigException {
        this(config(), EVERYBODY, audit, 1L << 30);
    }

    ServerFixture(EngineConfig config, HttpServer.Gate gate, Audit audit, long heapBytes) throws IOException {
        this(config, gate, audit, Tracing.NONE, heapBytes);
    }

    ServerFixture(EngineConfig config, HttpServer.Gate gate, Audit audit, Tracing tracing, long heapBytes)
            throws IOException {
        server = HttpServer.start(config, gate, audit, metrics, tracing, engine, () -> health, heapBytes);
    }

    static EngineConfig config(String... pairs) throws ConfigException {
        var environment = new HashMap<>(Map.of("LISTEN_ADDRESS", "127.0.0.1:0"));
        for (int i = 0; i < pairs.length; i += 2) {
            environment.put(pairs[i], pairs[i + 1]);
        }
        return EngineConfig.load(environment, new Machine(2, 4L << 30));
    }

    static HealthReport healthy() {
        return new HealthReport(
                State.OK,
                null,
                "1.2.3",
                new BackendInfo("gvisor", BackendInfo.Isolation.USER_SPACE_KERNEL, "20260905", "no Firecracker"),
                List.of(new LanguageInfo("python", "3.11.2", Map.of("numpy", "1.24.2"))),
                new Load(4, 1, 256, 0),
                new Pool(512, 128, 0, List.of(new PoolLevel("python", 1, 0, 2))));
    }

    RawClient connect() throws IOException {
        return new RawClient(server.port());
    }

    /** One request on a connection of its own. */
    RawClient.Reply exchange(String request) throws IOException {
        try (var client = connect()) {
            return client.send(request).receive();
        }
    }

    @Override
    public void close() {
        server.close();
    }
}

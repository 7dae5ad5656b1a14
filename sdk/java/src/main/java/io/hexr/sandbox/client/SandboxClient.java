package io.hexr.sandbox.client;

import java.net.http.HttpClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A client of one service, with a pool of connections. Any thread may use it, virtual ones as well: one that waits for an answer holds no other. It lives until {@link
 * #close()}.
 *
 * <p>Only 429 and 503 are tried again: after what {@code Retry-After} asks for and a random time on top that grows with each try, as long as the deadline allows.
 */
public final class SandboxClient implements AutoCloseable {
    private static final Duration HEALTH_DEADLINE = Duration.ofSeconds(10);

    private final Settings settings;
    private final Transport transport;

    private SandboxClient(Settings settings, @Nullable HttpClient http) {
        this.settings = settings;
        this.transport = new Transport(settings, http);
    }

    /** A client as the {@code HEXR_SANDBOX_} variables describe it. */
    public static SandboxClient create() throws ConfigurationException {
        return builder().build();
    }

    public static Builder builder() {
        return new Builder(new Variables(System::getenv));
    }

    /** Runs a program in Python in a fresh sandbox: {@link #exec(ExecutionRequest)}. */
    public ExecutionResult exec(String code) throws SandboxException {
        return exec(ExecutionRequest.of(code));
    }

    /**
     * Runs a program in a fresh sandbox.
     *
     * @return its result, whatever its exit
     * @throws SandboxException when there is no result; its class tells why
     */
    public ExecutionResult exec(ExecutionRequest request) throws SandboxException {
        return Call.await(execAsync(request));
    }

    /**
     * Runs a program in a fresh sandbox, without a thread that waits. To cancel the future, or to complete it, gives the call up. It fails with a {@link SandboxException}
     * when there is no result.
     */
    public CompletableFuture<ExecutionResult> execAsync(ExecutionRequest request) {
        return Call.start(transport, Exchange.exec(settings.url(), request), Deadline.of(request, settings));
    }

    /**
     * Runs a program in a fresh sandbox and gives its output as it comes. Returns when the program starts; until then all is as with {@link #exec(ExecutionRequest)}.
     *
     * @return to be closed, which ends a run that has not ended yet
     */
    public ExecutionStream stream(ExecutionRequest request) throws SandboxException {
        var deadline = Deadline.of(request, settings);
        return Call.await(Call.start(transport, Exchange.stream(settings.url(), request, deadline), deadline));
    }

    /** How the service is, also when it does not run code. */
    public Health health() throws SandboxException {
        return Call.await(Call.start(
                transport, Exchange.health(settings.url()), Deadline.after(HEALTH_DEADLINE, System::nanoTime)));
    }

    /** Closes the connections. Calls that are under way end with {@link UnreachableException}. */
    @Override
    public void close() {
        transport.close();
    }

    /** Where the service is and how to speak to it. A setting wins over its variable, a variable over the default. */
    public static final class Builder {
        private static final String DEFAULT_URL = "http://127.0.0.1:8080";
        private static final Duration DEFAULT_CONNECT_TIMEOUT = Duration.ofSeconds(5);
        private static final int DEFAULT_MAX_RETRIES = 5;

        private final Variables variables;
        private @Nullable String url;
        private @Nullable Path caFile;
        private @Nullable Path certFile;
        private @Nullable Path keyFile;
        private @Nullable String serverId;
        private @Nullable Duration connectTimeout;
        private @Nullable Duration deadline;
        private @Nullable Integer maxRetries;
        private @Nullable HttpClient httpClient;

        Builder(Variables variables) {
            this.variables = variables;
        }

        /** Of the service; else {@code HEXR_SANDBOX_URL}, else http://127.0.0.1:8080. */
        public Builder url(String url) {
            this.url = url;
            return this;
        }

        /** Certificates to trust instead of the system's; else {@code HEXR_SANDBOX_CA_FILE}. */
        public Builder caFile(Path caFile) {
            this.caFile = caFile;
            return this;
        }

        /** The caller's own certificate chain in PEM (mTLS); else {@code HEXR_SANDBOX_CERT_FILE}. */
        public Builder certFile(Path certFile) {
            this.certFile = certFile;
            return this;
        }

        /** Its key, PKCS #8 in PEM; else {@code HEXR_SANDBOX_KEY_FILE}. */
        public Builder keyFile(Path keyFile) {
            this.keyFile = keyFile;
            return this;
        }

        /** The SPIFFE ID by which the service is known, instead of the name in its URL; else {@code HEXR_SANDBOX_SERVER_ID}. */
        public Builder serverId(String serverId) {
            this.serverId = serverId;
            return this;
        }

        /** Else {@code HEXR_SANDBOX_CONNECT_TIMEOUT} in seconds, else 5 seconds. */
        public Builder connectTimeout(Duration connectTimeout) {
            this.connectTimeout = connectTimeout;
            return this;
        }

        /**
         * For a call as a whole, waiting and retries included; else {@code HEXR_SANDBOX_DEADLINE} in seconds, else the program's timeout, or 30 seconds, and 90 seconds.
         */
        public Builder deadline(Duration deadline) {
            this.deadline = deadline;
            return this;
        }

        /** After 429 and 503, within the deadline; else {@code HEXR_SANDBOX_MAX_RETRIES}, else 5. */
        public Builder maxRetries(int maxRetries) {
            this.maxRetries = maxRetries;
            return this;
        }

        /** For proxies and executors; TLS and the time to connect are then its affair, and it is not closed with the client. */
        public Builder httpClient(HttpClient httpClient) {
            this.httpClient = httpClient;
            return this;
        }

        public SandboxClient build() throws ConfigurationException {
            return new SandboxClient(settings(), httpClient);
        }

        Settings settings() throws ConfigurationException {
            var settledTimeout = first(connectTimeout, variables.seconds("HEXR_SANDBOX_CONNECT_TIMEOUT"));
            var settledRetries = first(maxRetries, variables.count("HEXR_SANDBOX_MAX_RETRIES"));
            var settledUrl = first(url, variables.text("HEXR_SANDBOX_URL"));
            return new Settings(
                    Settings.url(settledUrl != null ? settledUrl : DEFAULT_URL),
                    first(caFile, variables.path("HEXR_SANDBOX_CA_FILE")),
                    first(certFile, variables.path("HEXR_SANDBOX_CERT_FILE")),
                    first(keyFile, variables.path("HEXR_SANDBOX_KEY_FILE")),
                    first(serverId, variables.text("HEXR_SANDBOX_SERVER_ID")),
                    settledTimeout != null ? settledTimeout : DEFAULT_CONNECT_TIMEOUT,
                    first(deadline, variables.seconds("HEXR_SANDBOX_DEADLINE")),
                    settledRetries != null ? settledRetries : DEFAULT_MAX_RETRIES);
        }

        private static <T> @Nullable T first(@Nullable T setting, @Nullable T variable) {
            return setting != null ? setting : variable;
        }
    }
}

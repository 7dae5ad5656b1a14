package io.hexr.sandbox.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.hexr.sandbox.telemetry.metrics.PrometheusText;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.dataformat.yaml.YAMLMapper;

/** {@code /metrics} of a running engine: it moves by what happened, and dashboard and alerts ask for nothing that is not there. */
@Tag("sandbox")
@Timeout(300)
@ExtendWith(RunningEngine.class)
class MetricsTest {
    private static final Path DEPLOY = Path.of("../deploy");
    private static final Pattern METRIC = Pattern.compile("\\b((?:hexr|jvm|process)_[a-z0-9_]+|up)\\b(?:\\{([^}]*)})?");
    private static final Pattern MATCHER = Pattern.compile("([a-z_]+)(=~|!~|!=|=)\"([^\"]*)\"");
    private static final Pattern GROUPING = Pattern.compile("\\bby \\(([a-z_, ]+)\\)");

    /** What Prometheus itself adds. */
    private static final Set<String> TARGET_LABELS = Set.of("instance", "job");

    /** Of an engine with a certificate of its own, which this one has not (StateMetricsTest), and of Prometheus. */
    private static final Set<String> ELSEWHERE = Set.of("hexr_svid_expiry_timestamp_seconds", "up");

    private final Api api;
    private final RunningEngine.Address address;
    private final HttpClient client = HttpClient.newHttpClient();

    MetricsTest(Api api, RunningEngine.Address address) {
        this.api = api;
        this.address = address;
    }

    @BeforeEach
    void nothingElseRuns() throws Exception {
        api.awaitRunning(0);
    }

    private PrometheusText read() throws Exception {
        var request = HttpRequest.newBuilder(address.uri().resolve("/metrics")).build();
        var response = client.send(request, BodyHandlers.ofString());
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return PrometheusText.parse(response.body());
    }

    private void traffic() throws Exception {
        assertThat(api.exec("python", "print(1)", 20).exitCode()).isZero();
        assertThat(api.exec("python", "raise SystemExit(3)", 20).exitCode()).isEqualTo(3);
        assertThat(api.exec("bash", "sleep 60", 0.5).flag("timed_out")).isTrue();
        assertThat(api.exec("bash", "head -c 2M /dev/zero | tr '\\0' x", 20).flag("stdout_truncated"))
                .isTrue();
        assertThat(api.exec("cobol", "", 1).status()).isEqualTo(400);
        api.awaitRunning(0);
    }

    @Test
    void valuesMoveByWhatHappened() throws Exception {
        var before = read();
        traffic();
        var after = read();

        assertMoved(before, after, 4, "hexr_calls_total", "outcome", "ok");
        assertMoved(before, after, 1, "hexr_calls_total", "outcome", "invalid_request");
        assertMoved(before, after, 4, "hexr_http_requests_total", "path", "/api/v1/exec", "status", "200");
        String executions = "hexr_execution_duration_seconds_count";
        assertMoved(before, after, 1, executions, "language", "python", "outcome", "ok");
        assertMoved(before, after, 1, executions, "language", "python", "outcome", "nonzero_exit");
        assertMoved(before, after, 1, executions, "language", "bash", "outcome", "time");
        assertMoved(before, after, 1, executions, "language", "bash", "outcome", "ok");
        for (String phase : List.of("queue", "pool", "layout", "run", "reply", "destroy")) {
            assertMoved(before, after, 4, "hexr_execution_phase_duration_seconds_count", "phase", phase);
        }
        assertMoved(before, after, 1, "hexr_limits_hit_total", "limit", "time");
        assertMoved(before, after, 1, "hexr_limits_hit_total", "limit", "stdout");
        assertMoved(before, after, 0, "hexr_limits_hit_total", "limit", "memory");
        assertMoved(before, after, 2, "hexr_pool_taken_total", "language", "python");
        assertMoved(before, after, 2, "hexr_pool_taken_total", "language", "bash");
        assertMoved(before, after, 0, "hexr_execution_failures_total");

        String seconds = "hexr_execution_phase_duration_seconds_sum";
        assertThat(after.value(seconds, "phase", "run", "language", "bash")
                        - before.value(seconds, "phase", "run", "language", "bash"))
                .isGreaterThan(0.5);
        assertThat(after.value("hexr_executions_running")).isZero();
        assertThat(after.value("hexr_engine_state", "state", "ok")).isEqualTo(1);
        assertThat(after.value("process_resident_memory_bytes")).isGreaterThan(10 << 20);
    }

    private static void assertMoved(
            PrometheusText before, PrometheusText after, int by, String name, String... labels) {
        assertThat(after.value(name, labels) - before.value(name, labels))
                .as("%s %s", name, List.of(labels))
                .isEqualTo(by);
    }

    private static List<Integer> targets(JsonNode health) {
        return health.path("pool")
                .path("languages")
                .valueStream()
                .map(level -> level.path("target").asInt())
                .toList();
    }

    @Test
    void poolAndIsolationAreThoseOfTheHealth() throws Exception {
        JsonNode health;
        PrometheusText metrics;
        int tries = 0;
        do { // fewer are wanted as time goes by, so read until both are of one moment
            health = api.get("/health").body();
            metrics = read();
        } while (!targets(api.get("/health").body()).equals(targets(health)) && ++tries < 100);
        for (JsonNode level : health.path("pool").path("languages")) {
            assertThat(metrics.value(
                            "hexr_pool_target",
                            "language",
                            level.path("language").asString()))
                    .as(level.toString())
                    .isEqualTo(level.path("target").asInt());
        }
        assertThat(metrics.value(
                        "hexr_isolation_info",
                        "backend",
                        health.path("backend").asString(),
                        "isolation",
                        health.path("isolation").asString()))
                .isEqualTo(1);
    }

    @Test
    void dashboardAndAlertsAskOnlyForWhatIsThere() throws Exception {
        traffic();
        var metrics = read();
        var expressions = new ArrayList<String>();
        var dashboard = JsonMapper.builder().build().readTree(DEPLOY.resolve("grafana/sandbox-engine.json"));
        for (JsonNode panel : dashboard.path("panels")) {
            panel.path("targets")
                    .forEach(target -> expressions.add(target.path("expr").asString()));
        }
        int ofDashboard = expressions.size();
        var alerts = new YAMLMapper().readTree(DEPLOY.resolve("prometheus/alerts.yml"));
        for (JsonNode rule : alerts.path("groups").path(0).path("rules")) {
            expressions.add(rule.path("expr").asString());
        }

        assertThat(ofDashboard).isGreaterThan(20);
        assertThat(expressions)
                .hasSizeGreaterThan(ofDashboard + 5)
                .allSatisfy(expression -> check(expression, metrics));
    }

    private static void check(String expression, PrometheusText metrics) {
        var selectors = METRIC.matcher(expression);
        boolean any = false;
        while (selectors.find()) {
            any = true;
            String name = selectors.group(1);
            if (ELSEWHERE.contains(name)) {
                continue;
            }
            var series = metrics.all(name).toList();
            assertThat(series).as("%s in: %s", name, expression).isNotEmpty();
            var labels = series.getFirst().labels().keySet();
            var matchers = MATCHER.matcher(selectors.group(2) == null ? "" : selectors.group(2));
            while (matchers.find()) {
                String label = matchers.group(1);
                if (TARGET_LABELS.contains(label)) {
                    continue;
                }
                assertThat(labels).as("labels of %s in: %s", name, expression).contains(label);
                if (matchers.group(2).startsWith("=") && !name.equals("hexr_isolation_info")) {
                    for (String value : matchers.group(3).split("\\|", -1)) {
                        assertThat(series)
                                .as("a series of %s with %s=%s in: %s", name, label, value, expression)
                                .anyMatch(sample -> value.equals(sample.labels().get(label)));
                    }
                }
            }
            var groupings = GROUPING.matcher(expression);
            while (groupings.find()) {
                for (String label : groupings.group(1).split(", ?", -1)) {
                    assertThat(TARGET_LABELS.contains(label) || labels.contains(label))
                            .as("by (%s) of %s in: %s", label, name, expression)
                            .isTrue();
                }
            }
        }
        assertThat(any).as("a metric in: %s", expression).isTrue();
    }
}

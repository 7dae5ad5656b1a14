package io.hexr.sandbox.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.hexr.sandbox.system.Api.Answer;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The attacks that public code runners are tried with. Each must be contained, and the next call must work: {@link #theNextCallWorks}. */
@Tag("sandbox")
@Timeout(120)
@ExtendWith(RunningEngine.class)
class AttackTest {
    private final Api api;

    AttackTest(Api api) {
        this.api = api;
    }

    @AfterEach
    void theNextCallWorks() throws Exception {
        var answer = api.exec("bash", "echo alive; ls -A /workspace /tmp /dev/shm", 30);
        assertThat(answer.stdout()).isEqualTo("alive\n/dev/shm:\n\n/tmp:\n\n/workspace:\nmain.sh\n");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "bash       | bomb() { bomb | bomb & }; bomb; sleep 30",
                "python     | import os\\nwhile True:\\n    try: os.fork()\\n    except OSError: pass",
                "python     | import threading, time\\nwhile True:\\n    try: threading.Thread(target=time.sleep, args=(60,)).start()\\n    except RuntimeError: pass",
                "javascript | const {spawn} = require('child_process'); setInterval(() => { for (let i = 0; i < 50; i++) spawn('sleep', ['60']).on('error', () => {}); }, 10)",
            })
    void aForkBombEndsWithItsSandbox(String language, String code) throws Exception {
        Promptly.assertBelow(Duration.ofSeconds(9), () -> {
            long start = System.nanoTime();
            var answer = api.exec(language, code.replace("\\n", "\n"), 2);
            var took = Duration.ofNanos(System.nanoTime() - start);
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.exitCode()).isNotZero();
            return took;
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"/workspace", "/tmp", "/dev/shm"})
    void aFullDiskIsAnErrorOfTheProgramOnly(String directory) throws Exception {
        var answer = api.exec(Map.of(
                "language",
                "bash",
                "timeout",
                20,
                "memory_mb",
                256,
                "code",
                "cat /dev/zero > %s/fill; echo \"status $?\"".formatted(directory)));
        assertThat(answer.stdout()).isEqualTo("status 1\n");
        assertThat(answer.stderr()).contains("No space left on device");
        assertThat(answer.flag("oom_killed")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/workspace", "/tmp", "/dev/shm"})
    void runningOutOfInodesIsAnErrorOfTheProgramOnly(String directory) throws Exception {
        var answer = api.exec("python", """
                import errno
                try:
                    for i in range(10_000_000):
                        open(f"%s/{i}", "w").close()
                except OSError as e:
                    print(errno.errorcode[e.errno])
                """.formatted(directory), 30);
        assertThat(answer.stdout()).isEqualTo("ENOSPC\n");
        assertThat(answer.flag("oom_killed")).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "python,'while True: print(\"y\" * 5000)'",
        "bash,yes",
        "javascript,'for (;;) console.log(\"y\".repeat(999))'"
    })
    void anOutputFloodIsCutAtTheCap(String language, String code) throws Exception {
        var answer = api.exec(language, code, 5); // time enough for a slow machine to write a mebibyte
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.flag("stdout_truncated")).isTrue();
        assertThat(answer.stdout().length()).isBetween(1_000_000, 1 << 20);
        assertThat(answer.flag("timed_out")).isTrue();
    }

    @Test
    void memoryBeyondTheLimitIsAnOomKill() throws Exception {
        var answer = api.exec(Map.of(
                "language",
                "bash",
                "timeout",
                20,
                "memory_mb",
                64,
                "code",
                "echo start; a=$(tail -c 1G /dev/zero | tr '\\0' x)"));
        assertThat(answer.stdout()).isEqualTo("start\n");
        assertThat(answer.flag("oom_killed")).isTrue();
        assertThat(answer.flag("timed_out")).isFalse();
    }

    @Test
    void thereIsNoNetwork() throws Exception {
        var answer = api.exec("python", """
                import socket
                for address in [("1.1.1.1", 53), ("169.254.169.254", 80), ("10.0.0.1", 80)]:
                    try:
                        socket.create_connection(address, 2)
                        print("reached", address)
                    except OSError:
                        pass
                try:
                    socket.getaddrinfo("example.com", 80)
                    print("resolved")
                except OSError:
                    print("none")
                """, 20);
        assertThat(answer.stdout()).isEqualTo("none\n");
    }

    @Test
    void filesDoNotPersist() throws Exception {
        Answer first = api.exec(
                "bash",
                "for d in /workspace /tmp /dev/shm /var/tmp /; do echo secret > $d/left 2>/dev/null; done; ls /tmp",
                20);
        assertThat(first.stdout()).isEqualTo("left\n");
        Answer second = api.exec("bash", "find / -xdev -name left 2>/dev/null; ls /tmp /dev/shm", 30);
        assertThat(second.stdout()).isEqualTo("/dev/shm:\n\n/tmp:\n");
    }

    @Test
    void aProgramThatIgnoresEverySignalIsEndedInTime() throws Exception {
        Promptly.assertBelow(Duration.ofSeconds(4), () -> {
            long start = System.nanoTime();
            var answer = api.exec("bash", "trap '' HUP INT TERM QUIT USR1 USR2; kill -STOP 0; while :; do :; done", 1);
            var took = Duration.ofNanos(System.nanoTime() - start);
            assertThat(answer.flag("timed_out")).isTrue();
            assertThat(answer.exitCode()).isEqualTo(124);
            return took;
        });
    }
}

package io.hexr.sandbox.sandbox.firecracker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hexr.sandbox.host.Deadline;
import io.hexr.sandbox.sandbox.firecracker.FakeSocket.Behaviour.Answer;
import io.hexr.sandbox.sandbox.firecracker.FakeSocket.Behaviour.HangUp;
import io.hexr.sandbox.sandbox.firecracker.FakeSocket.Behaviour.Silence;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
class FirecrackerApiTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final String NO_CONTENT =
            "HTTP/1.1 204 \r\nServer: Firecracker API\r\nConnection: keep-alive\r\n\r\n";

    @TempDir
    Path directory;

    private Path socket = Path.of("");
    private FirecrackerApi api = new FirecrackerApi(socket);

    @BeforeEach
    void name() {
        socket = directory.resolve("a");
        api = new FirecrackerApi(socket);
    }

    private static String json(String status, String body) {
        return "HTTP/1.1 %s\r\nServer: Firecracker API\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"
                .formatted(status, body.length(), body);
    }

    private static Deadline soon() {
        return Deadline.after(Duration.ofMillis(50));
    }

    private static Deadline later() {
        return Deadline.after(LONG);
    }

    @Test
    void requestsAreSentAsTheApiDescribesThem() throws Exception {
        var memory = new ApiRequest.SnapshotLoad.MemoryBackend("File", "memory");
        try (var server = FakeSocket.listen(
                socket,
                new Answer(NO_CONTENT),
                new Answer(NO_CONTENT),
                new Answer(NO_CONTENT),
                new Answer(NO_CONTENT),
                new Answer(NO_CONTENT),
                new Answer(NO_CONTENT),
                new Answer(NO_CONTENT),
                new Answer(NO_CONTENT))) {
            api.send(new ApiRequest.MachineConfig(2, 768), later());
            api.send(new ApiRequest.BootSource("vmlinux", "initramfs", "quiet x=\"1\""), later());
            api.send(new ApiRequest.Drive("root", "root.erofs", false, true), later());
            api.send(new ApiRequest.Vsock(3, "v.sock"), later());
            api.send(ApiRequest.Action.INSTANCE_START, later());
            api.send(ApiRequest.Vm.PAUSED, later());
            api.send(new ApiRequest.SnapshotCreate("Full", "state", "memory"), later());
            api.send(new ApiRequest.SnapshotLoad("state", memory, true), later());

            assertThat(server.requests())
                    .containsExactly(
                            "PUT /machine-config HTTP/1.1 {\"vcpu_count\":2,\"mem_size_mib\":768}",
                            "PUT /boot-source HTTP/1.1 {\"kernel_image_path\":\"vmlinux\",\"initrd_path\":\"initramfs\","
                                    + "\"boot_args\":\"quiet x=\\\"1\\\"\"}",
                            "PUT /drives/root HTTP/1.1 {\"drive_id\":\"root\",\"path_on_host\":\"root.erofs\","
                                    + "\"is_root_device\":false,\"is_read_only\":true}",
                            "PUT /vsock HTTP/1.1 {\"guest_cid\":3,\"uds_path\":\"v.sock\"}",
                            "PUT /actions HTTP/1.1 {\"action_type\":\"InstanceStart\"}",
                            "PATCH /vm HTTP/1.1 {\"state\":\"Paused\"}",
                            "PUT /snapshot/create HTTP/1.1 {\"snapshot_type\":\"Full\",\"snapshot_path\":\"state\","
                                    + "\"mem_file_path\":\"memory\"}",
                            "PUT /snapshot/load HTTP/1.1 {\"snapshot_path\":\"state\",\"mem_backend\":"
                                    + "{\"backend_type\":\"File\",\"backend_path\":\"memory\"},\"resume_vm\":true}");
        }
    }

    @Test
    void theVersionIsRead() throws Exception {
        try (var _ = FakeSocket.listen(socket, new Answer(json("200 ", "{\"firecracker_version\":\"1.12.1\"}")))) {
            assertThat(api.version(later())).isEqualTo(new FirecrackerVersion(1, 12, 1));
        }
    }

    @Test
    void aRefusalHasFirecrackersOwnWords() throws Exception {
        try (var _ = FakeSocket.listen(socket, new Answer(json("400 ", "{\"fault_message\":\"No such file\"}")))) {
            assertThatThrownBy(() -> api.send(ApiRequest.Vm.PAUSED, later()))
                    .isInstanceOfSatisfying(
                            ApiFault.class, fault -> assertThat(fault.status()).isEqualTo(400))
                    .hasMessageContaining("PATCH /vm")
                    .hasMessageContaining("No such file");
        }
    }

    @Test
    void aServerThatDoesNotAnswerEndsTheRequestAtItsDeadline() throws Exception {
        try (var _ = FakeSocket.listen(socket, new Silence())) {
            assertThatThrownBy(() -> api.send(ApiRequest.Vm.PAUSED, soon()))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("did not answer PATCH /vm");
        }
    }

    @Test
    void aServerThatDiesEndsTheRequest() throws Exception {
        try (var _ = FakeSocket.listen(socket, new HangUp())) {
            assertThatThrownBy(() -> api.send(ApiRequest.Vm.PAUSED, later()))
                    .isInstanceOf(IOException.class)
                    .isNotInstanceOf(ApiFault.class);
        }
    }

    @Test
    void anAnswerThatIsCutOffOrNoHttpOrTooLongIsNoSuccess() throws Exception {
        try (var _ = FakeSocket.listen(
                socket,
                new Answer("SSH-2.0-x\r\n"),
                new Answer("HTTP/1.1 200 \r\nContent-Length: 99999999\r\n\r\n"),
                new Answer("HTTP/1.1 200 \r\nContent-Length: -1\r\n\r\n"),
                new Answer("HTTP/1.1 204 \r\n" + "x: y\r\n".repeat(100) + "\r\n"),
                new Answer("HTTP/1.1 204 \r\nx: " + "y".repeat(9_000) + "\r\n\r\n"))) {
            for (int answer = 0; answer < 5; answer++) {
                assertThatThrownBy(() -> api.send(ApiRequest.Vm.PAUSED, later()))
                        .as("answer %d", answer)
                        .isInstanceOf(IOException.class);
            }
        }
    }

    @Test
    void aVersionThatIsNoneIsRefused() throws Exception {
        try (var _ = FakeSocket.listen(
                socket,
                new Answer(json("200 ", "{}")),
                new Answer(json("200 ", "{\"firecracker_version\":\"new\"}")))) {
            assertThatThrownBy(() -> api.version(later())).hasMessageContaining("firecracker_version");
            assertThatThrownBy(() -> api.version(later())).hasMessageContaining("'new'");
        }
    }

    @Test
    void listeningIsAwaited() throws Exception {
        var waiting = new CountDownLatch(3);
        var awaited = CompletableFuture.runAsync(() -> {
            try {
                api.awaitListening(later(), () -> {
                    waiting.countDown();
                    return true;
                });
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
        waiting.await();
        assertThat(awaited).isNotDone();

        try (var _ = FakeSocket.listen(socket)) {
            assertThat(awaited).succeedsWithin(LONG);
        }
    }

    @Test
    void listeningIsNotAwaitedFromAServerThatEnded() {
        assertThatThrownBy(() -> api.awaitListening(later(), () -> false)).hasMessageContaining("ended before");
    }

    @Test
    void listeningIsNotAwaitedForLongerThanTheDeadline() {
        assertThatThrownBy(() -> api.awaitListening(soon(), () -> true)).hasMessageContaining("in time");
    }
}

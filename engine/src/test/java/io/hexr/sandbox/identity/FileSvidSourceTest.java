package io.hexr.sandbox.identity;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
class FileSvidSourceTest {
    private static final TrustDomain DOMAIN = new TrustDomain("example.org");

    private final TestAuthority authority = new TestAuthority("example.org");

    @TempDir
    private Path directory;

    @BeforeEach
    void writeFiles() throws Exception {
        write(authority.issue("spiffe://example.org/sandbox-engine"));
        Files.writeString(
                directory.resolve("bundle.pem"),
                pem("CERTIFICATE", authority.rootCertificate().getEncoded()));
    }

    private FileSvidSource open() throws IOException {
        return FileSvidSource.open(
                directory.resolve("cert.pem"), directory.resolve("key.pem"), directory.resolve("bundle.pem"), DOMAIN);
    }

    @Test
    void whatIsInTheFilesIsWhatHolds() throws Exception {
        try (var source = open()) {
            var bundle = source.current().orElseThrow();

            assertThat(bundle.authorities().get(DOMAIN)).containsExactly(authority.rootCertificate());
            assertThat(new SvidVerifier(source, java.util.Set.of(DOMAIN))
                            .verify(bundle.svid().chain()))
                    .hasToString("spiffe://example.org/sandbox-engine");
        }
    }

    @Test
    void aChangeIsTakenWithoutBeingAskedFor() throws Exception {
        try (var source = open()) {
            var renewed = authority.issue("spiffe://example.org/sandbox-engine");
            write(renewed);

            awaitLeaf(source, renewed.leaf());
        }
    }

    @Test
    void aLinkThatIsReplacedAsInAKubernetesVolumeIsAChange() throws Exception {
        Path volume = Files.createDirectory(directory.resolve("volume"));
        link(volume, "1");
        var first = authority.issue("spiffe://example.org/sandbox-engine");
        try (var source = FileSvidSource.open(
                volume.resolve("cert.pem"), volume.resolve("key.pem"), directory.resolve("bundle.pem"), DOMAIN)) {
            assertThat(source.current().orElseThrow().svid().leaf()).isNotEqualTo(first.leaf());
            write(first);
            link(volume, "2");

            awaitLeaf(source, first.leaf());
        }
    }

    /** The files of today in a directory of their own, to which {@code ..data} points from now on. */
    private void link(Path volume, String name) throws IOException {
        Path data = Files.createDirectory(volume.resolve(name));
        for (String file : List.of("cert.pem", "key.pem")) {
            Files.copy(directory.resolve(file), data.resolve(file));
            if (!Files.exists(volume.resolve(file))) {
                Files.createSymbolicLink(volume.resolve(file), Path.of("..data", file));
            }
        }
        Path next = Files.createSymbolicLink(volume.resolve("..next"), Path.of(name));
        Files.move(next, volume.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);
    }

    @Test
    void aCertificateWithTheKeyOfAnotherIsNotTaken() throws Exception {
        try (var source = open()) {
            var before = source.current().orElseThrow().svid().leaf();
            var stranger = authority.issue("spiffe://example.org/sandbox-engine");
            Files.writeString(
                    directory.resolve("cert.pem"),
                    pem("CERTIFICATE", stranger.leaf().getEncoded()));
            var last = authority.issue("spiffe://example.org/sandbox-engine");
            assertThat(source.current().orElseThrow().svid().leaf()).isEqualTo(before);
            write(last);

            awaitLeaf(source, last.leaf());
        }
    }

    @Test
    void aKeyThatIsDamagedIsNamedAtTheStart() throws Exception {
        Files.writeString(directory.resolve("key.pem"), "-----BEGIN PRIVATE KEY-----\nA\n-----END PRIVATE KEY-----\n");

        assertThatThrownBy(this::open)
                .isInstanceOf(IOException.class)
                .hasMessageContaining(directory.resolve("key.pem").toString())
                .hasMessageContaining("base64");
    }

    @Test
    void aFileThatCannotBeUsedIsNamedAtTheStart() throws Exception {
        Files.writeString(
                directory.resolve("key.pem"), "-----BEGIN RSA PRIVATE KEY-----\nAAAA\n-----END RSA PRIVATE KEY-----\n");

        assertThatThrownBy(this::open)
                .isInstanceOf(IOException.class)
                .hasMessageContaining(directory.resolve("key.pem").toString())
                .hasMessageContaining("PKCS #8");

        Files.delete(directory.resolve("key.pem"));

        assertThatThrownBy(this::open)
                .hasMessageContaining(directory.resolve("key.pem").toString())
                .hasMessageContaining("NoSuchFile");
    }

    private static void awaitLeaf(SvidSource source, X509Certificate expected) {
        long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (System.nanoTime() < deadline) {
            if (source.current().orElseThrow().svid().leaf().equals(expected)) {
                return;
            }
            Thread.onSpinWait();
        }
        throw new AssertionError("the change was not seen");
    }

    private void write(X509Svid svid) throws Exception {
        Files.writeString(
                directory.resolve("cert.pem"), pem("CERTIFICATE", svid.leaf().getEncoded()));
        Files.writeString(
                directory.resolve("key.pem"), pem("PRIVATE KEY", svid.key().getEncoded()));
    }

    private static String pem(String label, byte[] der) {
        return "-----BEGIN %s-----\n%s\n-----END %s-----\n"
                .formatted(
                        label,
                        Base64.getMimeEncoder(64, "\n".getBytes(US_ASCII)).encodeToString(der),
                        label);
    }
}

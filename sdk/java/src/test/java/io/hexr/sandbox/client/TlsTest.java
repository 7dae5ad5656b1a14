package io.hexr.sandbox.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.bouncycastle.asn1.x509.GeneralName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class TlsTest {
    private static final GeneralName LOOPBACK = new GeneralName(GeneralName.iPAddress, "127.0.0.1");
    private static final GeneralName ENGINE =
            new GeneralName(GeneralName.uniformResourceIdentifier, "spiffe://example.org/engine");

    @TempDir
    private Path directory;

    private TestAuthority authority;
    private Path ca;
    private Path cert;
    private Path key;
    private FakeService service;

    @BeforeEach
    void open() throws Exception {
        authority = new TestAuthority();
        ca = directory.resolve("ca.pem");
        cert = directory.resolve("cert.pem");
        key = directory.resolve("key.pem");
        authority.write(ca);
        become("first");
        service = new FakeService(authority.serviceTls(authority.issueTo("service", LOOPBACK)));
    }

    @AfterEach
    void close() {
        service.close();
    }

    private TestAuthority.Issued caller(String name) throws Exception {
        return authority.issueTo(
                name, new GeneralName(GeneralName.uniformResourceIdentifier, "spiffe://example.org/" + name));
    }

    private void become(String name) throws Exception {
        var issued = caller(name);
        issued.writeCertificate(cert);
        issued.writeKey(key);
    }

    private SandboxClient.Builder client() {
        return SandboxClient.builder()
                .url(service.url())
                .caFile(ca)
                .certFile(cert)
                .keyFile(key);
    }

    private List<String> callers() {
        return service.asked().stream()
                .map(asked -> asked.peer() == null
                        ? "nobody"
                        : asked.peer().getSubjectX500Principal().getName())
                .toList();
    }

    @Test
    void aCallerShowsItsCertificate() {
        try (var client = client().build()) {
            assertThat(client.exec("x").stdout()).isEqualTo("42\n");
        }
        assertThat(callers()).containsExactly("CN=first");
    }

    @ParameterizedTest
    @ValueSource(strings = {"RSA", "Ed25519"})
    void keysOfOtherKindsAreUsedAsWell(String algorithm) throws Exception {
        var issued = authority.issueTo(
                "other",
                new GeneralName(GeneralName.uniformResourceIdentifier, "spiffe://example.org/other"),
                algorithm);
        issued.writeCertificate(cert);
        issued.writeKey(key);
        try (var client = client().build()) {
            client.exec("x");
        }
        assertThat(callers()).containsExactly("CN=other");
    }

    @Test
    void aServiceThatIsNotTrustedGetsNoCall() throws Exception {
        new TestAuthority().write(ca);
        try (var client = client().build()) {
            assertThatThrownBy(() -> client.exec("x")).isInstanceOf(UnreachableException.class);
        }
        assertThat(service.asked()).isEmpty();
    }

    @Test
    void aServiceOfAnotherNameGetsNoCall() {
        try (var client =
                client().url(service.url().replace("127.0.0.1", "localhost")).build()) {
            assertThatThrownBy(() -> client.exec("x")).isInstanceOf(UnreachableException.class);
        }
        assertThat(service.asked()).isEmpty();
    }

    @Test
    void aNewCertificateIsUsedByTheNextCall() throws Exception {
        try (var client = client().build()) {
            client.exec("x");
            become("second");
            client.exec("x");
        }
        assertThat(callers()).containsExactly("CN=first", "CN=second");
    }

    @Test
    void aCertificateWhoseKeyIsNotWrittenYetIsLeftForLater() throws Exception {
        try (var client = client().build()) {
            var second = caller("second");
            second.writeCertificate(cert);
            client.exec("x");
            Files.delete(key);
            client.exec("x");
            second.writeKey(key);
            client.exec("x");
        }
        assertThat(callers()).containsExactly("CN=first", "CN=first", "CN=second");
    }

    @Test
    void anAuthorityThatIsGoneIsTrustedNoLonger() throws Exception {
        try (var client = client().build()) {
            client.exec("x");
            new TestAuthority().write(ca);
            assertThatThrownBy(() -> client.exec("x")).isInstanceOf(UnreachableException.class);
        }
    }

    @Test
    void aKeyOfAnotherCertificateIsRefused() throws Exception {
        caller("other").writeKey(key);

        assertThatThrownBy(() -> client().build())
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("is not the key of the certificate");
    }

    @Test
    void aFileWithoutAKeyIsRefused() throws Exception {
        Files.copy(cert, key, java.nio.file.StandardCopyOption.REPLACE_EXISTING);

        assertThatThrownBy(() -> client().build())
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("BEGIN PRIVATE KEY");
    }

    @Test
    void aServiceWithTheExpectedSpiffeIdIsCalled() throws Exception {
        try (var engine = new FakeService(authority.serviceTls(authority.issueTo("engine", ENGINE)));
                var client = client().url(engine.url())
                        .serverId("spiffe://example.org/engine")
                        .build()) {
            assertThat(client.exec("x").stdout()).isEqualTo("42\n");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"spiffe://example.org/other", "spiffe://example.org/engine/", "spiffe://EXAMPLE.org/engine"})
    void aServiceWithAnotherSpiffeIdGetsNoCall(String serverId) throws Exception {
        try (var engine = new FakeService(authority.serviceTls(authority.issueTo("engine", ENGINE)));
                var client = client().url(engine.url()).serverId(serverId).build()) {
            assertThatThrownBy(() -> client.exec("x"))
                    .isInstanceOf(UnreachableException.class)
                    .hasMessageContaining("the service is [spiffe://example.org/engine], not " + serverId);
            assertThat(engine.asked()).isEmpty();
        }
    }

    @Test
    void aServiceWithoutASpiffeIdGetsNoCall() {
        try (var client = client().serverId("spiffe://example.org/engine").build()) {
            assertThatThrownBy(() -> client.exec("x"))
                    .isInstanceOf(UnreachableException.class)
                    .hasMessageContaining("without a SPIFFE ID");
        }
        assertThat(service.asked()).isEmpty();
    }

    @Test
    void anSvidOfAnotherAuthorityGetsNoCall() throws Exception {
        var other = new TestAuthority();
        try (var engine = new FakeService(other.serviceTls(other.issueTo("engine", ENGINE)));
                var client = client().url(engine.url())
                        .serverId("spiffe://example.org/engine")
                        .build()) {
            assertThatThrownBy(() -> client.exec("x")).isInstanceOf(UnreachableException.class);
            assertThat(engine.asked()).isEmpty();
        }
    }
}

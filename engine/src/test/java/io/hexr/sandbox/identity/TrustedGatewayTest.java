package io.hexr.sandbox.identity;

import static org.assertj.core.api.Assertions.assertThat;

import io.hexr.sandbox.identity.TrustedGateway.Network;
import java.net.InetAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TrustedGatewayTest {
    @Test
    void aSpiffeIdASocketAndAnAddressAreGateways() {
        assertThat(TrustedGateway.parse("spiffe://example.org/gateway"))
                .contains(new TrustedGateway.Workload(
                        SpiffeId.parse("spiffe://example.org/gateway").orElseThrow()));
        assertThat(TrustedGateway.parse("unix")).contains(new TrustedGateway.UnixSocket());
        assertThat(TrustedGateway.parse("127.0.0.1")).contains(new Network(InetAddress.ofLiteral("127.0.0.1"), 32));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "localhost",
                "10.1",
                "1.2.3.4.5",
                "10.0.0.0/33",
                "::/129",
                "10.0.0.0/-1",
                "spiffe://x",
                "unix:",
                "1.2.3.256"
            })
    void anythingElseIsNot(String text) {
        assertThat(TrustedGateway.parse(text)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.0/8,     10.255.1.2,  true",
        "10.0.0.0/8,     11.0.0.1,    false",
        "192.168.1.4/30, 192.168.1.7, true",
        "192.168.1.4/30, 192.168.1.8, false",
        "0.0.0.0/0,      8.8.8.8,     true",
        "0.0.0.0/0,      ::1,         false",
        "::1,            ::1,         true",
        "fd00::/9,       fd7f::1,     true",
        "fd00::/9,       fd80::1,     false",
        "127.0.0.1,      ::ffff:127.0.0.1, true"
    })
    void aNetworkHoldsTheAddressesOfItsPrefix(String network, String address, boolean contained) {
        var gateway = (Network) TrustedGateway.parse(network).orElseThrow();

        assertThat(gateway.contains(InetAddress.ofLiteral(address))).isEqualTo(contained);
    }
}

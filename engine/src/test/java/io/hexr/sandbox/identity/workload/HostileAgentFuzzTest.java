package io.hexr.sandbox.identity.workload;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.io.IOException;
import java.nio.ByteBuffer;

/** Any bytes on the stream of the Workload API end in a bundle or a typed failure. */
class HostileAgentFuzzTest {
    @FuzzTest(maxDuration = "60s")
    void aStreamGivesBundlesOrTypedErrors(byte[] bytes) {
        var messages = new GrpcMessages();
        try {
            messages.append(ByteBuffer.wrap(bytes));
            for (var message = messages.next(); message.isPresent(); message = messages.next()) {
                assertThat(X509SvidResponse.read(message.get()).svid().chain()).isNotEmpty();
            }
        } catch (IOException e) {
            assertThat(e).hasMessageMatching("(?s).{1,400}");
        }
    }
}

package io.hexr.sandbox.guest;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.hexr.sandbox.guest.GuestOutcome.GuestFailure;
import java.io.IOException;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a session does before its run: parking and the handshake. */
@Timeout(30)
class GuestHandshakeTest {
    @Test
    void aHandshakeEndsInAnExceptionWhenTheGuestIsGoneRefusesLiesOrHasTheWrongTime() {
        Instant now = Instant.ofEpochSecond(1_000_000_000);
        assertHandshakeFails(now, "the guest is gone");
        assertHandshakeFails(now, "HANDSHAKE: no entropy", new Message.Failure(GuestFailure.HANDSHAKE, "no entropy"));
        assertHandshakeFails(now, "Parked out of order", new Message.Parked());
        assertHandshakeFails(now, "clock", new Message.Ready(0, new byte[16]));
        assertHandshakeFails(now, "clock", new Message.Ready(Long.MAX_VALUE, new byte[16]));
    }

    @Test
    void aGuestIsParkedWhenItSaysSoAndNotBefore() throws Exception {
        SocketPair pair = SocketPair.open();
        new FrameWriter(pair.guest().out()).send(new Message.Parked());
        new GuestSession(pair.engine()).awaitParked();

        new FrameWriter(pair.guest().out()).send(new Message.Failure(GuestFailure.INTERPRETER, "no such file"));
        assertThatThrownBy(() -> new GuestSession(pair.engine()).awaitParked())
                .isInstanceOf(GuestException.class)
                .hasMessageContaining("no such file");

        pair.guest().close();
        assertThatThrownBy(() -> new GuestSession(pair.engine()).awaitParked())
                .isInstanceOf(GuestException.class)
                .hasMessageContaining("gone");
    }

    @Test
    void aParkedGuestHangsUpAndSaysNothingMore() throws Exception {
        SocketPair pair = SocketPair.open();
        new FrameWriter(pair.guest().out()).send(new Message.Parked());
        pair.guest().close();
        var session = new GuestSession(pair.engine());
        session.awaitParked();
        session.awaitHangUp();

        SocketPair talkative = SocketPair.open();
        new FrameWriter(talkative.guest().out()).send(new Message.Parked());
        new FrameWriter(talkative.guest().out()).send(new Message.Parked());
        talkative.guest().close();
        var broken = new GuestSession(talkative.engine());
        broken.awaitParked();
        assertThatThrownBy(broken::awaitHangUp)
                .isInstanceOf(GuestException.class)
                .hasMessageContaining("said more");
    }

    private void assertHandshakeFails(Instant now, String reason, Message... answers) {
        SocketPair pair = SocketPair.open();
        Thread.ofVirtual().start(() -> {
            try (GuestChannel guest = pair.guest()) {
                new FrameReader(guest.in(), FrameType.Sender.HOST).read();
                for (Message answer : answers) {
                    new FrameWriter(guest.out()).send(answer);
                }
            } catch (IOException | ProtocolViolationException e) {
                throw new AssertionError(e);
            }
        });
        assertThatThrownBy(() -> new GuestSession(pair.engine()).handshake(now, new byte[Message.ENTROPY_BYTES]))
                .isInstanceOf(GuestException.class)
                .hasMessageContaining(reason);
    }
}

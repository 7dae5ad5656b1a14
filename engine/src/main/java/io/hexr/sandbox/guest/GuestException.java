package io.hexr.sandbox.guest;

import java.io.IOException;

/** A guest that cannot be used: it never parked, or its handshake after resume failed. Its sandbox must be destroyed. */
public final class GuestException extends IOException {
    private static final long serialVersionUID = 1L;

    GuestException(String message) {
        super(message);
    }

    GuestException(String message, Throwable cause) {
        super(message, cause);
    }
}

package io.hexr.sandbox.sandbox.firecracker;

import java.io.IOException;

/** Firecracker refused a request. */
final class ApiFault extends IOException {
    private static final long serialVersionUID = 1L;

    private final int status;

    ApiFault(String request, int status, String fault) {
        super("Firecracker refused %s (%d): %s".formatted(request, status, fault));
        this.status = status;
    }

    int status() {
        return status;
    }
}

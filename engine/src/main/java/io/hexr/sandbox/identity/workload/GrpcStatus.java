package io.hexr.sandbox.identity.workload;

import org.eclipse.jetty.http.HttpFields;

/** How a call ended, as its trailers say. */
record GrpcStatus(int code, String message) {
    /** {@code PERMISSION_DENIED} of gRPC: the agent has no identity for this process. */
    private static final int PERMISSION_DENIED = 7;

    private static final int UNKNOWN = 2;

    static GrpcStatus of(HttpFields trailers) {
        String code = trailers.get("grpc-status");
        String message = trailers.get("grpc-message");
        return new GrpcStatus(
                code != null && code.matches("\\d{1,3}") ? Integer.parseInt(code) : UNKNOWN,
                message == null ? "" : message);
    }

    boolean isDenied() {
        return code == PERMISSION_DENIED;
    }

    @Override
    public String toString() {
        return isDenied() ? "PermissionDenied: " + message : "gRPC status %d: %s".formatted(code, message);
    }
}

package io.hexr.sandbox.sandbox;

/** The host, not the program, failed. The code is stable; the message is for operators and may name paths. */
public final class SandboxException extends Exception {
    private static final long serialVersionUID = 1L;

    /** Why, for metrics and for the decision whether another try can help. */
    public enum Code {
        BACKEND_UNUSABLE,
        TEMPLATE_FAILED,
        TEMPLATE_CORRUPT,
        RESUME_FAILED,
        RESUME_TIMEOUT,
        HANDSHAKE_FAILED,
        HOST_RESOURCE,
        CLOSED
    }

    private final Code code;

    public SandboxException(Code code, String message) {
        super(message);
        this.code = code;
    }

    public SandboxException(Code code, String message, Throwable cause) {
        super(message, cause);
        this.code = code;
    }

    public Code code() {
        return code;
    }
}

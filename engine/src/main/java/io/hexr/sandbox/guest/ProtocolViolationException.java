package io.hexr.sandbox.guest;

/** The other side sent something that the agent protocol does not allow. */
final class ProtocolViolationException extends Exception {
    private static final long serialVersionUID = 1L;

    private final String violation;

    ProtocolViolationException(String violation) {
        super(violation);
        this.violation = violation;
    }

    @Override
    public String getMessage() {
        return violation;
    }
}

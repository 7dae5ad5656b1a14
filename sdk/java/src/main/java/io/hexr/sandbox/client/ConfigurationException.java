package io.hexr.sandbox.client;

import org.jspecify.annotations.Nullable;

/** A setting of the client, or a variable in its place, is not valid. */
public final class ConfigurationException extends SandboxException {
    private static final long serialVersionUID = 1L;

    ConfigurationException(String message, @Nullable Throwable cause) {
        super("invalid_configuration", message, cause);
    }
}

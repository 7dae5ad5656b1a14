package io.hexr.sandbox.mcp;

import org.jspecify.annotations.Nullable;

/**
 * What is answered to one message.
 *
 * @param status of HTTP
 * @param message JSON; null when there is none, as for a notification
 */
public record McpAnswer(int status, byte @Nullable [] message) {}

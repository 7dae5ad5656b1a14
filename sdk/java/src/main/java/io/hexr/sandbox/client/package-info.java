/**
 * Runs code written by AI agents, each call in a fresh sandbox: a client of the Sandbox Engine.
 *
 * <p>{@link SandboxClient} makes calls; an {@link ExecutionRequest} says what to run, an {@link ExecutionResult} how it went. Everything that can go wrong is a {@link
 * SandboxException}.
 */
@NullMarked
package io.hexr.sandbox.client;

import org.jspecify.annotations.NullMarked;

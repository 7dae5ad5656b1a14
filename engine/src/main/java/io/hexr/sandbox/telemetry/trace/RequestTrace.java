package io.hexr.sandbox.telemetry.trace;

import io.hexr.sandbox.exec.ErrorCode;
import org.jspecify.annotations.Nullable;

/** The part of one request in a trace. Belongs to the thread of the request, which must be the one that closes it. */
public interface RequestTrace extends AutoCloseable {
    /** By which operators find the call; null when neither the caller nor the engine traces it. */
    @Nullable
    String traceId();

    /**
     * What tells the caller where its call is (W3C Trace Context Level 3, {@code traceresponse}); null when the engine makes no traces.
     */
    @Nullable
    String response();

    /** Who calls. */
    void caller(String name);

    /** It has no result. */
    void failed(ErrorCode code);

    /** What the caller is told. */
    void answered(int status);

    /** The answer is sent, or nobody takes it. */
    @Override
    void close();
}

package io.hexr.sandbox.http;

import io.hexr.sandbox.exec.EngineException;
import io.hexr.sandbox.identity.CallerIdentity;
import io.hexr.sandbox.policy.Caller;
import java.util.List;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/** One path of the API. */
interface Endpoint {
    String path();

    /** The methods it answers; HEAD wherever GET is. */
    List<String> methods();

    /** Whether everybody may ask, also who did not prove an identity. */
    default boolean isOpen() {
        return false;
    }

    /** Whether it runs code, and so is a part of its callers' traces. */
    default boolean runsCode() {
        return false;
    }

    /**
     * The answer to a caller who is not let in.
     *
     * @param identity null when it was not proven
     */
    default Answer refused(Request request, @Nullable CallerIdentity identity, EngineException why) {
        return Problem.answer(why);
    }

    /**
     * Blocks until a complete answer is there; runs on a virtual thread of its own.
     *
     * @param memory what the request's body must be counted in
     */
    Reply handle(Request request, Caller caller, BodyMemory.Reservation memory) throws EngineException;
}

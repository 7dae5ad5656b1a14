package io.hexr.sandbox.sandbox;

import io.hexr.sandbox.guest.Language;

/** A parked interpreter on disk, made and owned by one backend. */
public interface Template {
    Language language();

    int variant();

    /** Hash of everything that went into it: image, backend binary, CPU, settings. */
    String key();

    /** What the host is charged for a sandbox that was resumed from it and waits for its run. */
    long readyBytes();
}

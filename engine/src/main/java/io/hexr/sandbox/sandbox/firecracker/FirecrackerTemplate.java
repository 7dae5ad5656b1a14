package io.hexr.sandbox.sandbox.firecracker;

import io.hexr.sandbox.guest.Language;
import io.hexr.sandbox.sandbox.Template;

/** A verified snapshot on disk, which was resumed once since the engine started. */
record FirecrackerTemplate(Language language, int variant, String key, MicroVm.Snapshot snapshot, long readyBytes)
        implements Template {}

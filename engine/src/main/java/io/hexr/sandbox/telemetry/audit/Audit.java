package io.hexr.sandbox.telemetry.audit;

import java.io.IOException;

/** Where the records of calls go. Safe for use by several threads. */
public interface Audit extends AutoCloseable {
    /** Of an engine that keeps none. */
    Audit NONE = new Audit() {
        @Override
        public void requireWritable() {}

        @Override
        public void write(AuditRecord call) {}

        @Override
        public void close() {}
    };

    /** Throws when records cannot be written: then no code may run. */
    void requireWritable() throws IOException;

    /** Returns when the record is kept; a call that throws is kept for later, but not to be answered. */
    void write(AuditRecord call) throws IOException;

    @Override
    void close();
}

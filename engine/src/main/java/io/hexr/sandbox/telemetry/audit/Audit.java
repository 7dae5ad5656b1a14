package io.hexr.sandbox.telemetry.audit;

import java.io.IOException;

/** Where the records of calls go. Safe for use by several threads. */
public interface Audit extends AutoCloseable {
    /** Of an engine that keeps none. */
    Audit NONE = new Audit() {
        @Override
        public boolean keepsRecords() {
            return false;
        }

        @Override
        public void requireWritable() {}

        @Override
        public void write(AuditRecord call) {}

        @Override
        public Counts counts() {
            return Counts.NOTHING;
        }

        @Override
        public void close() {}
    };

    /**
     * What was written since the start.
     *
     * @param failures attempts to write that failed
     */
    record Counts(long records, long bytes, long failures) {
        public static final Counts NOTHING = new Counts(0, 0, 0);
    }

    /** If not, what a record costs to make can be saved. */
    default boolean keepsRecords() {
        return true;
    }

    /** Throws when records cannot be written: then no code may run. */
    void requireWritable() throws IOException;

    /** Returns when the record is kept; a call that throws is kept for later, but not to be answered. */
    void write(AuditRecord call) throws IOException;

    /** Never waits for a disk. */
    Counts counts();

    @Override
    void close();
}

package io.hexr.sandbox.sandbox;

/**
 * What one sandbox may use of the host.
 *
 * @param memoryBytes what the caller asked for; the backend adds its own overhead, so that the program really gets this much
 * @param cpus share of processors, 1.0 is one
 * @param processes processes of the program; the backend adds its own
 * @param priority against other sandboxes when processors are short
 */
public record HostLimits(long memoryBytes, double cpus, int processes, Priority priority) {
    /** Who gives way to whom; a processor that nobody else wants is for everybody. */
    public enum Priority {
        /** Somebody waits for it. */
        NORMAL(1),
        /** Prepared ahead. */
        BACKGROUND(0.2);

        private final double weight;

        Priority(double weight) {
            this.weight = weight;
        }

        /** Its share of processors that are short, against that of others. */
        public double weight() {
            return weight;
        }
    }

    /** The same with other processors. */
    public HostLimits withCpus(double other) {
        return new HostLimits(memoryBytes, other, processes, priority);
    }

    /** With normal priority. */
    public HostLimits(long memoryBytes, double cpus, int processes) {
        this(memoryBytes, cpus, processes, Priority.NORMAL);
    }
}

package io.hexr.sandbox.sandbox;

/**
 * Which backend is in force, for {@code /health} and every record.
 *
 * @param name {@code firecracker} or {@code gvisor}
 * @param isolation what separates a program from the host
 * @param version of the backend's program
 */
public record BackendInfo(String name, Isolation isolation, String version) {
    public enum Isolation {
        HARDWARE,
        USER_SPACE_KERNEL,
        /** Only in unit tests. */
        NONE
    }
}

package io.hexr.sandbox.sandbox;

/**
 * Which backend is in force, for {@code /health} and every record.
 *
 * @param name {@code firecracker} or {@code gvisor}
 * @param isolation what separates a program from the host
 * @param version of the backend's program
 * @param reason why it is this one and not another; empty until it was chosen
 */
public record BackendInfo(String name, Isolation isolation, String version, String reason) {
    public BackendInfo(String name, Isolation isolation, String version) {
        this(name, isolation, version, "");
    }

    public BackendInfo because(String why) {
        return new BackendInfo(name, isolation, version, why);
    }

    public enum Isolation {
        HARDWARE,
        USER_SPACE_KERNEL,
        /** Only in unit tests. */
        NONE
    }
}

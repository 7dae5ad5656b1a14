package io.hexr.sandbox.sandbox.gvisor;

import java.nio.file.Path;

/**
 * Where the parts of the backend are.
 *
 * @param runsc gVisor's program
 * @param launcher {@code sandbox-launch}
 * @param guestImage directory with {@code root.erofs} and {@code manifest.json}
 * @param stateDir templates and the directories of running sandboxes; one engine at a time may use it
 */
public record GvisorSettings(Path runsc, Path launcher, Path guestImage, Path stateDir) {}

package io.hexr.sandbox.guest;

import java.util.List;
import java.util.Map;

/**
 * One program to run in a guest.
 *
 * @param files what to write to {@code /workspace}, the script among them
 * @param fresh run in a fresh interpreter instead of the parked one
 * @param stdin the whole standard input, may be empty
 */
public record GuestRun(
        GuestLimits limits,
        List<String> args,
        Map<String, String> env,
        List<GuestFile> files,
        List<String> artifactGlobs,
        byte[] stdin,
        boolean fresh) {

    /** A file below {@code /workspace}; the path is relative and was checked. */
    public record GuestFile(String path, byte[] content) {}
}

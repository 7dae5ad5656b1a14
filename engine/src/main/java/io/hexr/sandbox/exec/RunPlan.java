package io.hexr.sandbox.exec;

import io.hexr.sandbox.config.EngineConfig.Sandboxes;
import io.hexr.sandbox.config.WritableSpace;
import io.hexr.sandbox.guest.GuestLimits;
import io.hexr.sandbox.guest.GuestRun;
import io.hexr.sandbox.guest.GuestRun.GuestFile;
import io.hexr.sandbox.sandbox.HostLimits;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** What a request means for the guest and for the host; pure functions. */
final class RunPlan {
    private static final long MIB = 1 << 20;

    private RunPlan() {}

    static HostLimits hostLimits(ExecutionRequest request, Sandboxes limits) {
        return new HostLimits(request.memoryMb() * MIB, limits.cpus(), limits.maxProcesses());
    }

    static GuestRun guestRun(ExecutionRequest request, Sandboxes limits) {
        List<GuestFile> files = new ArrayList<>();
        files.add(new GuestFile(request.language().scriptName(), request.code().getBytes(StandardCharsets.UTF_8)));
        request.files().forEach(file -> files.add(new GuestFile(file.path(), file.content())));
        return new GuestRun(
                guestLimits(request, limits),
                request.args(),
                request.env(),
                files,
                request.artifactGlobs(),
                request.stdin());
    }

    private static GuestLimits guestLimits(ExecutionRequest request, Sandboxes limits) {
        WritableSpace space = limits.spaceFor(request.memoryMb());
        return new GuestLimits(
                request.timeout(),
                limits.maxProcesses(),
                limits.maxOpenFiles(),
                limits.maxOutputBytes(),
                limits.maxOutputBytes(),
                space.inodes(),
                space.workspaceBytes(),
                space.tmpBytes(),
                space.shmBytes(),
                request.memoryMb() * MIB,
                request.artifactGlobs().isEmpty() ? 0 : limits.maxArtifacts(),
                limits.maxArtifactBytes());
    }
}

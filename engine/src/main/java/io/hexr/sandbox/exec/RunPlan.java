package io.hexr.sandbox.exec;

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

    static HostLimits hostLimits(ExecutionRequest request, ExecutionSettings settings) {
        return new HostLimits(request.memoryMb() * MIB, settings.cpus(), settings.processes());
    }

    static GuestRun guestRun(ExecutionRequest request, ExecutionSettings settings, boolean fresh) {
        List<GuestFile> files = new ArrayList<>();
        files.add(new GuestFile(
                request.language().scriptName(), request.code().getBytes(StandardCharsets.UTF_8)));
        request.files().forEach(file -> files.add(new GuestFile(file.path(), file.content())));
        return new GuestRun(
                guestLimits(request, settings),
                request.args(),
                request.env(),
                files,
                request.artifactGlobs(),
                request.stdin(),
                fresh);
    }

    /**
     * The writable file systems live in the sandbox's memory. Together they hold at most half of it, so that a program that fills them
     * gets ENOSPC, which it can handle, and not the OOM killer, which it cannot.
     */
    private static GuestLimits guestLimits(ExecutionRequest request, ExecutionSettings settings) {
        long memory = request.memoryMb() * MIB;
        return new GuestLimits(
                request.timeout(),
                settings.processes(),
                settings.openFiles(),
                settings.outputBytes(),
                settings.outputBytes(),
                settings.inodes(),
                Math.min(settings.workspaceBytes(), memory / 4),
                Math.min(settings.tmpBytes(), memory / 8),
                Math.min(settings.shmBytes(), memory / 8),
                memory,
                request.artifactGlobs().isEmpty() ? 0 : settings.maxArtifacts(),
                settings.artifactBytes());
    }
}

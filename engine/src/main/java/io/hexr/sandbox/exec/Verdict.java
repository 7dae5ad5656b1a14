package io.hexr.sandbox.exec;

import io.hexr.sandbox.exec.ExecutionResult.Limit;
import io.hexr.sandbox.exec.ExecutionResult.PhaseTimings;
import io.hexr.sandbox.guest.GuestOutcome;
import io.hexr.sandbox.guest.GuestOutcome.GuestFailure;
import io.hexr.sandbox.sandbox.HostUsage;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Turns the guest's word and the host's counters into the result of one run. Who killed decides the reason: the kernel for memory, the
 * deadline for time. Where both happened and the guest says so, the program had already lost a process to memory when the deadline came; both
 * are reported, and the exit code is the deadline's. A guest that says nothing may have been what memory killed: that is the reason then. A
 * sandbox that its caller or the shutdown killed has no result, whatever limits it met before.
 */
record Verdict(
        String id,
        ExecutionRequest request,
        OutputBuffer stdout,
        OutputBuffer stderr,
        HostUsage usage,
        Killer killer,
        PhaseTimings timings) {
    private static final int SIGKILL = 9;
    private static final int EXIT_TIMED_OUT = 124;
    private static final int EXIT_SIGNAL_BASE = 128;
    private static final double MIB = 1 << 20;

    /** Who ended the sandbox while the program ran. */
    enum Killer {
        NOBODY,
        CALLER,
        LAYOUT_DEADLINE,
        RUN_DEADLINE,
        SHUTDOWN
    }

    /** What the operator's log gets when the caller gets a failure. */
    interface Report {
        void write();
    }

    ExecutionResult of(GuestOutcome.Exited exited) {
        if (exited.stdoutTruncated()) {
            stdout.markTruncated();
        }
        if (exited.stderrTruncated()) {
            stderr.markTruncated();
        }
        boolean outOfMemory = exited.outOfMemory() || usage.oomKilled();
        boolean killed = exited.signaled() && exited.statusOrSignal() == SIGKILL;
        Limit limit = exited.timedOut() ? Limit.TIME : outOfMemory && killed ? Limit.MEMORY : null;
        int exitCode = exited.timedOut()
                ? EXIT_TIMED_OUT
                : exited.signaled() ? EXIT_SIGNAL_BASE + exited.statusOrSignal() : exited.statusOrSignal();
        return result(
                exitCode,
                exited.wallTime(),
                peakMemoryBytes(exited),
                exited.timedOut(),
                outOfMemory,
                exited.signaled() ? Signal.name(exited.statusOrSignal()) : null,
                limit,
                exited.artifacts(),
                exited.skippedArtifacts());
    }

    /** A guest with cgroups counts the parked interpreter too, which the program gets on top of what was asked for. */
    private long peakMemoryBytes(GuestOutcome.Exited exited) {
        return exited.peakMemoryBytes() > 0
                ? Math.min(exited.peakMemoryBytes(), (long) (request.memoryMb() * MIB))
                : usage.peakMemoryBytes();
    }

    /** The sandbox is gone without a word. If a limit explains that, it is the program's end; otherwise the host's fault. */
    ExecutionResult of(GuestOutcome.Lost lost, Report report) throws EngineException {
        if (killer == Killer.CALLER) {
            throw EngineException.cancelled("The caller went away, and its code was ended.");
        }
        if (killer == Killer.SHUTDOWN) {
            throw EngineException.draining(
                    "The engine shut down while the code ran and ended it; nothing of it is left.");
        }
        if (usage.oomKilled()) {
            return killed(EXIT_SIGNAL_BASE + SIGKILL, Limit.MEMORY);
        }
        if (killer == Killer.RUN_DEADLINE) {
            return killed(EXIT_TIMED_OUT, Limit.TIME);
        }
        if (usage.processLimitHit()) {
            return killed(EXIT_SIGNAL_BASE + SIGKILL, Limit.PROCESSES);
        }
        report.write();
        if (killer == Killer.LAYOUT_DEADLINE) {
            throw new EngineException(
                    ErrorCode.SANDBOX_FAILED,
                    "The files were not laid out in time; the code was not run. Try again, or with fewer files.");
        }
        throw new EngineException(
                ErrorCode.SANDBOX_FAILED,
                "The sandbox was lost while the code ran; whether it had effects is unknown, but nothing of it is left.");
    }

    /** The files were counted before, but the guest's file system has the last word on what it holds. */
    ExecutionResult of(GuestOutcome.Refused refused, long workspaceBytes, Report report) throws EngineException {
        if (refused.failure() == GuestFailure.WORKSPACE_FULL) {
            throw EngineException.invalid(
                    "files",
                    "The code and the files do not fit into /workspace.",
                    "in all less than %d bytes, which is the workspace of a call with this memory_mb"
                            .formatted(workspaceBytes));
        }
        if (usage.oomKilled()) {
            return killed(EXIT_SIGNAL_BASE + SIGKILL, Limit.MEMORY);
        }
        report.write();
        throw new EngineException(
                ErrorCode.SANDBOX_FAILED, "The sandbox could not start the program; the code was not run. Try again.");
    }

    private ExecutionResult killed(int exitCode, Limit limit) {
        return result(
                exitCode,
                limit == Limit.TIME ? request.timeout() : timings.run(),
                usage.peakMemoryBytes(),
                limit == Limit.TIME,
                limit == Limit.MEMORY,
                Signal.name(SIGKILL),
                limit,
                List.of(),
                List.of());
    }

    private ExecutionResult result(
            int exitCode,
            Duration wallTime,
            long peakMemoryBytes,
            boolean timedOut,
            boolean oomKilled,
            @Nullable String signal,
            @Nullable Limit limit,
            List<GuestOutcome.Artifact> artifacts,
            List<GuestOutcome.SkippedArtifact> skipped) {
        return new ExecutionResult(
                id,
                request.language(),
                stdout.text(),
                stderr.text(),
                exitCode,
                wallTime.toMillis(),
                Math.max(0.1, Math.round(peakMemoryBytes / MIB * 10) / 10.0),
                timedOut,
                oomKilled,
                signal,
                stdout.truncated(),
                stderr.truncated(),
                limit,
                artifacts.stream()
                        .map(artifact -> new ExecutionResult.Artifact(
                                artifact.path(), MediaTypes.of(artifact.path()), artifact.content()))
                        .toList(),
                skipped.stream()
                        .map(file -> new ExecutionResult.SkippedArtifact(
                                file.path(), file.reason().name().toLowerCase(Locale.ROOT)))
                        .toList(),
                timings);
    }
}

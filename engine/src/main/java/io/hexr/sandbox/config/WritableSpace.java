package io.hexr.sandbox.config;

/**
 * Sizes of the file systems a program may write to. They live in the sandbox's memory, so together they hold at most half of it: a program that
 * fills them gets ENOSPC and can go on, where running out of memory would kill it.
 *
 * @param inodes of each of the three
 */
public record WritableSpace(long workspaceBytes, long tmpBytes, long shmBytes, int inodes) {
    private static final long MIB = 1 << 20;

    /** An inode costs about a kilobyte of memory that the byte limit does not see; 64 for each MiB keeps that to a fifth in all. */
    private static final int INODES_PER_MB = 64;

    static WritableSpace of(EngineConfig.Sandboxes limits, int memoryMb) {
        return new WritableSpace(
                Math.min(limits.workspaceMb() * MIB, memoryMb * MIB / 4),
                Math.min(limits.tmpMb() * MIB, memoryMb * MIB / 8),
                Math.min(limits.shmMb() * MIB, memoryMb * MIB / 8),
                Math.min(limits.maxInodes(), memoryMb * INODES_PER_MB));
    }
}

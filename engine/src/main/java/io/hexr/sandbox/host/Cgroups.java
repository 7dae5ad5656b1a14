package io.hexr.sandbox.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * The cgroups of one engine: {@code <top>/<group>/<id>}, one for each sandbox.
 *
 * <p>They hang below the top of what this machine or container shows of its hierarchies, not below the engine's own cgroup: the place is then
 * the same for every start of the engine, however it was started, so that a new engine finds what a killed one left.
 */
public abstract sealed class Cgroups permits CgroupsV1, CgroupsV2 {
    /**
     * The cgroups of this host, made usable for this group.
     *
     * @param group names the engine instance
     * @throws IOException if memory or processes cannot be limited here; the message says what to do
     */
    public static Cgroups open(String group) throws IOException {
        return open(Files.readAllLines(Path.of("/proc/self/mountinfo")), group, new KernelCgroupFiles());
    }

    /** On hosts with both, the version that has the memory controller is the one in use. */
    static Cgroups open(List<String> mountinfo, String group, CgroupFiles files) throws IOException {
        List<Mount> mounts = Mount.parse(mountinfo);
        if (CgroupsV1.isInUse(mounts)) {
            return CgroupsV1.openV1(mounts, group, files);
        }
        return CgroupsV2.openV2(mounts, group, files);
    }

    /** A new, empty cgroup. */
    public abstract Cgroup create(String id, CgroupLimits limits) throws IOException;

    /** All cgroups of this group that exist, whoever made them. */
    public abstract List<Cgroup> existing() throws IOException;

    /** Removes the group itself; all cgroups in it must be gone. */
    public abstract void removeGroup() throws IOException;

    /** Takes back a cgroup that could not be set up. */
    static void removeAfter(IOException failure, Cgroup cgroup) {
        try {
            cgroup.delete(Duration.ZERO);
        } catch (IOException e) {
            failure.addSuppressed(e);
        }
    }
}

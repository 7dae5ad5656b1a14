package io.hexr.sandbox.host;

import java.io.IOException;

/** A cgroup with a process that a kill does not end, as one that is blocked in the host's kernel. */
public final class StubbornCgroup {
    private final FakeCgroup2 files = new FakeCgroup2("memory pids cpu", true);
    private final Cgroup cgroup;

    public StubbornCgroup() throws IOException {
        cgroup = Cgroups.open(files.mountinfo(), "engine-1", files)
                .create("stubborn", new CgroupLimits(64 << 20, 1, 200, 1));
        files.put(FakeCgroup2.TOP.resolve("engine-1/stubborn/cgroup.procs"), "4711");
        files.setKillable(false);
    }

    public Cgroup cgroup() {
        return cgroup;
    }

    /** The next kill ends it. */
    public void unblock() {
        files.setKillable(true);
    }
}

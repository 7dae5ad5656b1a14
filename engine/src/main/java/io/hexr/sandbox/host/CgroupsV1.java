package io.hexr.sandbox.host;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Version 1: every controller has a hierarchy of its own, or shares one with others. */
final class CgroupsV1 extends Cgroups {
    private static final Logger log = LoggerFactory.getLogger(CgroupsV1.class);

    enum Controller {
        MEMORY,
        PIDS,
        CPU,
        CPUACCT;

        String kernelName() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final Map<Controller, Path> groups;
    private final CgroupFiles files;

    private CgroupsV1(Map<Controller, Path> groups, CgroupFiles files) {
        this.groups = groups;
        this.files = files;
    }

    static boolean isInUse(List<Mount> mounts) {
        return hierarchy(mounts, Controller.MEMORY) != null;
    }

    static CgroupsV1 openV1(List<Mount> mounts, String group, CgroupFiles files) throws IOException {
        Map<Controller, Path> groups = new EnumMap<>(Controller.class);
        for (Controller controller : Controller.values()) {
            Path top = hierarchy(mounts, controller);
            if (top != null) {
                groups.put(controller, top.resolve(group));
            }
        }
        if (!groups.containsKey(Controller.PIDS)) {
            throw new IOException(
                    "cgroup v1 without the pids controller: the number of processes of a sandbox cannot be limited;"
                            + " mount it at /sys/fs/cgroup/pids, or boot the host with cgroup v2 (systemd.unified_cgroup_hierarchy=1)");
        }
        if (!groups.containsKey(Controller.CPU)) {
            log.warn("cgroup v1 without the cpu controller: sandboxes can use every processor of this host");
        }
        if (!groups.containsKey(Controller.CPUACCT)) {
            log.warn("cgroup v1 without the cpuacct controller: quotas of processor time count wall time");
        }
        for (Path directory : Set.copyOf(groups.values())) {
            if (!files.exists(directory)) {
                files.makeDirectory(directory);
            }
        }
        return new CgroupsV1(groups, files);
    }

    private static @Nullable Path hierarchy(List<Mount> mounts, Controller controller) {
        return mounts.stream()
                .filter(mount ->
                        mount.type().equals("cgroup") && mount.superOptions().contains(controller.kernelName()))
                .map(Mount::point)
                .findFirst()
                .orElse(null);
    }

    @Override
    public Cgroup create(String id, CgroupLimits limits) throws IOException {
        var cgroup = new CgroupV1(id, directories(id), files);
        try {
            for (Path directory : cgroup.directories()) {
                files.makeDirectory(directory);
            }
            cgroup.limit(limits);
            return cgroup;
        } catch (IOException e) {
            removeAfter(e, cgroup);
            throw e;
        }
    }

    @Override
    public List<Cgroup> existing() throws IOException {
        Set<String> ids = new LinkedHashSet<>();
        for (Path group : groups.values()) {
            ids.addAll(files.directories(group));
        }
        List<Cgroup> cgroups = new ArrayList<>();
        for (String id : ids) {
            cgroups.add(new CgroupV1(id, directories(id), files));
        }
        return cgroups;
    }

    @Override
    public void removeGroup() throws IOException {
        for (Path group : groups.values()) {
            files.removeDirectory(group);
        }
    }

    private Map<Controller, Path> directories(String id) {
        Map<Controller, Path> directories = new EnumMap<>(Controller.class);
        groups.forEach((controller, group) -> directories.put(controller, group.resolve(id)));
        return directories;
    }
}

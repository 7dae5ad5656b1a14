package io.hexr.sandbox.host;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Version 2: one hierarchy for all controllers. A controller must be enabled in {@code cgroup.subtree_control} of every cgroup above the one
 * that uses it.
 *
 * <p>The kernel refuses that (EBUSY) for a cgroup that has processes of its own, except for the host's root: the "no internal processes" rule of
 * Documentation/admin-guide/cgroup-v2.rst. In a container the top is such a cgroup, with the engine in it. Its processes are then moved
 * into a leaf of their own first, as container engines inside containers do.
 */
final class CgroupsV2 extends Cgroups {
    private static final Logger log = LoggerFactory.getLogger(CgroupsV2.class);
    private static final String LEAF = "hexr-sandbox-engine";
    private static final List<String> MANDATORY = List.of("memory", "pids");
    private static final String CPU = "cpu";

    private final Path group;
    private final boolean cpu;
    private final CgroupFiles files;

    private CgroupsV2(Path group, boolean cpu, CgroupFiles files) {
        this.group = group;
        this.cpu = cpu;
        this.files = files;
    }

    static CgroupsV2 openV2(List<Mount> mounts, String name, CgroupFiles files) throws IOException {
        Path top = mounts.stream()
                .filter(mount -> mount.type().equals("cgroup2"))
                .map(Mount::point)
                .findFirst()
                .orElseThrow(() -> new IOException(
                        "no cgroups are mounted: sandboxes cannot be limited; mount cgroup2 at /sys/fs/cgroup"));
        Set<String> available = words(files.read(top.resolve("cgroup.controllers")));
        List<String> wanted = new ArrayList<>(MANDATORY);
        if (!available.containsAll(MANDATORY)) {
            throw new IOException(
                    "cgroup v2 at %s has the controllers %s, but memory and pids are needed: enable them on the host"
                                    .formatted(top, available)
                            + " (kernel parameter cgroup_enable=memory) or delegate them to this container");
        }
        if (available.contains(CPU)) {
            wanted.add(CPU);
        } else {
            log.warn("cgroup v2 without the cpu controller: sandboxes can use every processor of this host");
        }
        enable(top, wanted, files);
        Path group = top.resolve(name);
        if (!files.exists(group)) {
            files.makeDirectory(group);
        }
        enable(group, wanted, files);
        return new CgroupsV2(group, wanted.contains(CPU), files);
    }

    private static void enable(Path cgroup, List<String> controllers, CgroupFiles files) throws IOException {
        Path control = cgroup.resolve("cgroup.subtree_control");
        List<String> missing = new ArrayList<>(controllers);
        missing.removeAll(words(files.read(control)));
        if (missing.isEmpty()) {
            return;
        }
        String request = "+" + String.join(" +", missing);
        try {
            files.write(control, request);
        } catch (IOException refused) {
            moveToLeaf(cgroup, files);
            try {
                files.write(control, request);
            } catch (IOException e) {
                e.addSuppressed(refused);
                throw new IOException(
                        "%s cannot be enabled in %s (%s): run the engine as root with a writable cgroup file system that is delegated to it"
                                .formatted(missing, control, e.getMessage()),
                        e);
            }
        }
    }

    private static void moveToLeaf(Path cgroup, CgroupFiles files) throws IOException {
        Path leaf = cgroup.resolve(LEAF);
        if (!files.exists(leaf)) {
            files.makeDirectory(leaf);
        }
        for (String pid : words(files.read(cgroup.resolve("cgroup.procs")))) {
            files.write(leaf.resolve("cgroup.procs"), pid);
        }
    }

    @Override
    public Cgroup create(String id, CgroupLimits limits) throws IOException {
        Path directory = group.resolve(id);
        var cgroup = new CgroupV2(id, directory, cpu, files);
        files.makeDirectory(directory);
        try {
            cgroup.limit(limits);
            return cgroup;
        } catch (IOException e) {
            removeAfter(e, cgroup);
            throw e;
        }
    }

    @Override
    public List<Cgroup> existing() throws IOException {
        List<Cgroup> cgroups = new ArrayList<>();
        for (String id : files.directories(group)) {
            cgroups.add(new CgroupV2(id, group.resolve(id), cpu, files));
        }
        return cgroups;
    }

    @Override
    public void removeGroup() throws IOException {
        files.removeDirectory(group);
    }

    private static Set<String> words(String text) {
        return Arrays.stream(text.split("\\s+")).filter(word -> !word.isEmpty()).collect(Collectors.toSet());
    }
}

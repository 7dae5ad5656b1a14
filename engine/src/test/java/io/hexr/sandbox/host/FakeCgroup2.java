package io.hexr.sandbox.host;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.stream.Collectors;

/** A cgroup v2 hierarchy in memory, with the kernel's rules that matter to an engine (Documentation/admin-guide/cgroup-v2.rst). */
final class FakeCgroup2 implements CgroupFiles {
    static final Path TOP = Path.of("/sys/fs/cgroup");

    private final Map<Path, String> files = new ConcurrentSkipListMap<>();
    private final Set<Path> directories = new ConcurrentSkipListSet<>();
    private final boolean topIsRoot;
    private final Set<Path> broken = new ConcurrentSkipListSet<>();
    private volatile boolean killable = true;

    /** @param topIsRoot whether the top is that of the host, or of a container's cgroup namespace */
    FakeCgroup2(String controllers, boolean topIsRoot) {
        this.topIsRoot = topIsRoot;
        directories.add(TOP);
        files.put(TOP.resolve("cgroup.controllers"), controllers);
        files.put(TOP.resolve("cgroup.subtree_control"), "");
        files.put(TOP.resolve("cgroup.procs"), "");
    }

    List<String> mountinfo() {
        return List.of("30 23 0:27 / " + TOP + " rw,nosuid - cgroup2 cgroup2 rw,nsdelegate");
    }

    /** Whether a kill ends processes; one that is blocked in the kernel it does not end. */
    void setKillable(boolean killable) {
        this.killable = killable;
    }

    /** Whether writing to a file fails. */
    void setBroken(Path file, boolean isBroken) {
        if (isBroken) {
            broken.add(file);
        } else {
            broken.remove(file);
        }
    }

    void put(Path file, String value) {
        files.put(file, value);
    }

    @Override
    public String read(Path file) throws IOException {
        String value = files.get(file);
        if (value == null) {
            throw new NoSuchFileException(file.toString());
        }
        return value + "\n";
    }

    @Override
    public void write(Path file, String value) throws IOException {
        read(file);
        if (broken.contains(file)) {
            throw new FileSystemException(file.toString(), null, "Input/output error");
        }
        switch (file.getFileName().toString()) {
            case "cgroup.subtree_control" -> enable(parent(file), value);
            case "cgroup.procs" -> move(file, value);
            case "cgroup.kill" -> {
                if (killable) {
                    files.put(file.resolveSibling("cgroup.procs"), "");
                }
            }
            default -> files.put(file, value);
        }
    }

    private void enable(Path cgroup, String request) throws IOException {
        if (!(topIsRoot && cgroup.equals(TOP))
                && !words(cgroup.resolve("cgroup.procs")).isEmpty()) {
            throw new FileSystemException(cgroup.toString(), null, "Device or resource busy");
        }
        Set<String> enabled = new TreeSet<>(words(cgroup.resolve("cgroup.subtree_control")));
        for (String word : request.split(" ", -1)) {
            if (!words(cgroup.resolve("cgroup.controllers")).contains(word.substring(1))) {
                throw new FileSystemException(cgroup.toString(), null, "No such file or directory");
            }
            enabled.add(word.substring(1));
        }
        files.put(cgroup.resolve("cgroup.subtree_control"), String.join(" ", enabled));
    }

    private void move(Path procs, String pid) {
        files.replaceAll((file, value) -> file.endsWith("cgroup.procs")
                ? Arrays.stream(value.split("\n"))
                        .filter(line -> !line.equals(pid))
                        .collect(Collectors.joining("\n"))
                : value);
        files.merge(procs, pid, (old, added) -> old.isEmpty() ? added : old + "\n" + added);
    }

    private Set<String> words(Path file) {
        return Arrays.stream(files.getOrDefault(file, "").split("\\s"))
                .filter(word -> !word.isEmpty())
                .collect(Collectors.toSet());
    }

    @Override
    public boolean exists(Path path) {
        return files.containsKey(path) || directories.contains(path);
    }

    @Override
    public void makeDirectory(Path directory) throws IOException {
        if (!directories.contains(parent(directory))) {
            throw new NoSuchFileException(directory.toString());
        }
        if (!directories.add(directory)) {
            throw new FileAlreadyExistsException(directory.toString());
        }
        Set<String> controllers = words(parent(directory).resolve("cgroup.subtree_control"));
        files.put(directory.resolve("cgroup.controllers"), String.join(" ", controllers));
        files.put(directory.resolve("cgroup.subtree_control"), "");
        files.put(directory.resolve("cgroup.procs"), "");
        files.put(directory.resolve("cgroup.kill"), "");
        files.put(directory.resolve("cpu.stat"), "usage_usec 0\nuser_usec 0\nsystem_usec 0");
        if (controllers.contains("memory")) {
            files.put(directory.resolve("memory.max"), "max");
            files.put(directory.resolve("memory.swap.max"), "max");
            files.put(directory.resolve("memory.current"), "0");
            files.put(directory.resolve("memory.peak"), "0");
            files.put(directory.resolve("memory.events"), "low 0\nhigh 0\nmax 0\noom 0\noom_kill 0\noom_group_kill 0");
        }
        if (controllers.contains("pids")) {
            files.put(directory.resolve("pids.max"), "max");
            files.put(directory.resolve("pids.events"), "max 0");
        }
        if (controllers.contains("cpu")) {
            files.put(directory.resolve("cpu.max"), "max 100000");
            files.put(directory.resolve("cpu.weight"), "100");
        }
    }

    @Override
    public void removeDirectory(Path directory) throws IOException {
        if (!words(directory.resolve("cgroup.procs")).isEmpty()
                || directories.stream().anyMatch(other -> directory.equals(other.getParent()))) {
            throw new FileSystemException(directory.toString(), null, "Device or resource busy");
        }
        directories.remove(directory);
        files.keySet().removeIf(file -> parent(file).equals(directory));
    }

    @Override
    public List<String> directories(Path directory) {
        return directories.stream()
                .filter(other -> directory.equals(other.getParent()))
                .map(other -> other.getFileName().toString())
                .toList();
    }

    private static Path parent(Path path) {
        Path parent = path.getParent();
        if (parent == null) {
            throw new AssertionError(path + " has no parent");
        }
        return parent;
    }
}

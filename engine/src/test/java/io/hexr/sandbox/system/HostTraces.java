package io.hexr.sandbox.system;

import io.hexr.sandbox.host.Sha256;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What the sandboxes of one engine leave on the host, counted from the outside: processes in its cgroups, cgroups below its own, mounts and
 * directories below its state directory. Other engines on the same host do not count.
 */
record HostTraces(Set<String> processes, Set<String> cgroups, Set<String> mounts, Set<String> directories) {
    static HostTraces of(Path stateDir) throws IOException {
        String group =
                "hexr-sandbox-" + Sha256.of(stateDir.toRealPath().toString()).substring(0, 12);
        return new HostTraces(
                findProcesses(group), findCgroups(group), findMounts(stateDir), findDirectories(stateDir));
    }

    boolean isEmpty() {
        return processes.isEmpty() && cgroups.isEmpty() && mounts.isEmpty() && directories.isEmpty();
    }

    /** Names of the sandboxes that have a directory or a cgroup. */
    Set<String> sandboxes() {
        return Stream.concat(directories.stream(), cgroups.stream())
                .map(path -> Path.of(path).getFileName().toString())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> findProcesses(String group) throws IOException {
        var found = new TreeSet<String>();
        try (Stream<Path> entries = Files.list(Path.of("/proc"))) {
            for (Path entry : entries.toList()) {
                if (read(entry.resolve("cgroup")).contains(group + "/")) {
                    found.add(entry.getFileName() + " "
                            + read(entry.resolve("cmdline")).replace('\0', ' '));
                }
            }
        }
        return found;
    }

    private static Set<String> findCgroups(String group) throws IOException {
        var found = new TreeSet<String>();
        for (String line : Files.readAllLines(Path.of("/proc/self/mountinfo"))) {
            if (line.contains(" - cgroup")) {
                String mountPoint = line.split(" ", 6)[4];
                try (Stream<Path> below = Files.walk(Path.of(mountPoint), 6)) {
                    below.filter(path ->
                                    path.getParent() != null && path.getParent().endsWith(group))
                            .filter(Files::isDirectory)
                            .map(Path::toString)
                            .forEach(found::add);
                } catch (UncheckedIOException e) {
                    // Another engine's group vanished while it was listed.
                }
            }
        }
        return found;
    }

    private static Set<String> findMounts(Path stateDir) throws IOException {
        var found = new TreeSet<String>();
        for (String line : Files.readAllLines(Path.of("/proc/self/mountinfo"))) {
            if (line.split(" ", 6)[4].startsWith(stateDir.toString())) {
                found.add(line);
            }
        }
        return found;
    }

    private static Set<String> findDirectories(Path stateDir) throws IOException {
        Path run = stateDir.resolve("run");
        if (!Files.exists(run)) {
            return Set.of();
        }
        try (Stream<Path> entries = Files.list(run)) {
            return new TreeSet<>(entries.map(Path::toString).toList());
        }
    }

    private static String read(Path path) {
        try {
            return Files.readString(path);
        } catch (IOException e) {
            return ""; // the process is gone
        }
    }
}

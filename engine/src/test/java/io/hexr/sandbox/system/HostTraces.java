package io.hexr.sandbox.system;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * What sandboxes leave on a host, counted from the outside: processes that run runsc, cgroups below an engine's own, mounts and
 * directories below its state directory. One engine at a time uses the state directory given here, so what is found is that engine's.
 */
record HostTraces(Set<String> processes, Set<String> cgroups, Set<String> mounts, Set<String> directories) {
    static HostTraces of(Path stateDir) throws IOException {
        return new HostTraces(findProcesses(stateDir), findCgroups(), findMounts(stateDir), findDirectories(stateDir));
    }

    boolean isEmpty() {
        return processes.isEmpty() && cgroups.isEmpty() && mounts.isEmpty() && directories.isEmpty();
    }

    /** Every process that names the state directory in its command line, and runsc's children, which name nothing but themselves. */
    private static Set<String> findProcesses(Path stateDir) throws IOException {
        var found = new TreeSet<String>();
        try (Stream<Path> entries = Files.list(Path.of("/proc"))) {
            for (Path entry : entries.filter(
                            path -> path.getFileName().toString().matches("\\d+"))
                    .toList()) {
                String commandLine = read(entry.resolve("cmdline")).replace('\0', ' ');
                boolean ours = commandLine.contains(stateDir.toString()) && !commandLine.contains("java");
                if (ours
                        || commandLine.startsWith("runsc-")
                        || read(entry.resolve("comm")).startsWith("exe")) {
                    found.add(entry.getFileName() + " " + commandLine);
                }
            }
        }
        return found;
    }

    /** Cgroups of sandboxes: the engine's own group holds one for each. */
    private static Set<String> findCgroups() throws IOException {
        var found = new TreeSet<String>();
        List<Path> roots = new ArrayList<>();
        for (String line : Files.readAllLines(Path.of("/proc/self/mountinfo"))) {
            if (line.contains(" - cgroup")) {
                roots.add(Path.of(line.split(" ", 6)[4]));
            }
        }
        for (Path root : roots) {
            try (Stream<Path> below = Files.find(
                    root,
                    6,
                    (path, attributes) -> attributes.isDirectory()
                            && path.getParent() != null
                            && path.getParent().getFileName() != null
                            && path.getParent().getFileName().toString().startsWith("hexr-sandbox"))) {
                below.map(Path::toString).forEach(found::add);
            } catch (UncheckedIOException e) {
                // A group vanished while it was listed.
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

package io.hexr.sandbox.sandbox;

import io.hexr.sandbox.host.Sha256;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Everything on this host that belongs to sandboxes of one state directory. */
public record HostTraces(Path stateDir, String group) {
    /** Of an engine on this state directory. */
    public static HostTraces of(Path stateDir) throws IOException {
        Path real = stateDir.toRealPath();
        return new HostTraces(real, "hexr-sandbox-" + Sha256.of(real.toString()).substring(0, 12));
    }

    public Set<String> all() throws IOException {
        Set<String> traces = new TreeSet<>();
        addDirectories(traces);
        addCgroups(traces);
        addProcesses(traces);
        addMounts(traces);
        return traces;
    }

    private void addDirectories(Set<String> traces) throws IOException {
        Path run = stateDir.resolve("run");
        Path jails = run.resolve("firecracker");
        Stream.concat(list(run).stream(), list(jails).stream())
                .filter(directory -> !directory.equals(jails))
                .forEach(directory -> traces.add("directory " + directory));
    }

    /** Below each hierarchy of v1, or below the only one of v2. */
    private void addCgroups(Set<String> traces) throws IOException {
        Path top = Path.of("/sys/fs/cgroup");
        Set<Path> hierarchies = new TreeSet<>(list(top));
        hierarchies.add(top);
        for (Path hierarchy : hierarchies) {
            list(hierarchy.resolve(group)).stream()
                    .filter(Files::isDirectory)
                    .forEach(directory -> traces.add("cgroup " + directory));
        }
    }

    private static List<Path> list(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(directory)) {
            return entries.toList();
        }
    }

    private void addProcesses(Set<String> traces) {
        ProcessHandle.allProcesses().forEach(process -> {
            String cgroups = read(Path.of("/proc", Long.toString(process.pid()), "cgroup"));
            String command = read(Path.of("/proc", Long.toString(process.pid()), "cmdline"));
            if (cgroups.contains(group) || command.contains(stateDir + "/run")) {
                traces.add("process " + process.pid() + " " + command.replace('\0', ' '));
            }
        });
    }

    private void addMounts(Set<String> traces) throws IOException {
        Files.readAllLines(Path.of("/proc/self/mountinfo")).stream()
                .filter(line -> line.contains(stateDir.toString()))
                .forEach(line -> traces.add("mount " + line));
    }

    /** Empty for a process that is gone by now. */
    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return "";
        }
    }
}

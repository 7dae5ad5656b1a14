package io.hexr.sandbox.sandbox.gvisor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Everything on this host that belongs to sandboxes of one state directory. */
record HostTraces(Path stateDir, String group) {
    Set<String> all() throws IOException {
        Set<String> traces = new TreeSet<>();
        addDirectories(traces);
        addCgroups(traces);
        addProcesses(traces);
        addMounts(traces);
        return traces;
    }

    private void addDirectories(Set<String> traces) throws IOException {
        Path run = stateDir.resolve("run");
        if (Files.exists(run)) {
            try (Stream<Path> files = Files.walk(run)) {
                files.filter(file -> !file.equals(run)).forEach(file -> traces.add("file " + file));
            }
        }
    }

    private void addCgroups(Set<String> traces) throws IOException {
        try (Stream<Path> directories = Files.find(
                Path.of("/sys/fs/cgroup"),
                4,
                (path, attributes) ->
                        attributes.isDirectory() && path.toString().contains("/" + group + "/"))) {
            directories.forEach(directory -> traces.add("cgroup " + directory));
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

package io.hexr.sandbox.sandbox.process;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Command lines of {@code sandbox-launch}, which does between fork and exec what Java cannot: join cgroups, pass a socket, leave mounts.
 *
 * <p>What makes a sandbox is supervised. It has children, and may end before they do: as the jailer always does, and {@code runsc} when it is
 * killed. The launcher then lasts as long as they and takes in their exit statuses, so that the engine has a child to watch and no zombie stays
 * where process 1 takes in none: that may be the engine itself, in a container.
 */
public record LaunchCommand(Path launcher, Collection<Path> cgroups, Path stderr) {
    public List<String> program(List<String> program) {
        return command(List.of(), program);
    }

    /** Supervised; the program gets a connection to this listening socket as its standard input and output. */
    public List<String> supervisedOn(Path socket, List<String> program) {
        return command(List.of("--supervise", "--socket", socket.toString()), program);
    }

    /**
     * Supervised; the program has no network: neither the host's interfaces nor its abstract unix sockets. It has no huge pages, which would be
     * most of what an idle machine holds.
     */
    public List<String> supervised(List<String> program) {
        return command(List.of("--supervise", "--private-network", "--small-pages"), program);
    }

    private List<String> command(List<String> options, List<String> program) {
        List<String> command = new ArrayList<>(List.of(launcher.toString(), "--stderr", stderr.toString()));
        for (Path cgroup : cgroups) {
            command.addAll(List.of("--cgroup", cgroup.toString()));
        }
        command.addAll(options);
        command.addAll(List.of("--private-mounts", "--"));
        command.addAll(program);
        return List.copyOf(command);
    }
}

package io.hexr.sandbox.sandbox.gvisor;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Command lines of {@code runsc}.
 *
 * @param root where runsc keeps the state and the control socket of one sandbox
 * @param log errors of runsc itself
 */
record RunscCommand(Path runsc, Path root, Path log) {
    /** What makes a checkpoint fit only the same: part of every template's key. */
    static final List<String> FLAGS = List.of(
            "--platform=systrap",
            "--network=none",
            // The engine makes the cgroup, so that also the start of runsc is limited and nothing is left to runsc's
            // own cleaning up.
            "--ignore-cgroups",
            // The root is an EROFS image that the kernel of the sandbox reads itself: no writable layer, no files
            // through the gofer, and
            // the sentry gets a seccomp filter that does not allow opening host files.
            "--overlay2=none",
            "--directfs=false",
            "--host-uds=none",
            "--host-fifo=none");

    static List<String> version(Path runsc) {
        return List.of(runsc.toString(), "--version");
    }

    List<String> run(String id, Path bundle) {
        return command("run", "-bundle", bundle.toString(), id);
    }

    /** Uncompressed, so that restoring is reading. */
    List<String> checkpoint(String id, Path image) {
        return command("checkpoint", "-image-path", image.toString(), "-compression", "none", id);
    }

    List<String> restore(String id, Path bundle, Path image) {
        return command("restore", "-bundle", bundle.toString(), "-image-path", image.toString(), id);
    }

    private List<String> command(String... subcommand) {
        List<String> command = new ArrayList<>();
        command.add(runsc.toString());
        command.add("--root=" + root);
        command.add("--log=" + log);
        command.addAll(FLAGS);
        command.addAll(List.of(subcommand));
        return List.copyOf(command);
    }
}

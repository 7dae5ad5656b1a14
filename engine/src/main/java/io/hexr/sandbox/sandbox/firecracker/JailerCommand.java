package io.hexr.sandbox.sandbox.firecracker;

import java.nio.file.Path;
import java.util.List;

/**
 * Command lines of {@code jailer}, see its docs/jailer.md. There is no {@code --cgroup}: the process is in its cgroup already, see
 * docs/adr/0005.
 *
 * @param firecracker copied into the jail by the jailer; its name is that of the directory of all jails
 * @param base where that directory is
 */
record JailerCommand(Path jailer, Path firecracker, Path base) {
    /** Drives, sockets, timers and events of one machine are about 30, a connection to its guest one more. */
    private static final int MAX_OPEN_FILES = 128;

    /**
     * Starts a machine monitor. It says what it is asked to do and why a machine ended, some ten lines in all. That log and what the guest writes to its serial port go to the standard output that it is given: a log in the
     * jail could be swapped for a link or a pipe by whoever broke into the monitor.
     *
     * @param maxFileBytes largest file that it may write, the log too; when it writes more it ends by SIGXFSZ
     */
    List<String> command(String id, int uid, long maxFileBytes) {
        return List.of(
                jailer.toString(),
                "--id",
                id,
                "--exec-file",
                firecracker.toString(),
                "--uid",
                Integer.toString(uid),
                "--gid",
                Integer.toString(uid),
                "--chroot-base-dir",
                base.toString(),
                "--new-pid-ns",
                "--resource-limit",
                "fsize=" + maxFileBytes,
                "--resource-limit",
                "no-file=" + MAX_OPEN_FILES,
                "--",
                "--api-sock",
                "/" + Jail.API_SOCKET,
                "--level",
                "Info");
    }
}

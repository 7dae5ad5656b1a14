package io.hexr.sandbox.sandbox.firecracker;

import io.hexr.sandbox.host.UnixListener;
import io.hexr.sandbox.sandbox.process.SandboxProcesses;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The root directory of one monitor: the jailer makes it its {@code /}. What the monitor needs is put here first; the names are part of every
 * snapshot, so they are relative and never change.
 *
 * <p>Files of others are hard links: they are there for the price of a name, stay alive as long as the machine does when a template is replaced
 * meanwhile, and are readable by all and writable by root only.
 */
record Jail(Path root, int uid) {
    static final String API_SOCKET = "a";
    static final String VMLINUX = "vmlinux";
    static final String INITRAMFS = "initramfs";
    static final String DRIVE = "root.erofs";
    static final String STATE = "state";
    static final String MEMORY = "memory";
    static final String VSOCK = "v.sock";

    /** Where Firecracker passes on what a guest sends to this port of the host (docs/vsock.md of Firecracker). */
    private static final String PARKED_SOCKET = VSOCK + "_51";

    /** Makes the directory. */
    static Jail create(Path directory, int uid) throws IOException {
        return new Jail(Files.createDirectory(directory.resolve("root")), uid);
    }

    /** Checks that the longest socket of a jail fits. */
    static void requireShort(Path jails) throws IOException {
        UnixListener.requireShort(
                jails.resolve(SandboxProcesses.LONGEST_ID).resolve("root").resolve(PARKED_SOCKET));
    }

    Path apiSocket() {
        return root.resolve(API_SOCKET);
    }

    Path vsock() {
        return root.resolve(VSOCK);
    }

    Path file(String name) {
        return root.resolve(name);
    }

    void put(Path file, String name) throws IOException {
        SharedFiles.place(file, root.resolve(name));
    }

    /** Listens for the guest's word that it is parked. */
    UnixListener listenForParked() throws IOException {
        UnixListener listener = UnixListener.bind(root.resolve(PARKED_SOCKET));
        try {
            Files.setAttribute(listener.path(), "unix:uid", uid); // connecting takes the right to write
            return listener;
        } catch (IOException e) {
            listener.close();
            throw e;
        }
    }
}

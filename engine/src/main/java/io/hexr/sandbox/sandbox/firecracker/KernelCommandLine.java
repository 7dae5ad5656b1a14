package io.hexr.sandbox.sandbox.firecracker;

import io.hexr.sandbox.guest.Language;

/** What the guest's kernel is told when a template is booted. */
final class KernelCommandLine {
    /**
     * A reboot or a panic ends the machine at once ({@code reboot=k panic=1}). Nothing is probed that Firecracker does not have (i8042). The
     * serial port is for last words, a panic's and the agent's: whatever a guest writes there costs an exit a byte. The first seed may come
     * from the processor, because a machine that waits for entropy would not park; every resume gets the host's.
     */
    private static final String FIXED = "console=ttyS0 reboot=k panic=1 8250.nr_uarts=1"
            + " i8042.noaux i8042.nomux i8042.nopnp i8042.dumbkbd random.trust_cpu=on quiet loglevel=1";

    private KernelCommandLine() {}

    /** A word the kernel does not know reaches the agent as a variable of its environment; the last of two equal ones counts. */
    static String of(Language language, String further) {
        return (FIXED + " hexr_language=" + language.id() + " " + further).strip();
    }
}

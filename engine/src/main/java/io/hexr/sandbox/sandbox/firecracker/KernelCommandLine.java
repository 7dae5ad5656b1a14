package io.hexr.sandbox.sandbox.firecracker;

import io.hexr.sandbox.guest.Language;

/** What the guest's kernel is told when a template is booted. */
final class KernelCommandLine {
    /**
     * A reboot or a panic ends the machine at once ({@code reboot=k panic=1}). Nothing is probed that Firecracker does not have (i8042). The
     * serial port is for last words, a panic's and the agent's: whatever a guest writes there costs an exit a byte. The first seed may come
     * from the processor, because a machine that waits for entropy would not park; every resume gets the host's. No asynchronous page
     * faults ({@code no-kvmapf}): a page of the memory file that has to be read first is announced to the guest twice, as missing and as
     * there, and after a restore the two may not meet: tasks hang, or the kernel oopses (FC#3020, FC#5322). Without them the processor waits.
     */
    private static final String FIXED = "console=ttyS0 reboot=k panic=1 8250.nr_uarts=1"
            + " i8042.noaux i8042.nomux i8042.nopnp i8042.dumbkbd random.trust_cpu=on no-kvmapf quiet loglevel=1";

    private KernelCommandLine() {}

    /** A word the kernel does not know reaches the agent as a variable of its environment; the last of two equal ones counts. */
    static String of(Language language, String further) {
        return (FIXED + " hexr_language=" + language.id() + " " + further).strip();
    }
}

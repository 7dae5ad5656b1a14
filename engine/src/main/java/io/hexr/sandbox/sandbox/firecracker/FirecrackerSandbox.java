package io.hexr.sandbox.sandbox.firecracker;

import io.hexr.sandbox.guest.GuestChannel;
import io.hexr.sandbox.host.CgroupUsage;
import io.hexr.sandbox.sandbox.HostLimits;
import io.hexr.sandbox.sandbox.HostUsage;
import io.hexr.sandbox.sandbox.Sandbox;
import io.hexr.sandbox.sandbox.SandboxException;
import java.util.concurrent.CompletableFuture;

/** A resumed machine as its user sees it. */
record FirecrackerSandbox(MicroVm machine, GuestChannel channel, MachineSize size) implements Sandbox {
    @Override
    public String id() {
        return machine.id();
    }

    @Override
    public void limit(HostLimits limits) throws SandboxException {
        machine.limit(size.cgroupLimits(limits));
    }

    @Override
    public CompletableFuture<?> onExit() {
        return machine.onExit();
    }

    @Override
    public void kill() {
        machine.kill();
    }

    /** The guest reports the program's peak and whether it ran out of memory; that the host ran out around the machine shows here. */
    @Override
    public HostUsage usage() {
        CgroupUsage usage = machine.usage();
        return new HostUsage(0, usage.oomKills() > 0, false, usage.cpuTime());
    }

    @Override
    public String log() {
        return machine.log();
    }

    @Override
    public void close() {
        machine.close();
    }
}

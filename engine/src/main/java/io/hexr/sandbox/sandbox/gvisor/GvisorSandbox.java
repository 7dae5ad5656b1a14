package io.hexr.sandbox.sandbox.gvisor;

import io.hexr.sandbox.guest.GuestChannel;
import io.hexr.sandbox.sandbox.HostLimits;
import io.hexr.sandbox.sandbox.HostUsage;
import io.hexr.sandbox.sandbox.Sandbox;

/** A restored container as its user sees it. */
record GvisorSandbox(Container container, GuestChannel channel, HostLimits limits, SandboxOverhead overhead)
        implements Sandbox {
    @Override
    public String id() {
        return container.id();
    }

    @Override
    public void kill() {
        container.kill();
    }

    @Override
    public HostUsage usage() {
        return overhead.hostUsage(container.usage(), limits);
    }

    @Override
    public String log() {
        return container.log();
    }

    @Override
    public void close() {
        container.close();
    }
}

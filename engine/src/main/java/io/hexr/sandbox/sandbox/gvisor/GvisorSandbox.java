package io.hexr.sandbox.sandbox.gvisor;

import io.hexr.sandbox.guest.GuestChannel;
import io.hexr.sandbox.sandbox.HostLimits;
import io.hexr.sandbox.sandbox.HostUsage;
import io.hexr.sandbox.sandbox.Sandbox;
import io.hexr.sandbox.sandbox.SandboxException;
import java.util.concurrent.CompletableFuture;

/** A restored container as its user sees it. */
final class GvisorSandbox implements Sandbox {
    private final Container container;
    private final GuestChannel channel;
    private final SandboxOverhead overhead;
    private volatile HostLimits limits;

    GvisorSandbox(Container container, GuestChannel channel, SandboxOverhead overhead, HostLimits limits) {
        this.container = container;
        this.channel = channel;
        this.overhead = overhead;
        this.limits = limits;
    }

    @Override
    public String id() {
        return container.id();
    }

    @Override
    public GuestChannel channel() {
        return channel;
    }

    @Override
    public void limit(HostLimits changed) throws SandboxException {
        container.limit(overhead.cgroupLimits(changed));
        limits = changed;
    }

    @Override
    public CompletableFuture<?> onExit() {
        return container.onExit();
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

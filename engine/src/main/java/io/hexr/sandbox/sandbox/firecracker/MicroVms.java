package io.hexr.sandbox.sandbox.firecracker;

import io.hexr.sandbox.host.CgroupLimits;
import io.hexr.sandbox.sandbox.SandboxException;
import io.hexr.sandbox.sandbox.SandboxException.Code;
import io.hexr.sandbox.sandbox.process.SandboxProcess;
import io.hexr.sandbox.sandbox.process.SandboxProcesses;
import java.io.IOException;

/** Makes machines without a process: a cgroup, a user id and a jail each. */
final class MicroVms {
    private final SandboxProcesses processes;
    private final UidRange uids;
    private final JailerCommand jailer;
    private final MachineSize size;

    MicroVms(SandboxProcesses processes, UidRange uids, JailerCommand jailer, MachineSize size) {
        this.processes = processes;
        this.uids = uids;
        this.jailer = jailer;
        this.size = size;
    }

    MachineSize size() {
        return size;
    }

    MicroVm create(CgroupLimits limits) throws SandboxException {
        int uid = uids.take();
        try {
            return create(limits, uid);
        } catch (Throwable e) {
            uids.giveBack(uid);
            throw e;
        }
    }

    private MicroVm create(CgroupLimits limits, int uid) throws SandboxException {
        SandboxProcess process = processes.create(limits);
        try {
            return new MicroVm(process, Jail.create(process.directory(), uid), jailer, size, () -> uids.giveBack(uid));
        } catch (IOException e) {
            process.close();
            throw new SandboxException(Code.HOST_RESOURCE, "no room for a jail: " + e, e);
        }
    }
}

package io.hexr.sandbox.sandbox.firecracker;

import tools.jackson.databind.PropertyNamingStrategies.SnakeCaseStrategy;
import tools.jackson.databind.annotation.JsonNaming;

/** What the engine asks of Firecracker's API, as its {@code swagger/firecracker.yaml} describes it. Only fields that 1.12 knows. */
sealed interface ApiRequest {
    default String method() {
        return "PUT";
    }

    String path();

    @JsonNaming(SnakeCaseStrategy.class)
    record BootSource(String kernelImagePath, String initrdPath, String bootArgs) implements ApiRequest {
        @Override
        public String path() {
            return "/boot-source";
        }
    }

    @JsonNaming(SnakeCaseStrategy.class)
    record MachineConfig(int vcpuCount, int memSizeMib) implements ApiRequest {
        @Override
        public String path() {
            return "/machine-config";
        }
    }

    @JsonNaming(SnakeCaseStrategy.class)
    record Drive(String driveId, String pathOnHost, boolean isRootDevice, boolean isReadOnly) implements ApiRequest {
        @Override
        public String path() {
            return "/drives/" + driveId;
        }
    }

    @JsonNaming(SnakeCaseStrategy.class)
    record Vsock(int guestCid, String udsPath) implements ApiRequest {
        @Override
        public String path() {
            return "/vsock";
        }
    }

    @JsonNaming(SnakeCaseStrategy.class)
    record Action(String actionType) implements ApiRequest {
        static final Action INSTANCE_START = new Action("InstanceStart");

        @Override
        public String path() {
            return "/actions";
        }
    }

    record Vm(String state) implements ApiRequest {
        static final Vm PAUSED = new Vm("Paused");

        @Override
        public String method() {
            return "PATCH";
        }

        @Override
        public String path() {
            return "/vm";
        }
    }

    @JsonNaming(SnakeCaseStrategy.class)
    record SnapshotCreate(String snapshotType, String snapshotPath, String memFilePath) implements ApiRequest {
        @Override
        public String path() {
            return "/snapshot/create";
        }
    }

    @JsonNaming(SnakeCaseStrategy.class)
    record SnapshotLoad(String snapshotPath, MemoryBackend memBackend, boolean resumeVm) implements ApiRequest {
        @JsonNaming(SnakeCaseStrategy.class)
        record MemoryBackend(String backendType, String backendPath) {}

        @Override
        public String path() {
            return "/snapshot/load";
        }
    }
}

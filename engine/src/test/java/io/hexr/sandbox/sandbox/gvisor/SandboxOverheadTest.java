package io.hexr.sandbox.sandbox.gvisor;

import static org.assertj.core.api.Assertions.assertThat;

import io.hexr.sandbox.host.CgroupUsage;
import io.hexr.sandbox.sandbox.HostLimits;
import io.hexr.sandbox.sandbox.HostUsage;
import org.junit.jupiter.api.Test;

class SandboxOverheadTest {
    private static final long MIB = 1 << 20;
    private static final HostLimits LIMITS = new HostLimits(256 * MIB, 1.0, 64);

    private final SandboxOverhead overhead = new SandboxOverhead(20 * MIB, 70 * MIB, 2);

    @Test
    void theProgramGetsWhatWasAskedForOnTopOfAReadySandbox() {
        assertThat(overhead.cgroupLimits(LIMITS).memoryBytes()).isEqualTo(326 * MIB);
        assertThat(overhead.cgroupLimits(LIMITS).cpus()).isEqualTo(1.0);
        assertThat(overhead.cgroupLimits(LIMITS).tasks()).isGreaterThan(2 * 64 + 60);
    }

    @Test
    void aSandboxInTheBackgroundGivesWay() {
        var background = new HostLimits(256 * MIB, 1.0, 64, HostLimits.Priority.BACKGROUND);
        assertThat(overhead.cgroupLimits(background).weight())
                .isLessThan(overhead.cgroupLimits(LIMITS).weight() / 2);
    }

    @Test
    void thePeakIsThatOfTheProgramAndItsInterpreter() {
        assertThat(peak(120 * MIB)).isEqualTo(100 * MIB);
    }

    @Test
    void thePeakIsNeverAboveWhatWasAskedForNorNothing() {
        assertThat(peak(326 * MIB)).isEqualTo(256 * MIB);
        assertThat(peak(19 * MIB)).isEqualTo(100 * 1024);
    }

    @Test
    void aPeakThatTheKernelDoesNotKeepIsNotKnown() {
        assertThat(peak(0)).isZero();
    }

    @Test
    void countsBecomeReasons() {
        assertThat(overhead.hostUsage(new CgroupUsage(0, 30 * MIB, 1, 0, null), LIMITS))
                .returns(true, HostUsage::oomKilled)
                .returns(false, HostUsage::processLimitHit);
        assertThat(overhead.hostUsage(new CgroupUsage(0, 30 * MIB, 0, 3, null), LIMITS))
                .returns(false, HostUsage::oomKilled)
                .returns(true, HostUsage::processLimitHit);
    }

    private long peak(long cgroupPeak) {
        return overhead.hostUsage(new CgroupUsage(0, cgroupPeak, 0, 0, null), LIMITS)
                .peakMemoryBytes();
    }
}

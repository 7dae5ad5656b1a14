package io.hexr.sandbox.telemetry.jfr;

import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import org.jspecify.annotations.Nullable;

@Name("hexr.Execution")
@Label("Execution")
@Description("A call, from its checked request to its result")
final class ExecutionEvent extends PhaseEvent {
    @Label("Outcome")
    @Description("ok, or the code of the error")
    @Nullable
    String outcome;

    @Label("Exit Code")
    @Description("Of the program; -1 when there is no result")
    int exitCode = -1;

    @Label("Limit")
    @Description("Which limit ended the run, if one did")
    @Nullable
    String limit;

    @Label("Peak Memory")
    @DataAmount
    long peakMemory;
}

package io.hexr.sandbox.telemetry.jfr;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** What the phases of a call have in common. One costs next to nothing while nobody records. */
@Category({"Hexr", "Execution"})
@StackTrace(false)
abstract class PhaseEvent extends Event {
    @Label("Execution")
    @Description("Id of the execution, as in answers, logs and audit records")
    @Nullable
    String execution;

    @Label("Language")
    @Nullable
    String language;

    final void write(String id, String ofLanguage) {
        execution = id;
        language = ofLanguage;
        commit();
    }
}

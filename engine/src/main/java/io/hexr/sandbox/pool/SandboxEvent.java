package io.hexr.sandbox.pool;

import io.hexr.sandbox.sandbox.Template;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** What happens on the way to a handshaken sandbox, for JDK Flight Recorder. One costs next to nothing while nobody records. */
@Category({"Hexr", "Pool"})
@StackTrace(false)
abstract class SandboxEvent extends Event {
    @Label("Language")
    final String language;

    @Label("Variant")
    @Description("Which of the language's templates")
    final int variant;

    @Label("Sandbox")
    @Description("Id of the sandbox; none if this failed")
    @Nullable
    String sandbox;

    SandboxEvent(Template template) {
        this.language = template.language().id();
        this.variant = template.variant();
        begin();
    }

    @Name("hexr.Resume")
    @Label("Resume")
    @Description("From the decision to resume to the connected channel")
    static final class Resume extends SandboxEvent {
        Resume(Template template) {
            super(template);
        }
    }

    @Name("hexr.Handshake")
    @Label("Handshake")
    @Description("Clock and entropy, until the guest was ready")
    static final class Handshake extends SandboxEvent {
        Handshake(Template template) {
            super(template);
        }
    }

    @Name("hexr.Refill")
    @Label("Refill")
    @Description("A sandbox was made ready before anybody asked for it; resume and handshake are parts of it")
    static final class Refill extends SandboxEvent {
        Refill(Template template) {
            super(template);
        }
    }
}

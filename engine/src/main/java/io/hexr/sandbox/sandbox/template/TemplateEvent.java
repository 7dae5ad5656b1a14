package io.hexr.sandbox.sandbox.template;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A template that was made, for JDK Flight Recorder; those that were found are not told of. */
@Name("hexr.Template")
@Label("Template")
@Description("A template was made, or failed")
@Category({"Hexr", "Pool"})
@StackTrace(false)
final class TemplateEvent extends Event {
    @Label("Language")
    final String language;

    @Label("Variant")
    final int variant;

    @Label("Made")
    boolean made;

    TemplateEvent(String language, int variant) {
        this.language = language;
        this.variant = variant;
        begin();
    }
}

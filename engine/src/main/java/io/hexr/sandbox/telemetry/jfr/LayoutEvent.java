package io.hexr.sandbox.telemetry.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;

@Name("hexr.Layout")
@Label("Layout")
@Description("The guest was given its limits and files")
final class LayoutEvent extends PhaseEvent {}

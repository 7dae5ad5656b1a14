package io.hexr.sandbox.telemetry.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;

@Name("hexr.Run")
@Label("Run")
@Description("A program ran")
final class RunEvent extends PhaseEvent {}

package io.hexr.sandbox.telemetry.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;

@Name("hexr.Destroy")
@Label("Destroy")
@Description("A sandbox was removed after its run, at most a part of it before the answer")
final class DestroyEvent extends PhaseEvent {}

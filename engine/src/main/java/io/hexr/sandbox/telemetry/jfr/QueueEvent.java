package io.hexr.sandbox.telemetry.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;

@Name("hexr.Queue")
@Label("Queue")
@Description("A call waited until it had a place")
final class QueueEvent extends PhaseEvent {}

package io.hexr.sandbox.telemetry.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;

@Name("hexr.Pool")
@Label("Pool")
@Description("A call got a sandbox: one that waited, or one resumed for it")
final class PoolEvent extends PhaseEvent {}

@NullMarked
package io.hexr.sandbox.telemetry.trace;

import org.jspecify.annotations.NullMarked;

@NullMarked
package io.hexr.sandbox.telemetry.jfr;

import org.jspecify.annotations.NullMarked;

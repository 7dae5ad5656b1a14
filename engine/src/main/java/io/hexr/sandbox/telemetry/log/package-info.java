@NullMarked
package io.hexr.sandbox.telemetry.log;

import org.jspecify.annotations.NullMarked;

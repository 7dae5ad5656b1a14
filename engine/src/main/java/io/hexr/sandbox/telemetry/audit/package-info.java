@NullMarked
package io.hexr.sandbox.telemetry.audit;

import org.jspecify.annotations.NullMarked;

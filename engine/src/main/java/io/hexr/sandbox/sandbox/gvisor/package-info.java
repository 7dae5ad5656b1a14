@NullMarked
package io.hexr.sandbox.sandbox.gvisor;

import org.jspecify.annotations.NullMarked;

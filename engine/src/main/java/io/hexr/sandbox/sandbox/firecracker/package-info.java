@NullMarked
package io.hexr.sandbox.sandbox.firecracker;

import org.jspecify.annotations.NullMarked;

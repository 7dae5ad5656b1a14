@NullMarked
package io.hexr.sandbox.pool;

import org.jspecify.annotations.NullMarked;

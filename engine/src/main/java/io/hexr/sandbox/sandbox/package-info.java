@NullMarked
package io.hexr.sandbox.sandbox;

import org.jspecify.annotations.NullMarked;

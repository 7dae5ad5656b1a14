@NullMarked
package io.hexr.sandbox;

import org.jspecify.annotations.NullMarked;

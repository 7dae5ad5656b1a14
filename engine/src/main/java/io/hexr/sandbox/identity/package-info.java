@NullMarked
package io.hexr.sandbox.identity;

import org.jspecify.annotations.NullMarked;

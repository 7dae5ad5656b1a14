@NullMarked
package io.hexr.sandbox.guest;

import org.jspecify.annotations.NullMarked;

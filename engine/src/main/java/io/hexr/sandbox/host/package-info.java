@NullMarked
package io.hexr.sandbox.host;

import org.jspecify.annotations.NullMarked;

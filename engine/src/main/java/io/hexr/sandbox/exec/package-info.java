@NullMarked
package io.hexr.sandbox.exec;

import org.jspecify.annotations.NullMarked;

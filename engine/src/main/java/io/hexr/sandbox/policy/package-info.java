@NullMarked
package io.hexr.sandbox.policy;

import org.jspecify.annotations.NullMarked;

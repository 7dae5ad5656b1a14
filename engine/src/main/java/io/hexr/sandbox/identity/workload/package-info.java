@NullMarked
package io.hexr.sandbox.identity.workload;

import org.jspecify.annotations.NullMarked;

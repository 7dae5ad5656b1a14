/** What all backends have in common on the host: processes in cgroups, directories, and the state directory that holds them. */
@NullMarked
package io.hexr.sandbox.sandbox.process;

import org.jspecify.annotations.NullMarked;

/** Templates on disk, whatever backend made them. */
@NullMarked
package io.hexr.sandbox.sandbox.template;

import org.jspecify.annotations.NullMarked;

/** JSON from callers, read without mercy: what is malformed, doubled or of another type is refused with its place, never repaired. */
@NullMarked
package io.hexr.sandbox.json;

import org.jspecify.annotations.NullMarked;

@NullMarked
package io.hexr.sandbox.http;

import org.jspecify.annotations.NullMarked;

@NullMarked
package io.hexr.sandbox.config;

import org.jspecify.annotations.NullMarked;

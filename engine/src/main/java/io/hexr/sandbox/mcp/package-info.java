/**
 * The Model Context Protocol over Streamable HTTP, without HTTP: message and headers in, status and message out. Knows no connection and keeps
 * nothing from one request to the next.
 */
@NullMarked
package io.hexr.sandbox.mcp;

import org.jspecify.annotations.NullMarked;

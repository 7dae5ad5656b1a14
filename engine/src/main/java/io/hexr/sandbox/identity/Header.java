package io.hexr.sandbox.identity;

/** One header field as it arrived. */
public record Header(String name, String value) {}

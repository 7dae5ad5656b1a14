package io.hexr.sandbox.client;

/** An event as it comes over the wire; its data is the JSON of one line. */
record ServerSentEvent(String name, String data) {}

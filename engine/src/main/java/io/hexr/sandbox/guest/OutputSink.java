package io.hexr.sandbox.guest;

/** Receives the program's output as it arrives, already capped by the guest and checked against the caps by the session. */
public interface OutputSink {
    void stdout(byte[] bytes);

    void stderr(byte[] bytes);
}

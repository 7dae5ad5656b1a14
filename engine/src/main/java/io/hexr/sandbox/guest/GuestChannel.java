package io.hexr.sandbox.guest;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/**
 * The byte stream between the engine and one guest agent. Blocking; safe to block on from a virtual thread. Reading and
 * writing at the same time from two threads is safe. Closing it, or the death of the guest, ends a blocked read or write (end of stream or
 * {@link IOException}); that is how deadlines and cancellation reach a blocked session.
 */
public interface GuestChannel extends Closeable {
    InputStream in();

    OutputStream out();

    @Override
    void close() throws IOException;
}

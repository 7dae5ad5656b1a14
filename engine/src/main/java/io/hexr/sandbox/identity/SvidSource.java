package io.hexr.sandbox.identity;

import java.util.Optional;

/** Where the engine's own certificate and its trust come from; both change while it runs. Safe for use by several threads. */
public interface SvidSource extends AutoCloseable {
    /** What holds now; empty when the engine has, or has any more, no identity: then nobody can be let in. */
    Optional<SvidBundle> current();

    @Override
    void close();

    /** Of an engine that asks for no certificates and shows none. */
    static SvidSource none() {
        return new SvidSource() {
            @Override
            public Optional<SvidBundle> current() {
                return Optional.empty();
            }

            @Override
            public void close() {}
        };
    }
}

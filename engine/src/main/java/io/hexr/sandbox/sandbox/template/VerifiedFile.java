package io.hexr.sandbox.sandbox.template;

import io.hexr.sandbox.host.Sha256;
import java.io.IOException;
import java.nio.file.Path;

/** A file that should be what a manifest says: hashed once, before something lasting is made from it. */
public final class VerifiedFile {
    private final Path path;
    private final String sha256;
    private boolean verified;

    public VerifiedFile(Path path, String sha256) throws IOException {
        this.path = path.toRealPath();
        this.sha256 = sha256;
    }

    /** Without symbolic links. */
    public Path path() {
        return path;
    }

    public String sha256() {
        return sha256;
    }

    public synchronized void verify() throws IOException {
        if (verified) {
            return;
        }
        if (!Sha256.of(path).equals(sha256)) {
            throw new IOException(path + " is not what its manifest says: delete it and build it anew");
        }
        verified = true;
    }
}

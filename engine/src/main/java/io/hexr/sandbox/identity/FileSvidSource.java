package io.hexr.sandbox.identity;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Certificate, key and trust bundle from files that something else renews: cert-manager, spiffe-helper, Vault.
 *
 * <p>Open → closed. After every change all files are read again; when they do not belong together, as
 * between the replacement of two of them, or cannot be read, what was read before stays and the log says so. The next change tries again.
 */
public final class FileSvidSource implements SvidSource {
    private static final Logger log = LoggerFactory.getLogger(FileSvidSource.class);
    private static final long MAX_BYTES = 1 << 20;

    private final Path certificateFile;
    private final Path keyFile;
    private final Path bundleFile;
    private final TrustDomain trustDomain;
    private final FileChanges changes;
    private volatile SvidBundle current;

    private FileSvidSource(Path certificateFile, Path keyFile, Path bundleFile, TrustDomain trustDomain)
            throws IOException {
        this.certificateFile = certificateFile;
        this.keyFile = keyFile;
        this.bundleFile = bundleFile;
        this.trustDomain = trustDomain;
        // Watched before they are read, so that no change falls in between.
        this.changes = FileChanges.watch(List.of(certificateFile, keyFile, bundleFile));
        try {
            this.current = read();
        } catch (IOException e) {
            changes.close();
            throw e;
        }
    }

    /**
     * Reads the files and goes on watching them.
     *
     * @param trustDomain whose authorities the bundle file holds
     */
    public static FileSvidSource open(Path certificateFile, Path keyFile, Path bundleFile, TrustDomain trustDomain)
            throws IOException {
        var source = new FileSvidSource(certificateFile, keyFile, bundleFile, trustDomain);
        source.changes.follow("svid-files", source::reread);
        return source;
    }

    private SvidBundle read() throws IOException {
        var chain = parse(certificateFile, Pem::certificates);
        var key = parse(keyFile, bytes -> Pem.privateKey(bytes, chain.getFirst()));
        var authorities = parse(bundleFile, Pem::certificates);
        return new SvidBundle(new X509Svid(chain, key), Map.of(trustDomain, Set.copyOf(authorities)));
    }

    private interface Parser<T> {
        T parse(byte[] bytes) throws GeneralSecurityException;
    }

    private static <T> T parse(Path file, Parser<T> parser) throws IOException {
        try {
            if (Files.size(file) > MAX_BYTES) {
                throw new IOException("%s has more than %d bytes".formatted(file, MAX_BYTES));
            }
            return parser.parse(Files.readAllBytes(file));
        } catch (GeneralSecurityException e) {
            throw new IOException("%s: %s".formatted(file, e.getMessage()), e);
        } catch (FileSystemException e) {
            // Its message alone is the path.
            throw new IOException("cannot be read: " + e, e);
        }
    }

    private void reread() {
        try {
            var read = read();
            if (!read.equals(current)) {
                current = read;
                log.info(
                        "certificate renewed from {}, valid until {}",
                        certificateFile,
                        read.svid().leaf().getNotAfter().toInstant());
            }
        } catch (IOException e) {
            log.warn("TLS files changed and are not taken, the former ones stay: {}", e.getMessage());
        }
    }

    @Override
    public Optional<SvidBundle> current() {
        return Optional.of(current);
    }

    @Override
    public void close() {
        changes.close();
    }
}

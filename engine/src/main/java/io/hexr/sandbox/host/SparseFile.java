package io.hexr.sandbox.host;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.util.HexFormat;

/** A file that is mostly zeros, such as the memory of a machine: zeros are neither stored nor hashed. */
public final class SparseFile {
    private static final int BUFFER_BYTES = 1 << 20;
    private static final int BLOCK_BYTES = 4_096;
    private static final ByteBuffer ZEROS =
            ByteBuffer.allocateDirect(BUFFER_BYTES).asReadOnlyBuffer();

    private SparseFile() {}

    /** Takes a block that has something else than zeros in it, and where in the file it is. */
    private interface Block {
        void take(ByteBuffer bytes, long position) throws IOException;
    }

    /** Copies a file to one that does not exist, with a hole for every block of zeros. */
    public static void copy(Path from, Path to) throws IOException {
        try (var out = FileChannel.open(to, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            long length = forEachBlock(from, (bytes, position) -> write(out, bytes, position));
            if (out.size() < length) {
                out.write(ByteBuffer.allocate(1), length - 1); // a hole at the end needs something behind it
            }
        }
    }

    private static void write(FileChannel out, ByteBuffer bytes, long position) throws IOException {
        for (long at = position; bytes.hasRemaining(); ) {
            at += out.write(bytes, at);
        }
    }

    /** SHA-256 of the length and of every block that is not zero with its position, in hexadecimal: of two different files never the same. */
    public static String sha256(Path file) throws IOException {
        MessageDigest digest = Sha256.digest();
        long length = forEachBlock(file, (bytes, position) -> {
            digest.update(longBytes(position));
            digest.update(bytes);
        });
        digest.update(longBytes(length));
        return HexFormat.of().formatHex(digest.digest());
    }

    private static ByteBuffer longBytes(long value) {
        return ByteBuffer.allocate(Long.BYTES).putLong(value).flip();
    }

    private static long forEachBlock(Path file, Block block) throws IOException {
        try (var in = FileChannel.open(file, StandardOpenOption.READ)) {
            ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
            long position = 0;
            while (fill(buffer.clear(), in)) {
                buffer.flip();
                if (!isZero(buffer)) { // most are, and asking for many blocks at once is much quicker
                    takeBlocks(buffer, position, block);
                }
                position += buffer.limit();
            }
            return position;
        }
    }

    private static void takeBlocks(ByteBuffer buffer, long position, Block block) throws IOException {
        for (int start = 0; start < buffer.limit(); start += BLOCK_BYTES) {
            ByteBuffer bytes = buffer.slice(start, Math.min(BLOCK_BYTES, buffer.limit() - start));
            if (!isZero(bytes)) {
                block.take(bytes, position + start);
            }
        }
    }

    private static boolean isZero(ByteBuffer bytes) {
        return bytes.mismatch(ZEROS.slice(0, bytes.limit())) < 0;
    }

    /** Fills the buffer as far as the file goes, so that blocks begin at multiples of their size. */
    private static boolean fill(ByteBuffer buffer, FileChannel in) throws IOException {
        while (buffer.hasRemaining() && in.read(buffer) >= 0) {
            // Once more.
        }
        return buffer.position() > 0;
    }
}

package io.hexr.sandbox.telemetry.audit;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The audit log: lines are appended, never changed, each chained to the one before it ({@link AuditLine}).
 *
 * <p>States: <b>writing</b> → <b>owing</b> (records that could not be written are kept) → writing again, once they are in the file →
 * <b>closed</b>. While it owes, {@link #requireWritable} refuses calls before their code runs, so what is owed are the calls that ran when the disk
 * filled, no more than there are connections, and of their code no more than bodies may be in memory at once. What a failed write left of a line is cut off again.
 *
 * <p>A line is in the file before its call is answered, so an engine that is killed loses none. It is on the disk within a second, and before
 * the file is rotated or closed, so a host that loses power loses the last second. A full file is renamed to its name and the number of its first
 * line; the chain goes on in the next. Files are never removed here: that is for whoever archives them.
 */
public final class AuditLog implements Audit {
    private static final Logger log = LoggerFactory.getLogger(AuditLog.class);
    private static final long SYNC_SECONDS = 1;

    private final Path file;
    private final long maxBytes;
    private final boolean withCode;
    private final String backend;
    private final String isolation;
    private final Thread syncer;
    private final Deque<Owed> owed = new ArrayDeque<>();
    private final LongAdder records = new LongAdder();
    private final LongAdder written = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private RandomAccessFile out;
    private long end;
    private long firstSequence;
    private long sequence;
    private String previous;
    private boolean dirty;
    private boolean closed;

    private record Owed(Instant time, AuditRecord call) {}

    private AuditLog(Path file, long maxBytes, boolean withCode, String backend, String isolation) throws IOException {
        this.file = file;
        this.maxBytes = maxBytes;
        this.withCode = withCode;
        this.backend = backend;
        this.isolation = isolation;
        this.out = open(file);
        try {
            var tail = AuditTail.read(file);
            out.setLength(tail.end());
            out.seek(tail.end());
            this.end = tail.end();
            this.firstSequence = tail.firstSequence();
            this.sequence = tail.sequence();
            this.previous = tail.hash();
        } catch (IOException e) {
            out.close();
            throw e;
        }
        this.syncer = Thread.ofPlatform().daemon().name("audit-sync").start(this::syncUntilInterrupted);
    }

    /**
     * Goes on with the chain in the file, or begins one.
     *
     * @param withCode whether records have the code of their calls
     * @param backend what runs the programs, and with which isolation; part of every record
     * @throws IOException if the file cannot be written or its last line is not intact
     */
    public static AuditLog open(Path file, long maxBytes, boolean withCode, String backend, String isolation)
            throws IOException {
        try {
            return new AuditLog(file, maxBytes, withCode, backend, isolation);
        } catch (FileSystemException e) {
            // Its message alone is the path.
            throw new IOException("AUDIT_FILE cannot be opened: " + e, e);
        }
    }

    /** Not a FileChannel: that one is closed when a thread is interrupted while it writes. */
    private static RandomAccessFile open(Path file) throws IOException {
        if (!Files.exists(file)) {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-r-----")));
        }
        return new RandomAccessFile(file.toFile(), "rw");
    }

    @Override
    public synchronized void requireWritable() throws IOException {
        payOwed();
    }

    @Override
    public synchronized void write(AuditRecord call) throws IOException {
        owed.addLast(new Owed(Instant.now(), withCode ? call : call.withoutCode()));
        payOwed();
    }

    private void payOwed() throws IOException {
        for (Owed next = owed.peekFirst(); next != null; next = owed.peekFirst()) {
            append(AuditLine.of(sequence + 1, previous, next.time, backend, isolation, next.call));
            owed.removeFirst();
        }
    }

    private void append(AuditLine line) throws IOException {
        byte[] bytes = (line.text() + "\n").getBytes(UTF_8);
        try {
            if (end > 0 && end + bytes.length > maxBytes) {
                rotate();
            }
            out.write(bytes);
        } catch (IOException e) {
            failures.increment();
            log.error("audit log {} cannot be written, calls are refused: {}", file, e.toString());
            cutBack();
            throw e;
        }
        if (end == 0) {
            firstSequence = line.sequence();
        }
        end += bytes.length;
        sequence = line.sequence();
        previous = line.hash();
        dirty = true;
        records.increment();
        written.add(bytes.length);
    }

    /** What a failed write left of a line. */
    private void cutBack() {
        try {
            out.setLength(end);
            out.seek(end);
        } catch (IOException e) {
            log.error("audit log {} cannot be cut back to its last whole line: {}", file, e.toString());
        }
    }

    private void rotate() throws IOException {
        out.getFD().sync();
        Path full = file.resolveSibling("%s.%018d".formatted(file.getFileName(), firstSequence));
        if (Files.exists(full)) {
            throw new IOException(full + " is there already");
        }
        Files.move(file, full);
        try {
            var next = open(file);
            out.close();
            out = next;
            end = 0;
        } catch (IOException e) {
            Files.move(full, file);
            throw e;
        }
    }

    /** On a thread of its own: a disk that takes its time must not hold up those who write, nor anybody's deadline. */
    private void syncUntilInterrupted() {
        try {
            while (true) {
                TimeUnit.SECONDS.sleep(SYNC_SECONDS);
                sync();
            }
        } catch (InterruptedException e) {
            log.debug("audit log {} is closed", file);
        }
    }

    private void sync() {
        RandomAccessFile unsynced;
        synchronized (this) {
            if (!dirty) {
                return;
            }
            dirty = false;
            unsynced = out;
        }
        try {
            unsynced.getFD().sync();
        } catch (IOException e) {
            synchronized (this) {
                // One that was rotated or closed meanwhile was synced for that.
                if (!closed && unsynced.equals(out)) {
                    log.error("audit log {} is not on the disk: {}", file, e.toString());
                }
            }
        }
    }

    @Override
    public Counts counts() {
        return new Counts(records.sum(), written.sum(), failures.sum());
    }

    @Override
    public void close() {
        syncer.interrupt();
        synchronized (this) {
            closed = true;
            try {
                out.getFD().sync();
                out.close();
            } catch (IOException e) {
                log.error("audit log {}: {}", file, e.toString());
            }
        }
    }
}

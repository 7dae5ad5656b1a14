#include "frame.h"

#include "bytes.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/* The frames of most calls. Not the whole buffer: the kernel of gVisor prepares for a read all memory that it may fill. */
#define READ_AHEAD_BYTES 4096

static uint32_t declared_length(const struct frame_reader *reader) {
    return get_u32(reader->buffer + reader->start + 1);
}

static size_t have(const struct frame_reader *reader) {
    return reader->end - reader->start;
}

enum frame_status frame_status(const struct frame_reader *reader) {
    if (have(reader) < FRAME_HEADER_BYTES)
        return FRAME_INCOMPLETE;
    if (declared_length(reader) > FRAME_PAYLOAD_MAX)
        return FRAME_OVERSIZED;
    return have(reader) < FRAME_HEADER_BYTES + declared_length(reader) ? FRAME_INCOMPLETE : FRAME_COMPLETE;
}

/* A frame that is read in parts begins where the buffer does, in which the largest has room. */
static void move_to_front(struct frame_reader *reader) {
    memmove(reader->buffer, reader->buffer + reader->start, have(reader));
    reader->end -= reader->start;
    reader->start = 0;
}

uint8_t *frame_space(struct frame_reader *reader, size_t *wanted) {
    *wanted = 0;
    if (frame_status(reader) == FRAME_INCOMPLETE) {
        move_to_front(reader);
        size_t frame = FRAME_HEADER_BYTES;
        if (reader->end >= FRAME_HEADER_BYTES)
            frame += declared_length(reader);
        *wanted = (frame > READ_AHEAD_BYTES ? frame : READ_AHEAD_BYTES) - reader->end;
    }
    return reader->buffer + reader->end;
}

enum frame_status frame_advance(struct frame_reader *reader, size_t count) {
    reader->end += count;
    return frame_status(reader);
}

struct frame frame_current(const struct frame_reader *reader) {
    const uint8_t *header = reader->buffer + reader->start;
    return (struct frame){header[0], declared_length(reader), header + FRAME_HEADER_BYTES};
}

void frame_done(struct frame_reader *reader) {
    reader->start += FRAME_HEADER_BYTES + declared_length(reader);
}

void frame_drop(struct frame_reader *reader) {
    reader->start = reader->end = 0;
}

enum frame_status frame_read_some(struct frame_reader *reader, int fd) {
    size_t wanted;
    uint8_t *space = frame_space(reader, &wanted);
    if (wanted == 0)
        return frame_advance(reader, 0);
    ssize_t got = read(fd, space, wanted);
    if (got < 0)
        return errno == EINTR || errno == EAGAIN ? FRAME_INCOMPLETE : FRAME_READ_ERROR;
    if (got == 0)
        return FRAME_END_OF_STREAM;
    return frame_advance(reader, (size_t)got);
}

/*
 * The descriptor may be non-blocking although nobody here asked for it: under gVisor the sentry makes the host's end so, and
 * of two descriptors of one socket the second is then taken for a non-blocking one.
 */
static void await_writable(int fd) {
    poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, -1);
}

bool frame_write(int fd, enum frame_type type, const void *first, size_t first_length, const void *second,
                 size_t second_length) {
    uint8_t header[FRAME_HEADER_BYTES] = {(uint8_t)type};
    put_u32(header + 1, (uint32_t)(first_length + second_length));
    struct iovec parts[] = {
        {header, sizeof header},
        {(void *)first, first_length},
        {(void *)second, second_length},
    };
    struct iovec *part = parts;
    int left = 3;
    while (left > 0) {
        ssize_t written = writev(fd, part, left);
        if (written < 0 && errno == EAGAIN)
            await_writable(fd);
        if (written < 0 && errno != EAGAIN && errno != EINTR)
            return false;
        if (written < 0)
            continue;
        while (left > 0 && (size_t)written >= part->iov_len) {
            written -= (ssize_t)part->iov_len;
            part++;
            left--;
        }
        if (left > 0) {
            part->iov_base = (uint8_t *)part->iov_base + written;
            part->iov_len -= (size_t)written;
        }
    }
    return true;
}

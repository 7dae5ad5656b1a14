#include "frame.h"

#include "bytes.h"

#include <errno.h>
#include <poll.h>
#include <sys/uio.h>
#include <unistd.h>

static uint32_t declared_length(const struct frame_reader *reader) {
    return get_u32(reader->buffer + 1);
}

uint8_t *frame_space(struct frame_reader *reader, size_t *wanted) {
    if (reader->have < FRAME_HEADER_BYTES)
        *wanted = FRAME_HEADER_BYTES - reader->have;
    else if (declared_length(reader) > FRAME_PAYLOAD_MAX)
        *wanted = 0;
    else
        *wanted = FRAME_HEADER_BYTES + declared_length(reader) - reader->have;
    return reader->buffer + reader->have;
}

enum frame_status frame_advance(struct frame_reader *reader, size_t count) {
    reader->have += count;
    if (reader->have < FRAME_HEADER_BYTES)
        return FRAME_INCOMPLETE;
    if (declared_length(reader) > FRAME_PAYLOAD_MAX)
        return FRAME_OVERSIZED;
    return reader->have == FRAME_HEADER_BYTES + declared_length(reader) ? FRAME_COMPLETE : FRAME_INCOMPLETE;
}

struct frame frame_current(const struct frame_reader *reader) {
    return (struct frame){reader->buffer[0], declared_length(reader), reader->buffer + FRAME_HEADER_BYTES};
}

void frame_done(struct frame_reader *reader) {
    reader->have = 0;
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

/*
 * Frames: u8 type, u32 length, payload.
 *
 * The reader holds one frame and never reads past it. While its frame has not been taken, nothing more is read from the
 * host: that is the back-pressure of STDIN, without a second buffer.
 */
#ifndef AGENT_FRAME_H
#define AGENT_FRAME_H

#include "protocol.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct frame {
    uint8_t type;
    uint32_t length;
    const uint8_t *payload;
};

struct frame_reader {
    size_t have;
    uint8_t buffer[FRAME_HEADER_BYTES + FRAME_PAYLOAD_MAX];
};

enum frame_status {
    FRAME_INCOMPLETE,
    FRAME_COMPLETE,
    FRAME_OVERSIZED,
    FRAME_END_OF_STREAM,
    FRAME_READ_ERROR, /* errno says why */
};

/* Where the next bytes of the current frame belong, and how many are wanted at most (0: it is complete or oversized). */
uint8_t *frame_space(struct frame_reader *reader, size_t *wanted);
enum frame_status frame_advance(struct frame_reader *reader, size_t count);

/* The current frame, valid until frame_done. Only after FRAME_COMPLETE. */
struct frame frame_current(const struct frame_reader *reader);
void frame_done(struct frame_reader *reader);

/* One read(2), none if the frame is complete already; FRAME_INCOMPLETE also if it was interrupted. */
enum frame_status frame_read_some(struct frame_reader *reader, int fd);

/* Writes all of a frame whose payload is given in two parts (either may be empty). False with errno: the peer is gone. */
bool frame_write(int fd, enum frame_type type, const void *first, size_t first_length, const void *second,
                 size_t second_length);

#endif

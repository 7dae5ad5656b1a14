/*
 * Frames: u8 type, u32 length, payload.
 *
 * The reader takes what is there, so that the small frames of a call come with one read: each system call is a switch
 * between two processes and back under gVisor. It hands out one frame after the other. While a frame has not been taken,
 * nothing more is read from the host: that is the back-pressure of STDIN, without a second buffer.
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

/* Zeros are a reader that has read nothing. */
struct frame_reader {
    size_t start; /* of the current frame */
    size_t end;   /* of what was read */
    uint8_t buffer[FRAME_HEADER_BYTES + FRAME_PAYLOAD_MAX];
};

enum frame_status {
    FRAME_INCOMPLETE,
    FRAME_COMPLETE,
    FRAME_OVERSIZED,
    FRAME_END_OF_STREAM,
    FRAME_READ_ERROR, /* errno says why */
};

/* Whether the current frame has been read: FRAME_COMPLETE, FRAME_OVERSIZED or FRAME_INCOMPLETE. */
enum frame_status frame_status(const struct frame_reader *reader);

/* Where the next bytes belong, and how many are wanted at most (0: the current frame is complete or oversized). */
uint8_t *frame_space(struct frame_reader *reader, size_t *wanted);
enum frame_status frame_advance(struct frame_reader *reader, size_t count);

/* The current frame, valid until frame_done. Only after FRAME_COMPLETE. */
struct frame frame_current(const struct frame_reader *reader);
void frame_done(struct frame_reader *reader);

/* Forgets all that was read, also of frames to come: another stream begins. */
void frame_drop(struct frame_reader *reader);

/* One read(2), none if the frame is complete already; FRAME_INCOMPLETE also if it was interrupted. */
enum frame_status frame_read_some(struct frame_reader *reader, int fd);

/* Writes all of a frame whose payload is given in two parts (either may be empty). False with errno: the peer is gone. */
bool frame_write(int fd, enum frame_type type, const void *first, size_t first_length, const void *second,
                 size_t second_length);

#endif

/*
 * While the program runs: one poll(2) loop between the host, the program's pipes, init and the clock.
 *
 * Output goes to the host as it comes, up to each stream's cap; what is beyond is read, counted and dropped, so that
 * the program runs on. STDIN goes to the program as it takes it; the frame reader holds the frame that is under
 * way. A program that closed or ignores its stdin blocks nothing: what it did not take is dropped or stays in the
 * reader. A host that hangs up ends the agent.
 *
 * A process that outlives the program, and holds one of its streams, may be the rest of a pipeline that is about to write what
 * the program said (`exec > >(tee log)`), or a server that says nothing any more. Which, nobody can know: it gets a moment.
 */
#ifndef AGENT_PUMP_H
#define AGENT_PUMP_H

#include "frame.h"
#include "program.h"
#include "request.h"

struct stream {
    int fd; /* -1: at its end */
    enum frame_type type;
    uint64_t cap;
    uint64_t bytes; /* read from the program so far */
};

struct pump {
    struct frame_reader *reader;
    struct request *request;
    struct program *program;
    struct stream out;
    struct stream err;
    bool stdin_held;     /* the reader's current frame is a STDIN frame that is not yet taken */
    size_t stdin_offset; /* how much of it is */
};

enum pump_end { PUMP_EXITED, PUMP_OUTLIVED, PUMP_TIMED_OUT, PUMP_INIT_DIED };

void pump_begin(struct pump *pump, struct frame_reader *reader, struct request *request, struct program *program);

/* Until the program ends (the report is filled in), and the moment of those that outlive it; or until the deadline. */
enum pump_end pump_run(struct pump *pump, uint64_t deadline, struct init_report *report);

/* After the program was killed: sends what is left in its pipes. */
void pump_drain(struct pump *pump);

static inline bool stream_truncated(const struct stream *stream) {
    return stream->bytes > stream->cap;
}

#endif

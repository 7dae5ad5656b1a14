#include "pump.h"

#include "channel.h"
#include "clock.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

/* No writer is left then, so that the end of stream is there already; the limit guards against a kernel's fault. */
#define DRAIN_MS 2000
/* Many times what a shell's last filter needs to start and write, little to who waits for the answer. */
#define OUTLIVED_MS 500

static void end_stdin(struct pump *pump) {
    if (pump->program->stdin_pipe >= 0)
        close(pump->program->stdin_pipe);
    pump->program->stdin_pipe = -1;
}

void pump_begin(struct pump *pump, struct frame_reader *reader, struct request *request, struct program *program) {
    *pump = (struct pump){
        .reader = reader,
        .request = request,
        .program = program,
        .out = {program->stdout_pipe, FRAME_STDOUT, request->limits.stdout_cap, 0},
        .err = {program->stderr_pipe, FRAME_STDERR, request->limits.stderr_cap, 0},
    };
}

/* One read, one frame at most. */
static void pump_stream(struct stream *stream) {
    static uint8_t chunk[OUTPUT_CHUNK_MAX];
    ssize_t got = read(stream->fd, chunk, sizeof chunk);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0) {
        stream->fd = -1; /* closed with the program */
        return;
    }
    uint64_t room = stream->bytes < stream->cap ? stream->cap - stream->bytes : 0;
    stream->bytes += (uint64_t)got;
    size_t kept = (uint64_t)got < room ? (size_t)got : (size_t)room;
    if (kept > 0)
        channel_send(stream->type, chunk, kept, NULL, 0);
}

static void pump_stdin(struct pump *pump) {
    struct frame frame = frame_current(pump->reader);
    while (pump->program->stdin_pipe >= 0 && pump->stdin_offset < frame.length) {
        ssize_t put =
            write(pump->program->stdin_pipe, frame.payload + pump->stdin_offset, frame.length - pump->stdin_offset);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0 && errno == EAGAIN)
            return;
        if (put < 0)
            end_stdin(pump); /* EPIPE: nobody reads any more */
        else
            pump->stdin_offset += (size_t)put;
    }
    pump->stdin_held = false;
    frame_done(pump->reader);
}

static void pump_frame(struct pump *pump) {
    struct frame frame = frame_current(pump->reader);
    switch (request_accept(pump->request, &frame)) {
    case ACTION_STDIN:
        pump->stdin_held = true;
        pump->stdin_offset = 0;
        pump_stdin(pump);
        return;
    case ACTION_STDIN_END:
        end_stdin(pump);
        frame_done(pump->reader);
        return;
    default:
        channel_fail(FAILURE_PROTOCOL, "%s", pump->request->violation);
    }
}

/* What has been read: the first of it maybe with START. */
static void pump_frames(struct pump *pump) {
    while (!pump->stdin_held && frame_status(pump->reader) == FRAME_COMPLETE)
        pump_frame(pump);
    if (frame_status(pump->reader) == FRAME_OVERSIZED)
        channel_fail(FAILURE_PROTOCOL, "a frame is too large");
}

static void pump_host(struct pump *pump) {
    enum frame_status status = frame_read_some(pump->reader, HOST_IN);
    if (status == FRAME_END_OF_STREAM || status == FRAME_READ_ERROR)
        die("the host is gone");
    pump_frames(pump);
}

enum { HOST, INIT, OUT, ERR, STDIN, POLLED };

enum pump_end pump_run(struct pump *pump, uint64_t deadline, struct init_report *report) {
    pump_frames(pump);
    bool outlived = false;
    for (;;) {
        if (outlived && pump->out.fd < 0 && pump->err.fd < 0)
            return PUMP_OUTLIVED;
        struct pollfd fds[POLLED] = {
            [HOST] = {HOST_IN, pump->stdin_held ? POLLRDHUP : POLLIN | POLLRDHUP, 0},
            [INIT] = {pump->program->report, POLLIN, 0},
            [OUT] = {pump->out.fd, POLLIN, 0},
            [ERR] = {pump->err.fd, POLLIN, 0},
            [STDIN] = {pump->stdin_held ? pump->program->stdin_pipe : -1, POLLOUT, 0},
        };
        int left_ms = remaining_ms(deadline);
        if (poll(fds, POLLED, left_ms) < 0 && errno != EINTR)
            die("poll");
        if (fds[INIT].revents) {
            if (!program_take_report(pump->program, report) || report->kind == INIT_RELEASED)
                return PUMP_INIT_DIED;
            if (report->kind != INIT_OUTLIVED)
                return PUMP_EXITED;
            outlived = true;
            uint64_t moment = monotonic_ns() + OUTLIVED_MS * NS_PER_MS;
            deadline = moment < deadline ? moment : deadline;
            continue;
        }
        if (left_ms == 0)
            return outlived ? PUMP_OUTLIVED : PUMP_TIMED_OUT;
        if (fds[OUT].revents)
            pump_stream(&pump->out);
        if (fds[ERR].revents)
            pump_stream(&pump->err);
        if (fds[STDIN].revents) {
            pump_stdin(pump);
            pump_frames(pump);
        }
        if (fds[HOST].revents & POLLIN)
            pump_host(pump);
        else if (fds[HOST].revents)
            die("the host is gone");
    }
}

static void drain_stream(struct stream *stream, uint64_t deadline) {
    for (pump_stream(stream); stream->fd >= 0 && monotonic_ns() < deadline; pump_stream(stream))
        if (poll(&(struct pollfd){stream->fd, POLLIN, 0}, 1, remaining_ms(deadline)) < 0 && errno != EINTR)
            die("poll");
}

void pump_drain(struct pump *pump) {
    uint64_t deadline = monotonic_ns() + DRAIN_MS * NS_PER_MS;
    if (pump->out.fd >= 0)
        drain_stream(&pump->out, deadline);
    if (pump->err.fd >= 0)
        drain_stream(&pump->err, deadline);
}

#include "session.h"

#include "artifacts.h"
#include "bytes.h"
#include "cgroup.h"
#include "channel.h"
#include "clock.h"
#include "own_memory.h"
#include "platform.h"
#include "program.h"
#include "pump.h"
#include "request.h"
#include "workspace.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

/* A guard: the host's own deadline for a template comes first, and an emulated guest takes minutes. */
#define PARK_DEADLINE_S 900
#define STDERR_TAIL_BYTES 800

struct session {
    const struct language *language;
    struct request request;
    struct workspace workspace;
    struct program program;
    struct frame_reader reader;
};

static struct session session;

static void check(enum failure_code code, const char *failed) {
    if (failed)
        channel_fail(code, "%s: %s", failed, strerror(errno));
}

static void random_bytes(void *buffer, size_t length) {
    if (getrandom(buffer, length, 0) != (ssize_t)length)
        channel_fail(FAILURE_HANDSHAKE, "getrandom: %s", strerror(errno));
}

/* The last that an interpreter that could not start wrote, made fit for FAILURE's text. */
static const char *stderr_tail(void) {
    static char tail[STDERR_TAIL_BYTES + 1];
    static char chunk[65536];
    size_t have = 0;
    ssize_t got;
    while ((got = read(session.program.stderr_pipe, chunk, sizeof chunk)) > 0) {
        size_t take = (size_t)got < STDERR_TAIL_BYTES ? (size_t)got : STDERR_TAIL_BYTES;
        size_t keep = have + take > STDERR_TAIL_BYTES ? STDERR_TAIL_BYTES - take : have;
        memmove(tail, tail + have - keep, keep);
        memcpy(tail + keep, chunk + got - take, take);
        have = keep + take;
    }
    tail[have] = 0;
    for (char *c = tail; *c; c++)
        if ((unsigned char)*c >= 0x7f || ((unsigned char)*c < ' ' && *c != '\n'))
            *c = '?';
    return tail;
}

static _Noreturn void fail_interpreter(const char *what) {
    program_kill(&session.program);
    channel_fail(FAILURE_INTERPRETER, "%s %s; its last words: %s", session.language->id, what, stderr_tail());
}

static _Noreturn void fail_start(const struct init_report *report) {
    program_kill(&session.program);
    channel_fail(FAILURE_INTERPRETER, "%s cannot be started: %s: %s", session.language->id, report->step,
                 strerror(report->error));
}

/* What a hook wrote while parking is not the program's output: log it. */
static void discard_stale_output(void) {
    const char *tail = stderr_tail();
    if (*tail)
        dprintf(STDERR_FILENO, "agent: while parking: %s\n", tail);
    char chunk[4096];
    while (read(session.program.stdout_pipe, chunk, sizeof chunk) > 0)
        continue;
}

static void start(void) {
    struct strings command = {0}, environment = {0};
    const char *hook = session.language->parked_variable;
    if (!language_command(session.language, &command) || !default_environment(&environment) ||
        !strings_add(&environment, PARK_VARIABLE, strlen(PARK_VARIABLE)) ||
        (hook && !strings_add(&environment, hook, strlen(hook))))
        channel_fail(FAILURE_INTERNAL, "no memory");
    if (!program_start(&session.program, &command, &environment))
        channel_fail(FAILURE_INTERNAL, "init cannot be started: %s", strerror(errno));
    strings_free(&command);
    strings_free(&environment);
}

static void park_once(void) {
    start();
    struct init_report report = {.kind = INIT_RELEASED};
    uint64_t deadline = monotonic_ns() + PARK_DEADLINE_S * NS_PER_S;
    if (!program_await_report(&session.program, &report, deadline))
        fail_interpreter("did not park in time");
    if (report.kind == INIT_FAILED)
        fail_start(&report);
    if (report.kind != INIT_PARKED)
        fail_interpreter("ended instead of parking");
    discard_stale_output();
}

/*
 * Where the program has a cgroup, a first interpreter parks outside of it and goes. A page of a file is charged to whoever
 * touches it first (cgroup-v2.rst, "Memory Ownership"): what the second one then needs of the image is in memory, and not its
 * own. Else a program could have twice what it was given, by dropping the pages of the libraries.
 */
static void park(void) {
    if (cgroup_is_held()) {
        park_once();
        program_kill(&session.program);
        program_close(&session.program);
        if (umount2("/proc", MNT_DETACH))
            channel_fail(FAILURE_INTERNAL, "unmount /proc: %s", strerror(errno));
    }
    check(FAILURE_INTERNAL, cgroup_make());
    park_once();
}

static enum request_action next_action(struct frame *frame) {
    enum frame_status status;
    while ((status = frame_read_some(&session.reader, HOST_IN)) == FRAME_INCOMPLETE)
        continue;
    if (status == FRAME_OVERSIZED)
        channel_fail(FAILURE_PROTOCOL, "a frame is too large");
    if (status != FRAME_COMPLETE)
        die("the host is gone");
    *frame = frame_current(&session.reader);
    enum request_action action = request_accept(&session.request, frame);
    if (action == ACTION_VIOLATION)
        channel_fail(FAILURE_PROTOCOL, "%s", session.request.violation);
    if (action == ACTION_NO_MEMORY)
        channel_fail(FAILURE_INTERNAL, "no memory");
    return action;
}

static void handshake(const struct frame *resume) {
    check(FAILURE_HANDSHAKE, platform->renew(get_u64(resume->payload + 4), resume->payload + 12));
    uint8_t ready[4 + 8 + READY_RANDOM_BYTES];
    put_u32(ready, PROTOCOL_VERSION);
    put_u64(ready + 4, clock_ns(CLOCK_REALTIME));
    random_bytes(ready + 12, READY_RANDOM_BYTES);
    channel_send(FRAME_READY, ready, sizeof ready, NULL, 0);
    if (platform->touches_ahead) {
        program_touch_memory(&session.program);
        own_memory_touch();
    }
}

static void check_file(const char *failed) {
    if (!failed)
        return;
    bool full = errno == ENOSPC || errno == EDQUOT;
    bool wrong_path = errno == EEXIST || errno == ENOTDIR || errno == EISDIR || errno == ELOOP;
    check(full ? FAILURE_WORKSPACE_FULL : wrong_path ? FAILURE_PROTOCOL : FAILURE_INTERNAL, failed);
}

/* The files of the request lie in memory that is the program's: the agent makes them as a member of its cgroup. */
static void apply_limits(const struct limits *limits) {
    check(FAILURE_INTERNAL, workspace_mount(&session.workspace, limits));
    check(FAILURE_INTERNAL, cgroup_limit(limits->memory_bytes, limits->processes));
    check(FAILURE_INTERNAL, cgroup_enter());
}

static void gather(void) {
    struct frame frame;
    for (;;) {
        switch (next_action(&frame)) {
        case ACTION_RESUME:
            handshake(&frame);
            break;
        case ACTION_APPLY_LIMITS:
            apply_limits(&session.request.limits);
            break;
        case ACTION_OPEN_FILE:
            check_file(workspace_open_file(&session.workspace, session.request.path));
            break;
        case ACTION_WRITE_FILE:
            check_file(workspace_write(&session.workspace, frame.payload, frame.length));
            break;
        case ACTION_START:
            frame_done(&session.reader);
            check_file(workspace_seal(&session.workspace));
            check(FAILURE_INTERNAL, cgroup_leave());
            return;
        default:
            break;
        }
        frame_done(&session.reader);
    }
}

static void release(struct rlimits rlimits) {
    uint8_t seed[SEED_BYTES];
    random_bytes(seed, sizeof seed);
    struct launch_blob blob =
        launch_blob_make(session.language->script, &session.request.arguments, &session.request.environment, seed);
    if (!blob.bytes)
        channel_fail(FAILURE_INTERNAL, "no memory");
    struct init_report report = {.kind = INIT_RELEASED};
    bool released = program_release(&session.program, rlimits, &blob, &report);
    if (report.kind == INIT_FAILED)
        fail_start(&report);
    if (!released)
        fail_interpreter("did not resume");
    free(blob.bytes);
}

/* Everything of the program is dead: says how it ended. Without a report init was killed (by the kernel, for memory). */
static void send_exit(const struct pump *pump, const struct init_report *report, bool timed_out, uint64_t wall_ns) {
    uint8_t kind = EXIT_KIND_SIGNALED, status = SIGKILL;
    if (report && !timed_out && WIFEXITED(report->wait_status)) {
        kind = EXIT_KIND_EXITED;
        status = (uint8_t)WEXITSTATUS(report->wait_status);
    } else if (report && !timed_out) {
        status = (uint8_t)WTERMSIG(report->wait_status);
    }
    struct cgroup_usage memory = cgroup_usage();
    uint8_t flags = (timed_out ? EXIT_TIMED_OUT : 0) | (memory.out_of_memory ? EXIT_OUT_OF_MEMORY : 0) |
                    (stream_truncated(&pump->out) ? EXIT_STDOUT_TRUNCATED : 0) |
                    (stream_truncated(&pump->err) ? EXIT_STDERR_TRUNCATED : 0);
    uint8_t wire[EXIT_BYTES] = {kind, status, flags};
    put_u64(wire + 8, wall_ns);
    put_u64(wire + 16, report ? report->cpu_ns : 0);
    put_u64(wire + 24, memory.peak_bytes);
    put_u64(wire + 32, pump->out.bytes);
    put_u64(wire + 40, pump->err.bytes);
    channel_send(FRAME_EXIT, wire, sizeof wire, NULL, 0);
}

static void run(void) {
    const struct limits *limits = &session.request.limits;
    struct rlimits rlimits = {limits->processes, limits->open_files};
    uint64_t started_ns = monotonic_ns();
    release(rlimits);

    static struct pump pump;
    struct init_report report;
    pump_begin(&pump, &session.reader, &session.request, &session.program);
    enum pump_end end = pump_run(&pump, started_ns + limits->wall_time_ms * NS_PER_MS, &report);
    bool reported = end == PUMP_EXITED || end == PUMP_OUTLIVED;
    uint64_t ended_ns = reported ? report.ended_ns : monotonic_ns();
    if (end == PUMP_EXITED && report.kind == INIT_FAILED)
        fail_start(&report);
    bool alone = end == PUMP_EXITED || (end != PUMP_INIT_DIED && program_stop(&session.program, &report));
    /* Init reports when it alone is left, and holds no pipe: its own end need not be waited for. */
    if (!alone)
        program_kill(&session.program);
    reported = reported || alone;
    pump_drain(&pump);
    send_exit(&pump, reported ? &report : NULL, end == PUMP_TIMED_OUT, ended_ns - started_ns);
}

void session_run(const struct language *language) {
    session.language = language;
    if (!default_environment(&session.request.environment))
        channel_fail(FAILURE_INTERNAL, "no memory");
    check(FAILURE_INTERNAL, platform->set_up());
    park();
    channel_listen();
    channel_send(FRAME_PARKED, NULL, 0, NULL, 0);
    channel_await_host(&session.reader);
    gather();
    channel_close_log();
    run();
    artifacts_send(&session.workspace, &session.request);
    channel_send(FRAME_END, NULL, 0, NULL, 0);
    channel_await_hang_up();
    platform->end(EXIT_SUCCESS);
}

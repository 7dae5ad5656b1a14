#include "program.h"

#include "clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Node loses what does not fit the pipe at process.exit; the largest size that needs no privilege (pipe(7)). */
#define PIPE_BYTES (1 << 20)
#define RELEASE_S 10
#define STOP_MS 1000

static void close_fd(int *fd) {
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/*
 * The program's end blocks, ours does not: O_NONBLOCK belongs to the open file description, and each end has its own.
 * The pipe belongs to the program's user, who may thus open it by name (/dev/stdout).
 */
static bool make_pipe(int *program_end, int *agent_end, bool program_writes) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return false;
    *program_end = ends[program_writes];
    *agent_end = ends[!program_writes];
    return fchown(*program_end, SANDBOX_UID, SANDBOX_GID) == 0 && fcntl(*agent_end, F_SETPIPE_SZ, PIPE_BYTES) >= 0 &&
           fcntl(*agent_end, F_SETFL, O_NONBLOCK) == 0;
}

/* Like fork, but into a new pid namespace. unshare(2) would do it only once for a process. */
static pid_t fork_init(void) {
    return (pid_t)syscall(SYS_clone, (unsigned long)CLONE_NEWPID | SIGCHLD, 0, 0, 0, 0);
}

static bool make_sockets(struct program *program, struct init_task *task) {
    int report[2], park[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, report))
        return false;
    program->report = report[0];
    task->report = report[1];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, park))
        return false;
    program->park = task->park_agent_end = park[0];
    task->park_program_end = park[1];
    struct timeval patience = {.tv_sec = RELEASE_S};
    int on = 1; /* init is to see who parks */
    return setsockopt(program->park, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) == 0 &&
           setsockopt(program->park, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) == 0;
}

bool program_start(struct program *program, const struct strings *command, const struct strings *environment) {
    *program = (struct program){.report = -1, .park = -1, .stdin_pipe = -1, .stdout_pipe = -1, .stderr_pipe = -1};
    struct init_task task = {
        .command = command->items,
        .environment = environment->items,
        .stdio = {-1, -1, -1},
        .report = -1,
        .park_agent_end = -1,
        .park_program_end = -1,
    };
    bool started = make_pipe(&task.stdio[0], &program->stdin_pipe, false) &&
                   make_pipe(&task.stdio[1], &program->stdout_pipe, true) &&
                   make_pipe(&task.stdio[2], &program->stderr_pipe, true) && make_sockets(program, &task) &&
                   (program->init = fork_init()) >= 0;
    if (started && program->init == 0)
        init_run(&task);
    int error = errno;
    for (int fd = 0; fd < 3; fd++)
        close_fd(&task.stdio[fd]);
    close_fd(&task.report);
    close_fd(&task.park_program_end);
    if (!started)
        program_close(program);
    errno = error;
    return started;
}

bool program_take_report(struct program *program, struct init_report *report) {
    return recv(program->report, report, sizeof *report, 0) == sizeof *report;
}

bool program_await_report(struct program *program, struct init_report *report, uint64_t deadline) {
    struct pollfd socket = {.fd = program->report, .events = POLLIN};
    int ready;
    do
        ready = poll(&socket, 1, remaining_ms(deadline));
    while (ready < 0 && errno == EINTR);
    return ready > 0 && program_take_report(program, report);
}

static bool send_all(int socket, const uint8_t *bytes, size_t length) {
    while (length > 0) {
        ssize_t sent = send(socket, bytes, length, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR)
            return false;
        if (sent > 0) {
            bytes += sent;
            length -= (size_t)sent;
        }
    }
    return true;
}

void program_touch_memory(struct program *program) {
    static const uint8_t no_blob[4];
    struct init_order order = {.kind = INIT_TOUCH_MEMORY};
    send(program->report, &order, sizeof order, MSG_NOSIGNAL);
    send_all(program->park, no_blob, sizeof no_blob);
}

bool program_release(struct program *program, struct rlimits rlimits, const struct launch_blob *blob,
                     struct init_report *report) {
    uint64_t deadline = monotonic_ns() + RELEASE_S * NS_PER_S;
    struct init_order order = {INIT_RELEASE, rlimits};
    bool sent = send(program->report, &order, sizeof order, MSG_NOSIGNAL) == sizeof order &&
                program_await_report(program, report, deadline) && report->kind == INIT_RELEASED &&
                send_all(program->park, blob->bytes, blob->length);
    close_fd(&program->park);
    return sent;
}

bool program_stop(struct program *program, struct init_report *report) {
    uint64_t deadline = monotonic_ns() + STOP_MS * NS_PER_MS;
    kill(program->init, SIGTERM);
    bool told;
    do
        told = program_await_report(program, report, deadline);
    while (told && report->kind == INIT_OUTLIVED);
    return told && report->kind == INIT_EXITED;
}

void program_kill(struct program *program) {
    kill(program->init, SIGKILL);
    /* Without a deadline: SIGKILL cannot be refused, and the host has a deadline for the whole sandbox. */
    while (waitpid(program->init, NULL, 0) < 0 && errno == EINTR)
        continue;
    program->init = 0;
}

void program_close(struct program *program) {
    close_fd(&program->report);
    close_fd(&program->park);
    close_fd(&program->stdin_pipe);
    close_fd(&program->stdout_pipe);
    close_fd(&program->stderr_pipe);
}

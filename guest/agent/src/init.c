#include "init.h"

#include "cgroup.h"
#include "clock.h"
#include "own_memory.h"
#include "platform.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define SETTLE_STEP_NS (20 * NS_PER_MS)
#define SETTLE_MAX_NS (2 * NS_PER_S)

static void report(int socket, struct init_report message) {
    if (send(socket, &message, sizeof message, MSG_NOSIGNAL) != sizeof message)
        _exit(EXIT_FAILURE);
}

static _Noreturn void fail(int socket, const char *step) {
    struct init_report message = {.kind = INIT_FAILED, .error = errno};
    snprintf(message.step, sizeof message.step, "%s", step);
    report(socket, message);
    _exit(EXIT_FAILURE);
}

static _Noreturn void become_program(const struct init_task *task) {
    const char *failed = cgroup_enter();
    if (!failed)
        failed = confine_self(task->stdio, task->park_program_end);
    if (failed)
        fail(task->report, failed);
    execve(task->command[0], task->command, task->environment);
    fail(task->report, "execve");
}

static uint64_t children_cpu_ns(void) {
    struct rusage usage;
    getrusage(RUSAGE_CHILDREN, &usage);
    return cpu_time_ns(&usage);
}

/* Idle is "used no CPU for a while", so it takes a while to see: the interpreter has yet to enter its blocking read. */
static uint64_t await_idle(pid_t program) {
    clockid_t clock;
    if (clock_getcpuclockid(program, &clock))
        return 0; /* it has just died; that is reported next */
    uint64_t deadline = monotonic_ns() + SETTLE_MAX_NS;
    uint64_t used = clock_ns(clock), before;
    do {
        before = used;
        nanosleep(&(struct timespec){.tv_nsec = SETTLE_STEP_NS}, NULL);
        used = clock_ns(clock);
    } while (used != before && monotonic_ns() < deadline);
    return used;
}

/*
 * prlimit(2) on another process wants CAP_SYS_RESOURCE, which not every container grants, or its ids as one's own real ids.
 * Real ids of init are the program's for this moment only, in which the program cannot run yet.
 */
static int limit_parked(pid_t program, struct rlimits rlimits) {
    if (rlimits_apply(program, rlimits) == 0)
        return 0;
    if (errno != EPERM)
        return -1;
    if (setresgid(SANDBOX_GID, -1, -1) || setresuid(SANDBOX_UID, -1, -1))
        return -1;
    int failed = rlimits_apply(program, rlimits);
    int error = errno;
    if (setresuid(0, -1, -1) || setresgid(0, -1, -1))
        return -1;
    errno = error;
    return failed;
}

/*
 * The process that parks may be a child of the one that was started, which has ended then: an interpreter that loads its
 * modules and forks parks with the CPU time, and whatever else the kernel counts, of a new process. The kernel says who it
 * is, in pids of this namespace (unix(7), SCM_CREDENTIALS). 0: nobody parked.
 */
static pid_t await_parking(int socket) {
    char byte;
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(struct ucred))];
    } control;
    struct iovec part = {&byte, 1};
    struct msghdr message = {
        .msg_iov = &part,
        .msg_iovlen = 1,
        .msg_control = &control,
        .msg_controllen = sizeof control,
    };
    if (recvmsg(socket, &message, 0) != 1 || byte != 'P')
        return 0;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (!header || header->cmsg_type != SCM_CREDENTIALS)
        return 0;
    struct ucred sender;
    memcpy(&sender, CMSG_DATA(header), sizeof sender);
    return sender.pid;
}

static struct rlimits await_release(int socket) {
    struct init_order order;
    for (;;) {
        if (recv(socket, &order, sizeof order, 0) != sizeof order)
            _exit(EXIT_FAILURE);
        if (order.kind == INIT_RELEASE)
            return order.rlimits;
        own_memory_touch();
    }
}

/* The CPU time that was used while parking, by the parked process and those before it. Returns at once if none parks. */
static uint64_t park(const struct init_task *task, pid_t *program) {
    pid_t parked = await_parking(task->park_agent_end);
    if (parked <= 0)
        return 0;
    *program = parked;
    uint64_t cpu_ns = await_idle(parked);
    while (waitpid(-1, NULL, WNOHANG) > 0)
        continue;
    cpu_ns += children_cpu_ns();
    report(task->report, (struct init_report){.kind = INIT_PARKED});
    struct rlimits rlimits = await_release(task->report);
    /* ESRCH: it died while it was parked, and has not been waited for only because init was waiting here. */
    if (limit_parked(parked, rlimits) && errno != ESRCH)
        fail(task->report, "prlimit");
    report(task->report, (struct init_report){.kind = INIT_RELEASED});
    return cpu_ns;
}

/*
 * System calls of a run, without effect. At the first one from each place the kernel of gVisor rewrites the code there, which
 * copies a page: better before the snapshot than in each resume.
 */
static void rehearse(void) {
    prlimit(0, RLIMIT_NPROC, NULL, NULL);
    kill(0, 0);
}

static int reap_until(pid_t program) {
    int status;
    pid_t ended;
    do
        ended = waitpid(-1, &status, 0);
    while (ended != program && !(ended < 0 && errno != EINTR));
    return ended == program ? status : -1;
}

static volatile sig_atomic_t told_to_end;

/* Every process of the namespace but init itself (kill(2)). */
static void kill_all(void) {
    kill(-1, SIGKILL);
}

static void on_term(int signal) {
    (void)signal;
    int error = errno;
    told_to_end = 1;
    kill_all();
    errno = error;
}

static bool is_outlived(void) {
    pid_t ended;
    do
        ended = waitpid(-1, NULL, WNOHANG);
    while (ended > 0);
    return ended == 0;
}

/* A SIGTERM between the two conditions has killed someone, whose end ends the wait. */
static void let_descendants_be(void) {
    while (!told_to_end && waitpid(-1, NULL, 0) > 0)
        continue;
}

/* Anew after each one, for those that a dying parent forked meanwhile. What they used counts with init's children. */
static void end_descendants(void) {
    do
        kill_all();
    while (waitpid(-1, NULL, 0) > 0 || errno == EINTR);
}

/*
 * Both ends of every pipe came along, and the host's channel. Held by init, they would keep what the others close open: the
 * program's stdin would never end, a parked interpreter's death would not be seen. Nor does init need the host's log: what
 * it has to say goes through the report socket.
 */
static void close_all_but(int report_socket, int park_socket) {
    for (int fd = 0; fd < PARK_FD; fd++)
        if (fd != report_socket && fd != park_socket)
            close(fd);
}

static const char *mount_proc(void) {
    if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL))
        return "mount /proc";
    for (const char *const *path = platform->hidden; *path; path++)
        if (mount("/dev/null", *path, NULL, MS_BIND, NULL))
            return "hide a file of /proc";
    return NULL;
}

void init_run(const struct init_task *task) {
    /* Not even its own user could look into init; the program has another one. /proc/1 shows nothing but the name. */
    prctl(PR_SET_DUMPABLE, 0);
    struct sigaction term = {.sa_handler = on_term, .sa_flags = SA_RESTART};
    sigaction(SIGTERM, &term, NULL);
    const char *failed = mount_proc();
    if (failed)
        fail(task->report, failed);
    pid_t program = fork();
    if (program < 0)
        fail(task->report, "fork");
    if (program == 0)
        become_program(task);
    close_all_but(task->report, task->park_agent_end);
    rehearse();
    uint64_t parking_cpu_ns = park(task, &program);
    close(task->park_agent_end);
    int status = reap_until(program);
    if (status < 0)
        fail(task->report, "waitpid");
    struct init_report end = {.kind = INIT_OUTLIVED, .wait_status = status, .ended_ns = monotonic_ns()};
    if (!told_to_end && is_outlived()) {
        end.cpu_ns = children_cpu_ns() - parking_cpu_ns;
        report(task->report, end);
        let_descendants_be();
    }
    end_descendants();
    end.kind = INIT_EXITED;
    end.cpu_ns = children_cpu_ns() - parking_cpu_ns;
    report(task->report, end);
    for (;;)
        pause();
}

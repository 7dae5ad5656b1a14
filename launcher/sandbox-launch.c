/*
 * sandbox-launch: starts a sandbox's runtime where Java cannot put it.
 *
 *   sandbox-launch [--stderr FILE] [--supervise] [--cgroup DIR]... [--socket PATH] [--private-mounts] [--private-network]
 *                  [--small-pages] [--nofile N] -- PROGRAM [ARGUMENT]...
 *
 *   --stderr FILE      made anew, or emptied: fd 2 of the program and of the launcher's own message
 *   --supervise        stay as the parent, outside of the cgroups: see supervise()
 *   --cgroup DIR       join this cgroup (DIR/cgroup.procs): once for v2, once for each v1 hierarchy. Before exec, so that
 *                      not one page or process of the runtime is charged elsewhere
 *   --socket PATH      connect to this listening unix socket: fd 0 and 1 of the program
 *   --private-mounts   a mount namespace of its own: what the runtime mounts never reaches the host and vanishes with it
 *   --private-network  network, IPC and UTS namespaces of its own: no interface but a lo that is down, no abstract unix
 *                      socket of the host
 *   --small-pages      no transparent huge pages: an idle Firecracker writes to two regions and would hold 2 MiB for each
 *   --nofile N         RLIMIT_NOFILE, soft and hard
 *
 * What is not asked for stays as it is. Always: a session of its own, default signals and an empty mask, no descriptor
 * above 2. Then exec: unless it supervises, the pid stays the same and nothing of the launcher remains. The steps are taken in
 * the order above; one that fails prints one line and exits with its own status:
 *
 *   100 usage   101 stderr   102 cgroup   103 socket   104 mounts   105 nofile   106 session, signals, descriptors   107 exec
 *   108 supervise   109 network   110 pages
 *
 * FILE has no bound of its own. RLIMIT_FSIZE would bind the runtime's memory file too (setrlimit(2): any file), and a
 * copying process would be one more thing to lose. Only the runtime and the agent write there, never the program, and both
 * write little.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define CGROUPS_MAX 16
#define CONNECT_S 10

enum failure {
    FAILED_USAGE = 100,
    FAILED_STDERR,
    FAILED_CGROUP,
    FAILED_SOCKET,
    FAILED_MOUNTS,
    FAILED_NOFILE,
    FAILED_SESSION,
    FAILED_EXEC,
    FAILED_SUPERVISE,
    FAILED_NETWORK,
    FAILED_PAGES,
};

struct options {
    const char *stderr_file;
    const char *cgroups[CGROUPS_MAX];
    int cgroup_count;
    const char *socket;
    bool private_mounts;
    bool private_network;
    bool small_pages;
    rlim_t nofile; /* 0: as it is */
    bool supervise;
};

static _Noreturn void fail(enum failure failure, const char *step, const char *subject) {
    fprintf(stderr, "sandbox-launch: %s %s: %s\n", step, subject, strerror(errno));
    exit(failure);
}

static _Noreturn void usage(const char *problem) {
    fprintf(stderr,
            "sandbox-launch: %s; usage: sandbox-launch [--stderr FILE] [--supervise] [--cgroup DIR]... [--socket PATH] "
            "[--private-mounts] [--private-network] [--small-pages] [--nofile N] -- PROGRAM [ARGUMENT]...\n",
            problem);
    exit(FAILED_USAGE);
}

static rlim_t parse_count(const char *text) {
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end || errno || value == 0)
        usage("--nofile takes a positive number");
    return value;
}

static struct options parse(int count, char **arguments) {
    static const struct option names[] = {
        {"stderr", required_argument, NULL, 'e'},
        {"cgroup", required_argument, NULL, 'c'},
        {"socket", required_argument, NULL, 's'},
        {"private-mounts", no_argument, NULL, 'm'},
        {"private-network", no_argument, NULL, 'p'},
        {"nofile", required_argument, NULL, 'n'},
        {"supervise", no_argument, NULL, 'w'},
        {"small-pages", no_argument, NULL, 't'},
        {0},
    };
    struct options options = {0};
    int option;
    opterr = 0;
    while ((option = getopt_long(count, arguments, "+", names, NULL)) != -1) {
        switch (option) {
        case 'e':
            options.stderr_file = optarg;
            break;
        case 'c':
            if (options.cgroup_count == CGROUPS_MAX)
                usage("too many --cgroup");
            options.cgroups[options.cgroup_count++] = optarg;
            break;
        case 's':
            options.socket = optarg;
            break;
        case 'm':
            options.private_mounts = true;
            break;
        case 'p':
            options.private_network = true;
            break;
        case 't':
            options.small_pages = true;
            break;
        case 'n':
            options.nofile = parse_count(optarg);
            break;
        case 'w':
            options.supervise = true;
            break;
        default:
            usage("an unknown option, or one without its value");
        }
    }
    if (optind == count)
        usage("no program");
    return options;
}

static void redirect_stderr(const char *file) {
    int fd = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0 || dup2(fd, STDERR_FILENO) < 0)
        fail(FAILED_STDERR, "stderr", file);
}

/* "0" is the writer itself (cgroups(7)), whatever pid namespace this is. */
static void join_cgroup(const char *directory) {
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/cgroup.procs", directory);
    errno = ENAMETOOLONG;
    int fd = length < (int)sizeof path ? open(path, O_WRONLY | O_CLOEXEC) : -1;
    if (fd < 0 || write(fd, "0", 1) != 1)
        fail(FAILED_CGROUP, "cgroup", directory);
    close(fd);
}

/* A listener whose backlog is full makes connect wait: SO_SNDTIMEO bounds it (socket(7)). */
static void connect_stdio(const char *path) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct timeval patience = {.tv_sec = CONNECT_S};
    errno = ENAMETOOLONG;
    if (strlen(path) >= sizeof address.sun_path)
        fail(FAILED_SOCKET, "socket", path);
    strcpy(address.sun_path, path);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) ||
        connect(fd, (struct sockaddr *)&address, sizeof address))
        fail(FAILED_SOCKET, "socket", path);
    patience = (struct timeval){0};
    if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) || dup2(fd, STDIN_FILENO) < 0 ||
        dup2(fd, STDOUT_FILENO) < 0)
        fail(FAILED_SOCKET, "socket", path);
}

/* Slave, not private: what the host unmounts later must not be held busy in here (mount_namespaces(7)). */
static void unshare_mounts(void) {
    if (unshare(CLONE_NEWNS) || mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL))
        fail(FAILED_MOUNTS, "mount namespace", "/");
}

static void unshare_network(void) {
    if (unshare(CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS))
        fail(FAILED_NETWORK, "network namespace", "");
}

/*
 * The JVM ignores or blocks signals that execve would keep so (signal(7)). Not by sigaction(3): C libraries refuse it for the
 * signals 32 to 34, which they use themselves. The kernel's struct sigaction is four words; all zero is SIG_DFL.
 */
static void reset_session(void) {
    static const unsigned long defaults[4], no_signals[1];
    for (int number = 1; number < NSIG; number++)
        if (number != SIGKILL && number != SIGSTOP &&
            syscall(SYS_rt_sigaction, number, defaults, NULL, sizeof no_signals))
            fail(FAILED_SESSION, "signal", strsignal(number));
    if (syscall(SYS_rt_sigprocmask, SIG_SETMASK, no_signals, NULL, sizeof no_signals))
        fail(FAILED_SESSION, "signal", "mask");
    /* EPERM: it leads its process group already, as when a shell with job control starts it. */
    if (setsid() < 0 && errno != EPERM)
        fail(FAILED_SESSION, "setsid", "");
    if (syscall(SYS_close_range, 3u, ~0u, 0u))
        fail(FAILED_SESSION, "close_range", "");
}

/*
 * Returns in a child, which becomes the program. The launcher itself waits until no descendant is left and exits as the last
 * one did (128 + n for signal n).
 *
 * For a program that forks and ends, as the jailer does with --new-pid-ns, or that is killed together with its children, as
 * runsc: what remains would belong to pid 1, who in a container may reap nobody. A subreaper inherits it instead
 * (PR_SET_CHILD_SUBREAPER(2const)), across pid namespaces too, and the engine keeps one child that lives as long as the sandbox.
 *
 * Signals are not passed on: a sandbox is ended by killing its cgroup. The launcher is not in it: killed with the others it
 * could not reap them, and they would be zombies of pid 1 after all. Nor does the program die with the launcher by
 * PR_SET_PDEATHSIG: the kernel forgets that when the jailer changes its user (prctl(2)), and between engine and launcher it
 * would act when the engine's thread ends that happened to start it. What a dead engine left is found by its cgroup.
 */
static void supervise(void) {
    if (prctl(PR_SET_CHILD_SUBREAPER, 1))
        fail(FAILED_SUPERVISE, "subreaper", "");
    pid_t child = fork();
    if (child < 0)
        fail(FAILED_SUPERVISE, "fork", "");
    if (child == 0)
        return;
    /* Held here, the socket would stay open when the program has closed it. */
    syscall(SYS_close_range, 0u, ~0u, 0u);
    int status = 0;
    while (waitpid(-1, &status, 0) > 0 || errno == EINTR)
        continue;
    _exit(WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status));
}

int main(int count, char **arguments) {
    struct options options = parse(count, arguments);
    if (options.stderr_file)
        redirect_stderr(options.stderr_file);
    reset_session();
    if (options.supervise)
        supervise();
    for (int i = 0; i < options.cgroup_count; i++)
        join_cgroup(options.cgroups[i]);
    if (options.socket)
        connect_stdio(options.socket);
    if (options.private_mounts)
        unshare_mounts();
    if (options.private_network)
        unshare_network();
    /* kept by fork and execve (prctl(2)), so also by what the jailer starts */
    if (options.small_pages && prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0))
        fail(FAILED_PAGES, "small pages", "");
    if (options.nofile) {
        struct rlimit limit = {options.nofile, options.nofile};
        if (setrlimit(RLIMIT_NOFILE, &limit))
            fail(FAILED_NOFILE, "nofile", "");
    }
    execvp(arguments[optind], arguments + optind);
    fail(FAILED_EXEC, "exec", arguments[optind]);
}

#include "confine.h"

#include <grp.h>
#include <linux/capability.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define STACK_BYTES (8u << 20)

int rlimits_apply(pid_t pid, struct rlimits rlimits) {
    struct rlimit processes = {rlimits.processes, rlimits.processes};
    struct rlimit open_files = {rlimits.open_files, rlimits.open_files};
    if (prlimit(pid, RLIMIT_NPROC, &processes, NULL))
        return -1;
    return prlimit(pid, RLIMIT_NOFILE, &open_files, NULL);
}

/*
 * execve keeps ignored signals and the mask (signal(7)); the program must start with the defaults, SIGPIPE above all. Not by
 * sigaction(3), which C libraries refuse for the signals 32 to 34. The kernel's struct sigaction is four words; all zero is
 * SIG_DFL.
 */
static int reset_signals(void) {
    static const unsigned long defaults[4], no_signals[1];
    for (int number = 1; number < NSIG; number++)
        if (number != SIGKILL && number != SIGSTOP &&
            syscall(SYS_rt_sigaction, number, defaults, NULL, sizeof no_signals))
            return -1;
    return (int)syscall(SYS_rt_sigprocmask, SIG_SETMASK, no_signals, NULL, sizeof no_signals);
}

static int drop_bounding_set(void) {
    for (unsigned long capability = 0; prctl(PR_CAPBSET_READ, capability) >= 0; capability++)
        if (prctl(PR_CAPBSET_DROP, capability))
            return -1;
    return 0;
}

/* setresuid has emptied the effective, permitted and ambient sets (capabilities(7)), but not the inheritable one. */
static int drop_capabilities(void) {
    struct __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {0};
    return (int)syscall(SYS_capset, &header, none);
}

const char *confine_self(const int stdio[3], int park) {
    if (setsid() < 0)
        return "setsid";
    for (int fd = 0; fd < 3; fd++)
        if (dup2(stdio[fd], fd) < 0)
            return "dup2";
    /* All other descriptors end at execve; the report socket must live until then. */
    if (syscall(SYS_close_range, 3u, ~0u, CLOSE_RANGE_CLOEXEC))
        return "close_range";
    if (dup2(park, PARK_FD) < 0)
        return "dup2";
    if (reset_signals())
        return "sigaction";
    umask(022);
    if (chdir(WORKSPACE))
        return "chdir";
    struct rlimit no_core = {0, 0}, stack = {STACK_BYTES, RLIM_INFINITY};
    /* Where malloc turns when mmap has refused it is brk(2), whose argument says nothing to a filter (seccomp.c). */
    struct rlimit data = {MEMORY_CEILING, MEMORY_CEILING};
    if (setrlimit(RLIMIT_CORE, &no_core) || setrlimit(RLIMIT_STACK, &stack) || setrlimit(RLIMIT_DATA, &data))
        return "setrlimit";
    if (drop_bounding_set())
        return "PR_CAPBSET_DROP";
    if (setgroups(0, NULL) || setresgid(SANDBOX_GID, SANDBOX_GID, SANDBOX_GID) ||
        setresuid(SANDBOX_UID, SANDBOX_UID, SANDBOX_UID))
        return "setresuid";
    if (drop_capabilities())
        return "capset";
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
        return "PR_SET_NO_NEW_PRIVS";
    return seccomp_install();
}

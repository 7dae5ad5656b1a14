/*
 * Turns a fresh child of init into the program: an ordinary process of an ordinary user, as a shell would start it,
 * that holds nothing of the agent.
 */
#ifndef AGENT_CONFINE_H
#define AGENT_CONFINE_H

#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#define SANDBOX_UID 1000
#define SANDBOX_GID 1000
#define WORKSPACE "/workspace"

/* No process gets as much memory at once: the most that MAX_MEMORY_MB of the engine can be. */
#define MEMORY_CEILING (64ull << 30)

struct rlimits {
    uint32_t processes;
    uint32_t open_files;
};

/* Sets them for a process (0: this one). -1 with errno. */
int rlimits_apply(pid_t pid, struct rlimits rlimits);

/* Where a parked interpreter finds its socket; above all that the agent itself opens. */
#define PARK_FD 63
#define PARK_VARIABLE "HEXR_PARK_FD=63"

/* park: the descriptor to keep as PARK_FD. The step that failed (errno says why), or NULL. */
const char *confine_self(const int stdio[3], int park);

/* seccomp.c; the same convention. */
const char *seccomp_install(void);

#endif

/*
 * The program's memory and processes on an own kernel: one cgroup (v2) which the program is in from its first instruction, and
 * neither agent nor init ever while it runs. So the kernel, when memory is out, has only the program's processes to choose from,
 * and gives the processor to the agent however many of them there are.
 *
 * In a container there is no such cgroup, because the host has one around the whole sandbox (docs/adr/0003): cgroup_hold is not
 * called, and all of the rest does nothing.
 */
#ifndef AGENT_CGROUP_H
#define AGENT_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

/* The hierarchy's mount point; it may be out of reach afterwards. The step that failed (errno says why), or NULL; so below. */
const char *cgroup_hold(const char *hierarchy);

bool cgroup_is_held(void);

/* From here on programs are started in the cgroup. */
const char *cgroup_make(void);

/* Moves the calling process in, or out again. What it allocates meanwhile is charged to the program. */
const char *cgroup_enter(void);
const char *cgroup_leave(void);

/*
 * From here on the program may hold so much more than what is parked holds already. Neither limit may be 0.
 */
const char *cgroup_limit(uint64_t memory_bytes, uint32_t processes);

struct cgroup_usage {
    uint64_t peak_bytes; /* since cgroup_limit, what was parked included; 0 if there is no cgroup */
    bool out_of_memory;  /* the kernel has killed a process of the program for it */
};

struct cgroup_usage cgroup_usage(void);

#endif

/*
 * Init is pid 1 of the program's pid namespace and stands between agent and program.
 *
 * Why: what the agent kills is init; the kernel then kills whatever the program left (pid_namespaces(7)), which no fork
 * bomb, daemon or stopped process escapes. The program sees neither the agent nor its descriptors, and is not pid 1
 * itself, whose signals behave differently.
 *
 * Does: mounts /proc of the namespace, starts the program, reaps orphans, and when the program has ended kills the rest and
 * reports. If there is a rest, it first says so and lets them be until SIGTERM from the agent, which kills all at any time.
 * Strictly in this order:
 *
 *   start → PARKED → wait for rlimits → RELEASED → [OUTLIVED →] EXITED → wait to be killed
 *
 * Talks over one SOCK_SEQPACKET socket: struct init_report up, struct init_order down. A child that cannot become the program
 * says so on the same socket (FAILED) before it ends.
 *
 * Failures: FAILED and the end. An init that does not report in time the agent kills, and all else with it. If init dies,
 * the agent reads the end of the stream; if the agent dies, the sandbox is gone.
 */
#ifndef AGENT_INIT_H
#define AGENT_INIT_H

#include "confine.h"

#include <stdint.h>

#define STEP_BYTES 32

enum init_report_kind { INIT_FAILED, INIT_PARKED, INIT_RELEASED, INIT_OUTLIVED, INIT_EXITED };

enum init_order_kind { INIT_TOUCH_MEMORY, INIT_RELEASE };

struct init_order {
    enum init_order_kind kind;
    struct rlimits rlimits; /* RELEASE */
};

struct init_report {
    enum init_report_kind kind;
    int wait_status;   /* OUTLIVED, EXITED */
    uint64_t cpu_ns;   /* OUTLIVED, EXITED: of the program and all its descendants that ended, without the parking */
    uint64_t ended_ns; /* OUTLIVED, EXITED: when the program itself ended, CLOCK_MONOTONIC */
    int error;         /* FAILED: errno */
    char step[STEP_BYTES]; /* FAILED: what was tried */
};

struct init_task {
    char *const *command;
    char *const *environment;
    int stdio[3];
    int report;
    int park_agent_end;
    int park_program_end;
};

/* The life of init, in a child made with CLONE_NEWPID. */
_Noreturn void init_run(const struct init_task *task);

#endif

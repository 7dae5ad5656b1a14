/*
 * The program as the agent holds it: init's pid, init's socket and the agent's ends of the program's pipes.
 *
 *   program_start → [program_await_report (PARKED) → program_release] → [program_stop] → program_kill → program_close
 *
 * One agent has one program at a time. program_kill may come at any point after the start and leaves no process of the
 * program; what is in its pipes stays readable until program_close. A start that fails has nothing left to release.
 */
#ifndef AGENT_PROGRAM_H
#define AGENT_PROGRAM_H

#include "confine.h"
#include "init.h"
#include "launch_blob.h"
#include "strings.h"

#include <stdbool.h>
#include <sys/types.h>

struct program {
    pid_t init; /* 0: no process is left */
    int report;
    int park;       /* -1: not parked */
    int stdin_pipe; /* -1: closed */
    int stdout_pipe;
    int stderr_pipe;
};

/* False with errno. */
bool program_start(struct program *program, const struct strings *command, const struct strings *environment);

/* Waits for one report. False: init is dead, or the deadline (CLOCK_MONOTONIC, ns) is over. */
bool program_await_report(struct program *program, struct init_report *report, uint64_t deadline);

/* Reads a report that is there. False: init is dead. */
bool program_take_report(struct program *program, struct init_report *report);

/*
 * Has init and the parked interpreter touch their memory; returns at once. They may be dead: program_release says so.
 */
void program_touch_memory(struct program *program);

/*
 * Applies the limits and sends the blob to the parked interpreter, which then runs the script. False: it is dead, or the
 * report says what failed.
 */
bool program_release(struct program *program, struct rlimits rlimits, const struct launch_blob *blob,
                     struct init_report *report);

/* Ends the program and all it started, in such a way that init can still report it. False: init is dead or late. */
bool program_stop(struct program *program, struct init_report *report);

void program_kill(struct program *program);

void program_close(struct program *program);

#endif

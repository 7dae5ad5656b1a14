/*
 * The life of a sandbox, from the agent's side.
 *
 *   STARTING  the surroundings are set up (platform.h), the interpreter is started and parks (bash: nothing to do). It dies or
 *             is late: FAILURE 4.
 *   PARKED    nothing runs; the snapshot is taken in this state, and every resume begins in it. The agent blocks in one read
 *             of the channel, or until the host connects, without a deadline: how long a template waits is the host's matter.
 *   RESUMED   handshake, limits, files. The host breaks the order: FAILURE 2. A file does not fit: FAILURE 3.
 *   RUNNING   from START on: the pump. Ends by the program's end, the deadline, or init's death.
 *   ENDED     everything is killed first, then drained, then reported: EXIT, artifacts, END. Then the agent waits for the
 *             host to hang up, and ends.
 *
 * One session is one run: there is no way back to an earlier state. If the host hangs up or a write fails, in any state (but a
 * connection over vsock is the host's only from its first whole frame on, see vsock.h),
 * the agent ends, and all of the sandbox with it. Single-threaded; only session.c knows the order.
 */
#ifndef AGENT_SESSION_H
#define AGENT_SESSION_H

#include "language.h"

_Noreturn void session_run(const struct language *language);

#endif

/*
 * The channel to the host: fd 0 in, fd 1 out. Writes block until all is written. A host that is gone ends the agent,
 * and with it the sandbox: the agent is pid 1.
 *
 * A container's channel is open from the start. Over vsock the host connects when it has resumed the sandbox: from
 * channel_await_host on all is as in a container; until then each frame goes out on a connection of its own.
 */
#ifndef AGENT_CHANNEL_H
#define AGENT_CHANNEL_H

#include "frame.h"

#define HOST_IN 0
#define HOST_OUT 1

/* Before anything is sent, or not at all. */
void channel_use_vsock(void);

/* The host may connect from here on. */
void channel_listen(void);

/* Until the host is there. Its first frame may be in the reader then. */
void channel_await_host(struct frame_reader *reader);

void channel_send(enum frame_type type, const void *first, size_t first_length, const void *second,
                  size_t second_length);

/* Sends FAILURE and ends the agent. */
_Noreturn void channel_fail(enum failure_code code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/*
 * Reads and drops what the host still sends until it hangs up. Ending at once instead would close a socket with unread
 * bytes, which the host sees as a reset (unix(7): ECONNRESET), and would take the host's counters away with the
 * sandbox.
 */
void channel_await_hang_up(void);

/*
 * Before the first instruction of a stranger's program: whoever took the agent over later could fill the host's disk through
 * the log on fd 2. What the agent still has to say goes to the host as a FAILURE frame.
 */
void channel_close_log(void);

/* One line on stderr, then the end. */
_Noreturn void die(const char *what);

#endif

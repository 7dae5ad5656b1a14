/*
 * The way to the host on an own kernel. Towards the host no name exists but its number (vsock(7)); what answers there, and who
 * may come in, is decided by Firecracker and the engine. In two directions:
 *
 *   out   one frame on a connection of its own, before the host has one: PARKED, or why there is none
 *   in    the run's connection. A listener outlives a snapshot, connections do not: those that come are tried until one of
 *         them brings a whole frame
 */
#ifndef AGENT_VSOCK_H
#define AGENT_VSOCK_H

#include "frame.h"

/* Returns when the host has hung up, so that no connection is open when it takes a snapshot. False with errno. */
bool vsock_tell(enum frame_type type, const void *first, size_t first_length, const void *second, size_t second_length);

/* -1 with errno. */
int vsock_listen(void);

/*
 * Waits, without a deadline, for a connection whose first frame is complete (or oversized), leaves that in the reader, and gives
 * the connection. -1 with errno.
 */
int vsock_await_frame(int listener, struct frame_reader *reader);

#endif

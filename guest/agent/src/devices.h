#ifndef AGENT_DEVICES_H
#define AGENT_DEVICES_H

/*
 * Removes from /dev what no program needs. A kernel offers devices of its own accord (gVisor: fuse and net/tun, open to
 * everybody), so that a list of what may stay is safer than one of what must go. The path that could not be removed (errno
 * says why), or NULL.
 */
const char *devices_remove_unneeded(void);

#endif

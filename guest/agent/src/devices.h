/* /dev holds what programs need, and nothing else. The two ways to that end: */
#ifndef AGENT_DEVICES_H
#define AGENT_DEVICES_H

/*
 * From what there is remove what no program needs. A kernel offers devices of its own accord (gVisor: fuse and net/tun, open to
 * everybody), so that a list of what may stay is safer than one of what must go. The path that could not be removed (errno
 * says why), or NULL.
 */
const char *devices_remove_unneeded(void);

/* Make them in an empty directory; pts and shm are made to mount on. -1 with errno. */
int devices_make(const char *directory);

#endif

/*
 * The program's root on an own kernel: the drive, read-only, and over it what a container's runtime would mount. The step that
 * failed (errno says why), or NULL.
 */
#ifndef AGENT_ROOT_H
#define AGENT_ROOT_H

/* Wants devtmpfs and sysfs mounted at /dev and /sys. */
const char *root_assemble(void);

/* Leaves the initramfs for it, for good. */
const char *root_enter(void);

#endif

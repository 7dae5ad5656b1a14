#ifndef AGENT_KNOBS_H
#define AGENT_KNOBS_H

/*
 * Sets what an own kernel allows, in /proc/sys and /sys. After it no module can be loaded. Every knob must be there: one that a
 * kernel does not have is a kernel that was not looked at. The path that failed (errno says why), or NULL.
 */
const char *knobs_lock(void);

#endif

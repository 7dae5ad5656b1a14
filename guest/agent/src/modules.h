#ifndef AGENT_MODULES_H
#define AGENT_MODULES_H

/*
 * Loads every file of a directory as a kernel module, in the order of their names, and removes them from memory. The step
 * that failed (errno says why), or NULL.
 */
const char *modules_load(const char *directory);

#endif

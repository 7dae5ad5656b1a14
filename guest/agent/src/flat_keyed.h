#ifndef AGENT_FLAT_KEYED_H
#define AGENT_FLAT_KEYED_H

#include <stdint.h>

/* The number of a key in a file of lines "KEY NUMBER" (cgroup-v2.rst, "flat keyed"); 0 if it is not there. */
uint64_t flat_keyed_value(const char *text, const char *key);

#endif

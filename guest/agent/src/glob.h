#ifndef AGENT_GLOB_H
#define AGENT_GLOB_H

#include <stdbool.h>

/* fnmatch(3) with FNM_PATHNAME; a leading two stars and slash match any directories, also none. */
bool glob_matches(const char *pattern, const char *path);

#endif

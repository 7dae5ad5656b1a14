#ifndef AGENT_GLOB_H
#define AGENT_GLOB_H

#include <stdbool.h>

/* fnmatch(3) part by part, so that no star crosses a slash. A part of two stars stands for any parts, also none, but at the end for at
   least one: what lies below. A part "." stands for nothing. */
bool glob_matches(const char *pattern, const char *path);

#endif

#include "glob.h"

#include <fnmatch.h>
#include <string.h>

bool glob_matches(const char *pattern, const char *path) {
    bool any_depth = strncmp(pattern, "**/", 3) == 0;
    if (!any_depth)
        return fnmatch(pattern, path, FNM_PATHNAME) == 0;
    for (const char *tail = path; tail; tail = strchr(tail, '/')) {
        if (*tail == '/')
            tail++;
        if (fnmatch(pattern + 3, tail, FNM_PATHNAME) == 0)
            return true;
    }
    return false;
}

#include "glob.h"

#include "protocol.h"

#include <fnmatch.h>
#include <string.h>

static size_t first_length(const char *parts) {
    return strcspn(parts, "/");
}

/* What follows the first part; NULL if it is the last. */
static const char *rest(const char *parts) {
    parts += first_length(parts);
    return *parts ? parts + 1 : NULL;
}

static bool first_is(const char *parts, const char *part) {
    return first_length(parts) == strlen(part) && strncmp(parts, part, strlen(part)) == 0;
}

static bool copy_first(char *copy, size_t size, const char *parts) {
    size_t length = first_length(parts);
    if (length >= size)
        return false;
    memcpy(copy, parts, length);
    copy[length] = 0;
    return true;
}

static bool first_matches(const char *pattern, const char *path) {
    char wanted[PATH_BYTES_MAX + 1], name[PATH_BYTES_MAX + 1];
    return copy_first(wanted, sizeof wanted, pattern) && copy_first(name, sizeof name, path) &&
           fnmatch(wanted, name, 0) == 0;
}

/* Only the last two stars are ever taken up again: what stands before them has matched, and a longer match of it would leave them less.
   So the work is bounded by parts of the pattern times parts of the path. */
bool glob_matches(const char *pattern, const char *path) {
    const char *after_stars = NULL, *retry = NULL;
    while (path) {
        if (pattern && first_is(pattern, ".")) {
            pattern = rest(pattern);
        } else if (pattern && first_is(pattern, "**")) {
            after_stars = pattern = rest(pattern);
            retry = path;
            if (!pattern)
                return true;
        } else if (pattern && first_matches(pattern, path)) {
            pattern = rest(pattern);
            path = rest(path);
        } else if (after_stars) {
            pattern = after_stars;
            path = retry = rest(retry);
        } else {
            return false;
        }
    }
    return !pattern;
}

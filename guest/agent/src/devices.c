#include "devices.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define NESTING_MAX 16

static bool is_needed(const char *name) {
    static const char *const needed[] = {
        ".",    "..",  "null", "zero", "full",  "random", "urandom", "tty",
        "ptmx", "pts", "shm",  "fd",   "stdin", "stdout", "stderr",
    };
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        if (strcmp(name, needed[i]) == 0)
            return true;
    return false;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *position) {
    (void)status, (void)type, (void)position;
    return remove(path);
}

const char *devices_remove_unneeded(void) {
    static char path[PATH_MAX];
    DIR *devices = opendir("/dev");
    if (!devices)
        return "/dev";
    const char *failed = NULL;
    struct dirent *entry;
    while (!failed && (entry = readdir(devices))) {
        if (is_needed(entry->d_name))
            continue;
        snprintf(path, sizeof path, "/dev/%s", entry->d_name);
        if (nftw(path, remove_entry, NESTING_MAX, FTW_DEPTH | FTW_PHYS))
            failed = path;
    }
    int error = errno;
    closedir(devices);
    errno = error;
    return failed;
}

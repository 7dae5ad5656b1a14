#include "devices.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define NESTING_MAX 16

struct device {
    const char *name;
    unsigned major, minor; /* 0, 0: not a device */
    const char *link;      /* NULL: a directory */
};

/* The numbers are in Documentation/admin-guide/devices.txt. */
static const struct device needed[] = {
    {"null", 1, 3, NULL},
    {"zero", 1, 5, NULL},
    {"full", 1, 7, NULL},
    {"random", 1, 8, NULL},
    {"urandom", 1, 9, NULL},
    {"tty", 5, 0, NULL},
    {"ptmx", 0, 0, "pts/ptmx"},
    {"fd", 0, 0, "/proc/self/fd"},
    {"stdin", 0, 0, "/proc/self/fd/0"},
    {"stdout", 0, 0, "/proc/self/fd/1"},
    {"stderr", 0, 0, "/proc/self/fd/2"},
    {"pts", 0, 0, NULL},
    {"shm", 0, 0, NULL},
};
#define NEEDED (sizeof needed / sizeof *needed)

static bool is_needed(const char *name) {
    for (size_t i = 0; i < NEEDED; i++)
        if (strcmp(name, needed[i].name) == 0)
            return true;
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
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

static int make(const char *path, const struct device *device) {
    if (device->link)
        return symlink(device->link, path);
    if (!device->major)
        return mkdir(path, 0755);
    if (mknod(path, S_IFCHR, makedev(device->major, device->minor)))
        return -1;
    return chmod(path, 0666); /* whatever the umask is */
}

int devices_make(const char *directory) {
    char path[PATH_MAX];
    for (size_t i = 0; i < NEEDED; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, needed[i].name);
        if (make(path, &needed[i]))
            return -1;
    }
    return 0;
}

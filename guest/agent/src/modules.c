#include "modules.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static const char *load(const char *path) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return path;
    long failed = syscall(SYS_finit_module, file, "", 0);
    int error = errno;
    close(file);
    errno = error;
    return failed || unlink(path) ? path : NULL;
}

static int is_module(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

const char *modules_load(const char *directory) {
    static char path[PATH_MAX];
    struct dirent **modules;
    int count = scandir(directory, &modules, is_module, alphasort);
    if (count < 0)
        return directory;
    const char *failed = NULL;
    for (int i = 0; i < count && !failed; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, modules[i]->d_name);
        failed = load(path);
    }
    return failed ? failed : rmdir(directory) ? directory : NULL;
}

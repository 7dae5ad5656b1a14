#include "cgroup.h"

#include "flat_keyed.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TEXT_BYTES 1024

/* -1: there is none. Descriptors, because the hierarchy is mounted where no program can look. */
static int program = -1;
static int root = -1;
static int peak = -1;

static bool write_file(int directory, const char *name, const char *text) {
    int file = openat(directory, name, O_WRONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    bool written = write(file, text, strlen(text)) == (ssize_t)strlen(text);
    int error = errno;
    close(file);
    errno = error;
    return written;
}

static bool write_number(const char *name, uint64_t number) {
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, number);
    return write_file(program, name, text);
}

/* False with errno, also when the file is longer than any that is read here. */
static bool read_text(int file, char text[TEXT_BYTES]) {
    ssize_t got = pread(file, text, TEXT_BYTES, 0);
    if (got >= 0 && got < TEXT_BYTES) {
        text[got] = 0;
        return true;
    }
    errno = got < 0 ? errno : EFBIG;
    return false;
}

static bool read_file(const char *name, char text[TEXT_BYTES]) {
    int file = openat(program, name, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    bool read = read_text(file, text);
    int error = errno;
    close(file);
    errno = error;
    return read;
}

const char *cgroup_hold(const char *hierarchy) {
    root = open(hierarchy, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return root < 0 ? "open the cgroups" : NULL;
}

bool cgroup_is_held(void) {
    return root >= 0;
}

const char *cgroup_make(void) {
    if (root < 0)
        return NULL;
    /* cpu: the program, however many processes it has, is one competitor of the agent. */
    if (!write_file(root, "cgroup.subtree_control", "+cpu +memory +pids"))
        return "cgroup.subtree_control";
    if (mkdirat(root, "program", 0755))
        return "make a cgroup";
    program = openat(root, "program", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (program < 0)
        return "open a cgroup";
    peak = openat(program, "memory.peak", O_RDWR | O_CLOEXEC);
    if (peak < 0)
        return "memory.peak";
    return write_file(program, "memory.swap.max", "0") ? NULL : "memory.swap.max";
}

/* "0" is the writer itself (cgroups(7)), whatever pid namespace this is. */
static const char *move_to(int cgroup) {
    return cgroup < 0 || write_file(cgroup, "cgroup.procs", "0") ? NULL : "cgroup.procs";
}

const char *cgroup_enter(void) {
    return move_to(program);
}

const char *cgroup_leave(void) {
    return move_to(root);
}

const char *cgroup_limit(uint64_t memory_bytes, uint32_t processes) {
    char parked[TEXT_BYTES];
    if (program < 0)
        return NULL;
    if (memory_bytes == 0) {
        errno = EINVAL;
        return "a memory limit of zero";
    }
    if (!read_file("memory.current", parked))
        return "memory.current";
    uint64_t most;
    if (__builtin_add_overflow(strtoull(parked, NULL, 10), memory_bytes, &most))
        most = UINT64_MAX;
    if (!write_number("memory.max", most))
        return "memory.max";
    if (!write_number("pids.max", processes))
        return "pids.max";
    /* Begins anew for this descriptor, whatever is written (cgroup-v2.rst, since Linux 6.12): parking is not the program's. */
    return write(peak, "0", 1) == 1 ? NULL : "memory.peak";
}

struct cgroup_usage cgroup_usage(void) {
    struct cgroup_usage usage = {0};
    char text[TEXT_BYTES];
    if (program < 0)
        return usage;
    if (read_text(peak, text))
        usage.peak_bytes = strtoull(text, NULL, 10);
    if (read_file("memory.events", text))
        usage.out_of_memory = flat_keyed_value(text, "oom_kill") > 0;
    return usage;
}

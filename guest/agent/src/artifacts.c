#include "artifacts.h"

#include "bytes.h"
#include "channel.h"
#include "glob.h"
#include "utf8.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEPTH_MAX 16
#define ENTRIES_MAX 10000
#define SKIPPED_MAX 100

struct walk {
    const struct workspace *workspace;
    const struct request *request;
    dev_t device;
    uint32_t entries;
    uint32_t skipped;
    uint32_t files;
    uint64_t bytes;
    char path[PATH_BYTES_MAX + 1];
};

static void send_path(enum frame_type type, const void *first, size_t length, const char *path) {
    char clean[PATH_BYTES_MAX + 1];
    snprintf(clean, sizeof clean, "%s", path);
    utf8_repair(clean);
    channel_send(type, first, length, clean, strlen(clean));
}

static void skip(struct walk *walk, enum skip_reason reason) {
    uint8_t wire = (uint8_t)reason;
    if (walk->skipped++ < SKIPPED_MAX)
        send_path(FRAME_ARTIFACT_SKIPPED, &wire, 1, walk->path);
}

static bool wanted(const struct walk *walk, const struct stat *file) {
    const struct strings *globs = &walk->request->globs;
    for (size_t i = 0; i < globs->count; i++)
        if (glob_matches(globs->items[i], walk->path))
            return !workspace_is_input(walk->workspace, walk->path, file);
    return false;
}

static void send_contents(int fd, uint64_t size) {
    static uint8_t chunk[FRAME_PAYLOAD_MAX];
    while (size > 0) {
        ssize_t got = read(fd, chunk, size < sizeof chunk ? (size_t)size : sizeof chunk);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            die("an artifact ended early"); /* its size is promised; nobody is left who could have cut it */
        channel_send(FRAME_ARTIFACT_DATA, chunk, (size_t)got, NULL, 0);
        size -= (uint64_t)got;
    }
}

static void visit_file(struct walk *walk, int directory, const char *name, const struct stat *listed) {
    if (!wanted(walk, listed))
        return;
    const struct limits *limits = &walk->request->limits;
    if (walk->files >= limits->artifacts_max) {
        skip(walk, SKIP_TOO_MANY);
        return;
    }
    if ((uint64_t)listed->st_size > limits->artifacts_bytes_max - walk->bytes) {
        skip(walk, SKIP_TOO_LARGE);
        return;
    }
    int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat file;
    if (fd < 0 || fstat(fd, &file) || !S_ISREG(file.st_mode) || file.st_size != listed->st_size) {
        skip(walk, SKIP_UNREADABLE);
    } else {
        walk->files++;
        walk->bytes += (uint64_t)file.st_size;
        uint8_t size[8];
        put_u64(size, (uint64_t)file.st_size);
        send_path(FRAME_ARTIFACT, size, sizeof size, walk->path);
        send_contents(fd, (uint64_t)file.st_size);
    }
    if (fd >= 0)
        close(fd);
}

static int by_name(const void *left, const void *right) {
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* Sorted, so that which files are kept does not depend on the order in a directory. */
static struct strings list_names(struct walk *walk, DIR *directory) {
    struct strings names = {0};
    struct dirent *entry;
    while (walk->entries < ENTRIES_MAX && (entry = readdir(directory))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        walk->entries++;
        if (!strings_add(&names, entry->d_name, strlen(entry->d_name)))
            die("no memory for a directory");
    }
    if (names.count > 0)
        qsort(names.items, names.count, sizeof *names.items, by_name);
    return names;
}

/* Takes the descriptor. */
static void visit_directory(struct walk *walk, int fd, size_t prefix, int depth) {
    DIR *directory = fdopendir(fd);
    if (!directory)
        die("fdopendir");
    struct strings names = list_names(walk, directory);
    for (size_t i = 0; i < names.count; i++) {
        const char *name = names.items[i];
        struct stat entry;
        size_t length = prefix + strlen(name);
        /* Room for a slash; whatever has a longer path could not have been named by the request either. */
        if (length + 1 >= sizeof walk->path || fstatat(fd, name, &entry, AT_SYMLINK_NOFOLLOW))
            continue;
        memcpy(walk->path + prefix, name, length - prefix + 1);
        if (S_ISREG(entry.st_mode))
            visit_file(walk, fd, name, &entry);
        else if (S_ISDIR(entry.st_mode) && entry.st_dev == walk->device && depth < DEPTH_MAX) {
            int child = openat(fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
            memcpy(walk->path + length, "/", 2);
            if (child >= 0)
                visit_directory(walk, child, length + 1, depth + 1);
        }
    }
    strings_free(&names);
    closedir(directory);
}

void artifacts_send(const struct workspace *workspace, const struct request *request) {
    if (request->globs.count == 0)
        return;
    static struct walk walk;
    struct stat root;
    int fd = openat(workspace->root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &root))
        die("open /workspace");
    walk = (struct walk){.workspace = workspace, .request = request, .device = root.st_dev};
    visit_directory(&walk, fd, 0, 1);
}

#include "workspace.h"

#include "confine.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#define FILE_MODE 0644
#define DIRECTORY_MODE 0755

static int mount_tmpfs(const char *target, uint64_t bytes, uint32_t inodes, const char *owner_and_mode) {
    char options[128];
    snprintf(options, sizeof options, "size=%llu,nr_inodes=%u,%s", (unsigned long long)bytes, inodes, owner_and_mode);
    return mount("tmpfs", target, "tmpfs", MS_NOSUID | MS_NODEV, options);
}

const char *workspace_mount(struct workspace *workspace, const struct limits *limits) {
    *workspace = (struct workspace){.root = -1, .open_file = -1};
    if (mount_tmpfs(WORKSPACE, limits->workspace_bytes, limits->inodes, "mode=0755,uid=1000,gid=1000"))
        return "mount /workspace";
    if (mount_tmpfs("/tmp", limits->tmp_bytes, limits->inodes, "mode=1777"))
        return "mount /tmp";
    if (mount_tmpfs("/dev/shm", limits->shm_bytes, limits->inodes, "mode=1777"))
        return "mount /dev/shm";
    workspace->root = open(WORKSPACE, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return workspace->root < 0 ? "open /workspace" : NULL;
}

/* The directory of a path, made if it is not there. The caller closes it. -1 with errno. */
static int open_parent(int root, const char *path, const char **name) {
    int directory = fcntl(root, F_DUPFD_CLOEXEC, 0);
    const char *slash;
    while (directory >= 0 && (slash = strchr(path, '/'))) {
        char part[NAME_MAX + 1];
        snprintf(part, sizeof part, "%.*s", (int)(slash - path), path);
        bool made = mkdirat(directory, part, DIRECTORY_MODE) == 0;
        int next =
            made || errno == EEXIST ? openat(directory, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1;
        if (next >= 0 && made && fchown(next, SANDBOX_UID, SANDBOX_GID)) {
            close(next);
            next = -1;
        }
        int error = errno;
        close(directory);
        errno = error;
        directory = next;
        path = slash + 1;
    }
    *name = path;
    return directory;
}

static const char *close_file(struct workspace *workspace) {
    if (workspace->open_file < 0)
        return NULL;
    struct stat file;
    int failed = fstat(workspace->open_file, &file);
    close(workspace->open_file);
    workspace->open_file = -1;
    if (failed)
        return "fstat";
    if (workspace->input_count == workspace->input_capacity) {
        size_t capacity = workspace->input_capacity ? workspace->input_capacity * 2 : 16;
        struct input_file *inputs = realloc(workspace->inputs, capacity * sizeof *inputs);
        if (!inputs)
            return "realloc";
        workspace->inputs = inputs;
        workspace->input_capacity = capacity;
    }
    workspace->inputs[workspace->input_count++] = (struct input_file){file.st_ino, file.st_ctim, workspace->open_path};
    workspace->open_path = NULL;
    return NULL;
}

const char *workspace_open_file(struct workspace *workspace, const char *path) {
    const char *failed = close_file(workspace);
    if (failed)
        return failed;
    const char *name;
    int directory = open_parent(workspace->root, path, &name);
    if (directory < 0)
        return "make a directory";
    workspace->open_file = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, FILE_MODE);
    int error = errno;
    close(directory);
    errno = error;
    if (workspace->open_file < 0)
        return "make a file";
    if (fchown(workspace->open_file, SANDBOX_UID, SANDBOX_GID))
        return "fchown";
    workspace->open_path = strdup(path);
    return workspace->open_path ? NULL : "strdup";
}

const char *workspace_write(struct workspace *workspace, const uint8_t *bytes, size_t length) {
    while (length > 0) {
        ssize_t written = write(workspace->open_file, bytes, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return "write a file";
        bytes += written;
        length -= (size_t)written;
    }
    return NULL;
}

static int by_inode(const void *left, const void *right) {
    ino_t a = ((const struct input_file *)left)->inode, b = ((const struct input_file *)right)->inode;
    return (a > b) - (a < b);
}

const char *workspace_seal(struct workspace *workspace) {
    const char *failed = close_file(workspace);
    if (!failed && workspace->input_count > 0)
        qsort(workspace->inputs, workspace->input_count, sizeof *workspace->inputs, by_inode);
    return failed;
}

bool workspace_is_input(const struct workspace *workspace, const char *path, const struct stat *file) {
    if (workspace->input_count == 0)
        return false;
    struct input_file key = {.inode = file->st_ino};
    const struct input_file *input =
        bsearch(&key, workspace->inputs, workspace->input_count, sizeof *workspace->inputs, by_inode);
    return input && input->changed.tv_sec == file->st_ctim.tv_sec && input->changed.tv_nsec == file->st_ctim.tv_nsec &&
           strcmp(input->path, path) == 0;
}

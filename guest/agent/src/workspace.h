/*
 * The program's writable file systems, and the files that the request brings.
 *
 * workspace_mount mounts all three anew over what was there while the interpreter parked, so that each run gets its own
 * sizes: tmpfs cannot be resized under gVisor. The workspace stays open here, so that what is read afterwards is below
 * it whatever the program did to its paths.
 */
#ifndef AGENT_WORKSPACE_H
#define AGENT_WORKSPACE_H

#include "request.h"

#include <stdbool.h>
#include <sys/stat.h>
#include <time.h>

struct input_file {
    ino_t inode;
    struct timespec changed;
    char *path;
};

struct workspace {
    int root;
    int open_file; /* -1: none */
    char *open_path;
    struct input_file *inputs;
    size_t input_count;
    size_t input_capacity;
};

/* The step that failed (errno says why), or NULL; so below. */
const char *workspace_mount(struct workspace *workspace, const struct limits *limits);

/* The path must be safe; EEXIST if the file is there already. Closes the file opened before. */
const char *workspace_open_file(struct workspace *workspace, const char *path);
const char *workspace_write(struct workspace *workspace, const uint8_t *bytes, size_t length);

/* Closes the last file. From here on workspace_is_input answers. */
const char *workspace_seal(struct workspace *workspace);

/* This file is an input that the program neither changed nor moved. */
bool workspace_is_input(const struct workspace *workspace, const char *path, const struct stat *file);

#endif

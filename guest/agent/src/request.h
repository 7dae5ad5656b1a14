/*
 * What the host asks for, gathered from its frames. Pure: checks order, sizes and contents, and says what is to be
 * done.
 *
 *   AWAIT_RESUME --RESUME--> AWAIT_LIMITS --LIMITS--> GATHERING --START--> RUNNING --STDIN_END--> STDIN_ENDED
 *
 * Every frame that its state does not name is a violation, which is final. The host is trusted, but a fault of its own
 * must end the sandbox instead of running something else than was asked.
 */
#ifndef AGENT_REQUEST_H
#define AGENT_REQUEST_H

#include "frame.h"
#include "strings.h"

#include <stdbool.h>
#include <stdint.h>

#define ARGUMENTS_MAX 65536u
#define VARIABLES_MAX 16384u
#define GLOBS_MAX 256u
#define STRINGS_BYTES_MAX (8u << 20)

struct limits {
    uint32_t wall_time_ms;
    uint32_t processes;
    uint32_t open_files;
    uint32_t stdout_cap;
    uint32_t stderr_cap;
    uint32_t inodes;
    uint64_t workspace_bytes;
    uint64_t tmp_bytes;
    uint64_t shm_bytes;
    uint64_t memory_bytes;
    uint32_t artifacts_max;
    uint64_t artifacts_bytes_max;
};

enum request_state { AWAIT_RESUME, AWAIT_LIMITS, GATHERING, RUNNING, STDIN_ENDED };

enum request_action {
    ACTION_VIOLATION, /* request->violation says what was wrong */
    ACTION_NO_MEMORY,
    ACTION_NONE,
    ACTION_RESUME,
    ACTION_APPLY_LIMITS,
    ACTION_OPEN_FILE, /* request->path */
    ACTION_WRITE_FILE,
    ACTION_START,
    ACTION_STDIN,
    ACTION_STDIN_END,
};

struct request {
    enum request_state state;
    struct limits limits;
    struct strings arguments;
    struct strings environment; /* starts with the defaults, see default_environment */
    struct strings globs;
    bool file_open;
    char path[PATH_BYTES_MAX + 1];
    const char *violation;
};

enum request_action request_accept(struct request *request, const struct frame *frame);

/* A relative path without empty, "." or ".." parts. */
bool path_is_safe(const char *path, size_t length);

#endif

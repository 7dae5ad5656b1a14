#include "request.h"

#include "bytes.h"

#include <limits.h>
#include <string.h>

static enum request_action violation(struct request *request, const char *what) {
    request->violation = what;
    return ACTION_VIOLATION;
}

bool path_is_safe(const char *path, size_t length) {
    if (length == 0 || length > PATH_BYTES_MAX || memchr(path, 0, length))
        return false;
    size_t start = 0;
    for (size_t i = 0; i <= length; i++) {
        if (i < length && path[i] != '/')
            continue;
        size_t part = i - start;
        const char *name = path + start;
        bool dots = (part == 1 && name[0] == '.') || (part == 2 && name[0] == '.' && name[1] == '.');
        if (part == 0 || part > NAME_MAX || dots)
            return false;
        start = i + 1;
    }
    return true;
}

static enum request_action accept_limits(struct request *request, const struct frame *frame) {
    if (frame->length != LIMITS_BYTES)
        return violation(request, "LIMITS has the wrong size");
    const uint8_t *p = frame->payload;
    struct limits *limits = &request->limits;
    *limits = (struct limits){
        .wall_time_ms = get_u32(p),
        .processes = get_u32(p + 4),
        .open_files = get_u32(p + 8),
        .stdout_cap = get_u32(p + 12),
        .stderr_cap = get_u32(p + 16),
        .inodes = get_u32(p + 20),
        .workspace_bytes = get_u64(p + 24),
        .tmp_bytes = get_u64(p + 32),
        .shm_bytes = get_u64(p + 40),
        .memory_bytes = get_u64(p + 48),
        .artifacts_max = get_u32(p + 56),
        .artifacts_bytes_max = get_u64(p + 64),
    };
    /* tmpfs takes a size or inode count of 0 for "no limit" (tmpfs(5)): never pass one on. */
    if (!limits->wall_time_ms || !limits->processes || !limits->open_files || !limits->inodes ||
        !limits->workspace_bytes || !limits->tmp_bytes || !limits->shm_bytes)
        return violation(request, "LIMITS has a limit of zero");
    if (get_u32(p + 60) != 0)
        return violation(request, "LIMITS has a reserved field that is not zero");
    request->state = GATHERING;
    return ACTION_APPLY_LIMITS;
}

static enum request_action accept_string(struct request *request, const struct frame *frame) {
    const char *text = (const char *)frame->payload;
    if (memchr(text, 0, frame->length))
        return violation(request, "a string holds a NUL");
    if (request->arguments.bytes + request->environment.bytes + request->globs.bytes + frame->length >
        STRINGS_BYTES_MAX)
        return violation(request, "arguments, variables and globs are too large");
    bool added;
    switch (frame->type) {
    case FRAME_ARG:
        if (request->arguments.count >= ARGUMENTS_MAX)
            return violation(request, "too many arguments");
        added = strings_add(&request->arguments, text, frame->length);
        break;
    case FRAME_ENV: {
        const char *equals = memchr(text, '=', frame->length);
        if (!equals || equals == text)
            return violation(request, "ENV is not NAME=value");
        if (request->environment.count >= VARIABLES_MAX)
            return violation(request, "too many variables");
        added = strings_put_variable(&request->environment, text, frame->length);
        break;
    }
    default:
        if (frame->length == 0 || frame->length > PATH_BYTES_MAX)
            return violation(request, "ARTIFACT_GLOB has the wrong size");
        if (request->globs.count >= GLOBS_MAX)
            return violation(request, "too many globs");
        added = strings_add(&request->globs, text, frame->length);
    }
    return added ? ACTION_NONE : ACTION_NO_MEMORY;
}

static enum request_action accept_file(struct request *request, const struct frame *frame) {
    if (frame->length < 1 || frame->payload[0] != 0)
        return violation(request, "FILE has unknown flags");
    const char *path = (const char *)frame->payload + 1;
    size_t length = frame->length - 1;
    if (!path_is_safe(path, length))
        return violation(request, "FILE has a path that is not plain and relative");
    memcpy(request->path, path, length);
    request->path[length] = 0;
    request->file_open = true;
    return ACTION_OPEN_FILE;
}

static enum request_action accept_input(struct request *request, const struct frame *frame) {
    switch (frame->type) {
    case FRAME_ARG:
    case FRAME_ENV:
    case FRAME_ARTIFACT_GLOB:
        return accept_string(request, frame);
    case FRAME_FILE:
        return accept_file(request, frame);
    case FRAME_DATA:
        return request->file_open ? ACTION_WRITE_FILE : violation(request, "DATA without FILE");
    case FRAME_START:
        if (frame->length != 0)
            return violation(request, "START has a payload");
        request->state = RUNNING;
        return ACTION_START;
    default:
        return violation(request, "a frame that may not come before START");
    }
}

enum request_action request_accept(struct request *request, const struct frame *frame) {
    switch (request->state) {
    case AWAIT_RESUME:
        if (frame->type != FRAME_RESUME || frame->length != RESUME_BYTES)
            return violation(request, "RESUME of 76 bytes was due");
        if (get_u32(frame->payload) != PROTOCOL_VERSION)
            return violation(request, "RESUME asks for another protocol version than 1");
        request->state = AWAIT_LIMITS;
        return ACTION_RESUME;
    case AWAIT_LIMITS:
        return frame->type == FRAME_LIMITS ? accept_limits(request, frame) : violation(request, "LIMITS was due");
    case GATHERING:
        return accept_input(request, frame);
    case RUNNING:
        if (frame->type == FRAME_STDIN)
            return ACTION_STDIN;
        if (frame->type != FRAME_STDIN_END || frame->length != 0)
            return violation(request, "STDIN or STDIN_END was due");
        request->state = STDIN_ENDED;
        return ACTION_STDIN_END;
    case STDIN_ENDED:
        break;
    }
    return violation(request, "a frame after STDIN_END");
}

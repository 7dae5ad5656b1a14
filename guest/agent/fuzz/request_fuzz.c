/*
 * libFuzzer over what the host sends: any bytes, in pieces of any size, through the frame reader and the request's state
 * machine. Neither may read or write out of bounds, and what they accept must keep its promises.
 */
#include "../src/frame.h"
#include "../src/glob.h"
#include "../src/language.h"
#include "../src/launch_blob.h"
#include "../src/request.h"
#include "../src/utf8.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct frame_reader reader;
static struct request request;

static void release(void) {
    strings_free(&request.arguments);
    strings_free(&request.environment);
    strings_free(&request.globs);
}

static void check_state(enum request_action action) {
    if (action == ACTION_VIOLATION)
        assert(request.violation);
    if (action == ACTION_APPLY_LIMITS)
        assert(request.limits.workspace_bytes && request.limits.tmp_bytes && request.limits.shm_bytes &&
               request.limits.inodes && request.limits.processes && request.limits.open_files);
    if (action == ACTION_OPEN_FILE) {
        assert(request.path[0] != '/' && !strstr(request.path, "//") && strcmp(request.path, "..") != 0);
        assert(strncmp(request.path, "../", 3) != 0 && !strstr(request.path, "/../"));
        char copy[sizeof request.path];
        strcpy(copy, request.path);
        utf8_repair(copy);
        assert(strlen(copy) == strlen(request.path));
        for (size_t i = 0; i < request.globs.count; i++)
            (void)glob_matches(request.globs.items[i], request.path);
    }
    if (action == ACTION_START) {
        static const uint8_t seed[SEED_BYTES];
        struct launch_blob blob =
            launch_blob_make("/workspace/main.py", &request.arguments, &request.environment, seed);
        assert(blob.bytes);
        free(blob.bytes);
    }
}

/* All that are complete; false after a violation. */
static bool accept_frames(void) {
    while (frame_status(&reader) == FRAME_COMPLETE) {
        struct frame frame = frame_current(&reader);
        enum request_action action = request_accept(&request, &frame);
        check_state(action);
        frame_done(&reader);
        if (action == ACTION_VIOLATION)
            return false;
    }
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2)
        return 0;
    /* The first byte chooses the size of the pieces, the second the state to begin in: START lies deep otherwise. */
    size_t step = data[0] + 1u;
    request = (struct request){.state = (enum request_state)(data[1] % (STDIN_ENDED + 1))};
    default_environment(&request.environment);
    frame_drop(&reader);
    data += 2;
    size -= 2;
    while (size > 0) {
        size_t wanted;
        uint8_t *space = frame_space(&reader, &wanted);
        size_t count = wanted < size ? wanted : size;
        count = count < step ? count : step;
        memcpy(space, data, count);
        data += count;
        size -= count;
        frame_advance(&reader, count);
        if (!accept_frames() || frame_status(&reader) == FRAME_OVERSIZED)
            break;
    }
    release();
    return 0;
}

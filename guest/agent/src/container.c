/* Pid 1 of a container (gVisor). */
#include "platform.h"

#include "devices.h"

#include <stddef.h>
#include <unistd.h>

/* Clock and generator are the host's, and need nothing after a resume. */
static const char *renew(uint64_t wall_clock_ns, const uint8_t *entropy) {
    (void)wall_clock_ns, (void)entropy;
    return NULL;
}

static const char *const nothing[] = {NULL};

const struct platform container = {
    .set_up = devices_remove_unneeded,
    .renew = renew,
    .touches_ahead = true,
    .end = _exit,
    .hidden = nothing,
};

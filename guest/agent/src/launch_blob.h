/* What a parked interpreter is released with: docs/agent-protocol.md, "The launch blob". */
#ifndef AGENT_LAUNCH_BLOB_H
#define AGENT_LAUNCH_BLOB_H

#include "strings.h"

#include <stdint.h>

#define SEED_BYTES 32

struct launch_blob {
    uint8_t *bytes;
    size_t length;
};

/* bytes is NULL if there is no memory; else the caller frees it. */
struct launch_blob launch_blob_make(const char *script, const struct strings *arguments,
                                    const struct strings *environment, const uint8_t seed[SEED_BYTES]);

#endif

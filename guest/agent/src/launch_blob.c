#include "launch_blob.h"

#include "bytes.h"

#include <stdlib.h>
#include <string.h>

static uint8_t *put_bytes(uint8_t *p, const void *bytes, size_t length) {
    memcpy(p, bytes, length);
    return p + length;
}

static uint8_t *put_string(uint8_t *p, const char *text) {
    size_t length = strlen(text);
    put_u32(p, (uint32_t)length);
    return put_bytes(p + 4, text, length);
}

struct launch_blob launch_blob_make(const char *script, const struct strings *arguments,
                                    const struct strings *environment, const uint8_t seed[SEED_BYTES]) {
    /* A string takes its length and four bytes; the lists count one terminator for each, which is one of the four. */
    size_t length = 4 + 4 + 4 + (4 + strlen(script)) + (arguments->bytes + 3 * arguments->count) +
                    (environment->bytes + 3 * environment->count) + SEED_BYTES;
    uint8_t *bytes = malloc(length);
    if (!bytes)
        return (struct launch_blob){0};
    put_u32(bytes, (uint32_t)(length - 4));
    put_u32(bytes + 4, (uint32_t)arguments->count + 1);
    put_u32(bytes + 8, (uint32_t)environment->count);
    uint8_t *p = put_string(bytes + 12, script);
    for (size_t i = 0; i < arguments->count; i++)
        p = put_string(p, arguments->items[i]);
    for (size_t i = 0; i < environment->count; i++)
        p = put_string(p, environment->items[i]);
    put_bytes(p, seed, SEED_BYTES);
    return (struct launch_blob){bytes, length};
}

#include "utf8.h"

#include <stddef.h>
#include <stdint.h>

/* The length of the well-formed sequence at p (Unicode, table 3-7), or 0. A NUL ends every sequence early. */
static size_t sequence(const uint8_t *p) {
    size_t length = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : p[0] < 0xf5 ? 4 : 0;
    if (length < 2)
        return length;
    uint8_t low = p[0] == 0xe0 ? 0xa0 : p[0] == 0xf0 ? 0x90 : 0x80;
    uint8_t high = p[0] == 0xed ? 0x9f : p[0] == 0xf4 ? 0x8f : 0xbf;
    if (p[1] < low || p[1] > high)
        return 0;
    for (size_t i = 2; i < length; i++)
        if (p[i] < 0x80 || p[i] > 0xbf)
            return 0;
    return length;
}

void utf8_repair(char *text) {
    for (uint8_t *p = (uint8_t *)text; *p;) {
        size_t length = sequence(p);
        if (length == 0) {
            *p = '?';
            length = 1;
        }
        p += length;
    }
}

/* A list of strings that owns them and ends with NULL, as execve wants it. */
#ifndef AGENT_STRINGS_H
#define AGENT_STRINGS_H

#include <stdbool.h>
#include <stddef.h>

struct strings {
    char **items;
    size_t count;
    size_t capacity;
    size_t bytes; /* of all items with their terminators */
};

/* False if there is no memory. */
bool strings_add(struct strings *list, const char *text, size_t length);

/* Adds NAME=value in place of an item with the same name, if there is one. */
bool strings_put_variable(struct strings *list, const char *assignment, size_t length);

void strings_free(struct strings *list);

#endif

#include "strings.h"

#include <stdlib.h>
#include <string.h>

static char *copy_of(const char *text, size_t length) {
    char *copy = malloc(length + 1);
    if (copy) {
        memcpy(copy, text, length);
        copy[length] = 0;
    }
    return copy;
}

bool strings_add(struct strings *list, const char *text, size_t length) {
    if (list->count + 1 >= list->capacity) {
        size_t capacity = list->capacity ? list->capacity * 2 : 16;
        char **items = realloc(list->items, capacity * sizeof *items);
        if (!items)
            return false;
        list->items = items;
        list->capacity = capacity;
    }
    char *copy = copy_of(text, length);
    if (!copy)
        return false;
    list->items[list->count++] = copy;
    list->items[list->count] = NULL;
    list->bytes += length + 1;
    return true;
}

bool strings_put_variable(struct strings *list, const char *assignment, size_t length) {
    const char *equals = memchr(assignment, '=', length);
    size_t name_length = equals ? (size_t)(equals - assignment) + 1 : length;
    for (size_t i = 0; i < list->count; i++) {
        if (strncmp(list->items[i], assignment, name_length) != 0)
            continue;
        char *copy = copy_of(assignment, length);
        if (!copy)
            return false;
        list->bytes = list->bytes - strlen(list->items[i]) + length;
        free(list->items[i]);
        list->items[i] = copy;
        return true;
    }
    return strings_add(list, assignment, length);
}

void strings_free(struct strings *list) {
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i]);
    free(list->items);
    *list = (struct strings){0};
}

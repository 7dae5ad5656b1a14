/* How each language is started. The script's path comes after the command, then the program's own arguments. */
#ifndef AGENT_LANGUAGE_H
#define AGENT_LANGUAGE_H

#include "strings.h"

#include <stdbool.h>

struct language {
    const char *id;
    const char *script;
    const char *const *command;
    const char *const *parked_options; /* NULL: this language is never parked */
};

/* NULL if there is none of that name. */
const struct language *language_by_id(const char *id);

bool language_command(const struct language *language, const struct strings *arguments, struct strings *command);

/* The whole environment of a program whose request sets no variables. */
bool default_environment(struct strings *environment);

#endif

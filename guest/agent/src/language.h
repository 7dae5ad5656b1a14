/* How each language is started, to park. The script's path comes after the command. */
#ifndef AGENT_LANGUAGE_H
#define AGENT_LANGUAGE_H

#include "strings.h"

#include <stdbool.h>

struct language {
    const char *id;
    const char *script;
    const char *const *command;
    const char *const *parked_options; /* name the hook */
    const char *parked_variable;       /* the same where no option does; or NULL */
};

/* NULL if there is none of that name. */
const struct language *language_by_id(const char *id);

/* Without arguments of a program: the hook gets them with the launch blob. */
bool language_command(const struct language *language, struct strings *command);

/* The whole environment of a program whose request sets no variables. */
bool default_environment(struct strings *environment);

#endif

#include "language.h"

#include <string.h>

#define LIST(...) ((const char *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL})

/* The hook of Python is found by site; Node's and Bash's must be named (guest/runtimes). */
static const struct language languages[] = {
    {"python", "/workspace/main.py", LIST("/usr/bin/python3"), LIST(), NULL},
    {"javascript", "/workspace/main.js", LIST("/usr/local/bin/node"),
     LIST("--require", "/usr/lib/hexr-sandbox/park.cjs"), NULL},
    {"bash", "/workspace/main.sh", LIST("/bin/bash"), LIST(), "BASH_ENV=/usr/lib/hexr-sandbox/park.bash"},
};

const struct language *language_by_id(const char *id) {
    for (size_t i = 0; i < sizeof languages / sizeof *languages; i++)
        if (strcmp(languages[i].id, id) == 0)
            return &languages[i];
    return NULL;
}

static bool add(struct strings *list, const char *text) {
    return strings_add(list, text, strlen(text));
}

bool language_command(const struct language *language, struct strings *command) {
    for (const char *const *word = language->command; *word; word++)
        if (!add(command, *word))
            return false;
    for (const char *const *word = language->parked_options; *word; word++)
        if (!add(command, *word))
            return false;
    return add(command, language->script);
}

bool default_environment(struct strings *environment) {
    static const char *const defaults[] = {
        "PATH=/usr/local/bin:/usr/bin:/bin",
        "HOME=/workspace",
        "PWD=/workspace",
        "USER=sandbox",
        "LOGNAME=sandbox",
        "SHELL=/bin/bash",
        "LANG=C.UTF-8",
        /* matplotlib's cache; filled by the hook in guest/runtimes, so that no program waits for a font list. */
        "MPLCONFIGDIR=/tmp/.matplotlib",
    };
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++)
        if (!add(environment, defaults[i]))
            return false;
    return true;
}

/*
 * hexr_park, a builtin of the parked Bash. park.bash loads and calls it, which Bash sources as $BASH_ENV before it
 * opens its script. Life of a parked Bash:
 *
 *   parked    one byte `P` written, blocked in read(2); the script does not exist yet. A snapshot is taken here and
 *             resumed many times: docs/resume-hazards.md.
 *   launched  a call without arguments and variables of its own: what parking left is removed, and Bash opens the script
 *             as it always does. All other calls: Bash is executed anew, because it takes arguments and variables at its
 *             start only.
 *
 * A failure ends the process with status 70 and a line on stderr. End of stream while parked means that the agent is
 * gone: the process ends too.
 *
 * The functions and variables of Bash below are exported by its binary for builtins to use, though no header here
 * promises them. Against a Bash that lacks one this library does not load (it is linked with -z now), and no template
 * is made.
 */
#define _GNU_SOURCE
#include "../touch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/time.h>
#include <unistd.h>

#define BASH "/bin/bash"
#define WORKSPACE "/workspace"
#define PARK_VARIABLE "HEXR_PARK_FD"
#define HOOK_VARIABLE "BASH_ENV"
#define EX_SOFTWARE 70
#define EX_NOEXEC 126 /* of a shell */

/* builtins.h: what `enable -f` looks for. */
struct builtin {
    char *name;
    int (*function)(void *words);
    int flags;
    char *const *long_doc;
    const char *short_doc;
    char *handle;
};
#define BUILTIN_ENABLED 1

/* The environment that this Bash was started with. */
extern char **shell_environment;

/* All builtins: at first an array of its own, after `enable -f` a copy of it with one more. */
extern struct builtin *shell_builtins, static_shell_builtins[];
extern int num_shell_builtins;

/* $SECONDS counts from here; $RANDOM comes of this seed. */
extern time_t shell_start_time;
extern struct timeval shellstart;
extern void sbrand(unsigned long seed);

extern void *bind_variable(const char *name, char *value, int flags);
extern int unbind_variable(const char *name);
extern int return_builtin(void *words);

static _Noreturn void fail(const char *what) {
    fprintf(stderr, "park_bash: %s: %s\n", what, strerror(errno));
    _exit(EX_SOFTWARE);
}

static void read_exactly(int descriptor, void *bytes, size_t length) {
    for (char *to = bytes; length > 0;) {
        ssize_t got = read(descriptor, to, length);
        if (got == 0)
            _exit(EX_SOFTWARE); /* the agent is gone */
        if (got < 0 && errno != EINTR)
            fail("read");
        if (got > 0) {
            to += got;
            length -= (size_t)got;
        }
    }
}

static uint32_t number(const uint8_t *bytes) {
    uint32_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

/*
 * `count` strings of the blob, as a vector for execve(2). Never freed: the process is replaced, or the vector is
 * small.
 */
static char **strings(uint8_t **position, uint32_t count, uint32_t before) {
    char **vector = calloc((size_t)before + count + 1, sizeof *vector);
    for (uint32_t i = 0; vector && i < count; i++) {
        uint32_t length = number(*position);
        vector[before + i] = strndup((char *)*position + 4, length);
        if (!vector[before + i])
            return NULL;
        *position += 4 + length;
    }
    return vector;
}

static bool is_of_parking(const char *variable) {
    return strncmp(variable, PARK_VARIABLE "=", sizeof PARK_VARIABLE) == 0 ||
           strncmp(variable, HOOK_VARIABLE "=", sizeof HOOK_VARIABLE) == 0;
}

/* Is the call's environment that of this process? */
static bool same_environment(char **call) {
    for (char **own = shell_environment; *own; own++) {
        if (is_of_parking(*own))
            continue;
        if (!*call || strcmp(*own, *call) != 0)
            return false;
        call++;
    }
    return !*call;
}

/* As if nothing had been called, and at this moment, not before the snapshot. */
static void be_new(void) {
    unsigned int seed;
    if (getrandom(&seed, sizeof seed, 0) != sizeof seed || gettimeofday(&shellstart, NULL))
        fail("seed and time");
    sbrand(seed);
    shell_start_time = shellstart.tv_sec;
    shell_builtins = static_shell_builtins;
    num_shell_builtins--;
    unbind_variable(PARK_VARIABLE);
    unbind_variable(HOOK_VARIABLE);
    unbind_variable("PIPESTATUS");
    bind_variable("_", (char *)BASH, 0);
}

/*
 * System calls by which Bash opens a script, without effect. At the first one from each place the kernel of gVisor rewrites
 * the code there, which copies a page: better before the snapshot than in each resume.
 */
static void rehearse(void) {
    if (chdir(".") || lseek(-1, 0, SEEK_CUR) >= 0 || fcntl(-1, F_GETFD) >= 0 || dup2(-1, -1) >= 0)
        fail("rehearsal");
}

/* "The launch blob" in docs/agent-protocol.md. The seed at its end is not needed: the kernel's generator is used. */
static int park(void *words) {
    (void)words;
    const char *variable = getenv(PARK_VARIABLE);
    if (!variable)
        fail("no " PARK_VARIABLE);
    int descriptor = atoi(variable);
    rehearse();
    touch_remember_files();
    touch_remember_memory(SIZE_MAX);
    if (write(descriptor, "P", 1) != 1)
        fail("write");
    uint8_t head[4];
    while (read_exactly(descriptor, head, sizeof head), number(head) == 0)
        touch_remembered();
    uint8_t *body = malloc(number(head));
    if (!body)
        fail("no memory");
    read_exactly(descriptor, body, number(head));
    close(descriptor);
    uint32_t argument_count = number(body);
    uint8_t *position = body + 8;
    char **command = strings(&position, argument_count, 1);
    char **environment = strings(&position, number(body + 4), 0);
    if (!command || !environment)
        fail("no memory");
    /* Mounted anew since: the old directory is another one. */
    if (chdir(WORKSPACE))
        fail("chdir " WORKSPACE);
    if (argument_count > 1 || !same_environment(environment)) {
        command[0] = (char *)BASH;
        execve(BASH, command, environment);
        fprintf(stderr, BASH ": %s\n", strerror(errno));
        _exit(EX_NOEXEC);
    }
    free(body);
    be_new();
    /* Leaves park.bash as `return` does, after which Bash notes neither $_ nor PIPESTATUS of the command. */
    return return_builtin(NULL);
}

static char *const documentation[] = {NULL};

__attribute__((visibility("default"))) struct builtin hexr_park_struct = {
    (char *)"hexr_park", park, BUILTIN_ENABLED, documentation, "", NULL,
};

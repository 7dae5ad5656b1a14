/* The guest agent: pid 1 of a sandbox. See session.h for its life and docs/agent-protocol.md for its language. */
#include "channel.h"
#include "language.h"
#include "platform.h"
#include "session.h"

#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* A word of the kernel's command line, which the kernel hands to pid 1 as a variable (kernel-parameters.rst). */
#define LANGUAGE_VARIABLE "hexr_language"

const struct platform *platform = &container;

static _Noreturn void usage(void) {
    dprintf(STDERR_FILENO, "usage: agent --language python|javascript|bash   (the host speaks on fd 0 and 1)\n"
                           "   or: as /init of a kernel with " LANGUAGE_VARIABLE "=... on its command line\n");
    platform->end(2);
}

/* Without arguments a kernel has started this as its first process. */
static const char *language_id(int count, char **arguments) {
    if (count == 1 && getpid() == 1 && getenv(LANGUAGE_VARIABLE)) {
        platform = &own_kernel;
        channel_use_vsock();
        return getenv(LANGUAGE_VARIABLE);
    }
    return count == 3 && strcmp(arguments[1], "--language") == 0 ? arguments[2] : "";
}

int main(int count, char **arguments) {
    const struct language *language = language_by_id(language_id(count, arguments));
    if (!language)
        usage();
    prctl(PR_SET_DUMPABLE, 0);
    signal(SIGPIPE, SIG_IGN);
    setlocale(LC_CTYPE, "C.UTF-8"); /* so that ? in a glob is a character, not a byte */
    session_run(language);
}

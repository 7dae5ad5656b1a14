/* The guest agent: pid 1 of a sandbox. See session.h for its life and docs/agent-protocol.md for its language. */
#include "channel.h"
#include "language.h"
#include "session.h"

#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static _Noreturn void usage(void) {
    dprintf(STDERR_FILENO, "usage: agent --language python|javascript|bash   (the host speaks on fd 0 and 1)\n");
    _exit(2);
}

int main(int count, char **arguments) {
    if (count != 3 || strcmp(arguments[1], "--language") != 0)
        usage();
    const struct language *language = language_by_id(arguments[2]);
    if (!language)
        usage();
    prctl(PR_SET_DUMPABLE, 0);
    signal(SIGPIPE, SIG_IGN);
    setlocale(LC_CTYPE, "C.UTF-8"); /* so that ? in a glob is a character, not a byte */
    session_run(language);
}

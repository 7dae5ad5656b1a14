/*
 * What the agent is pid 1 of. In a container the runtime has made the surroundings, and clock, generator and memory limit are
 * the host's. On a kernel of its own all that is the agent's to do. main.c chooses; nothing else asks which it is.
 */
#ifndef AGENT_PLATFORM_H
#define AGENT_PLATFORM_H

#include <stdbool.h>
#include <stdint.h>

struct platform {
    /* Before anything is started: the root file system, its devices, what the kernel may do. The step that failed (errno says
     * why), or NULL; so below. */
    const char *(*set_up)(void);

    /* After a resume: the host's wall clock, and ENTROPY_BYTES that nobody else has. */
    const char *(*renew)(uint64_t wall_clock_ns, const uint8_t *entropy);

    /* Whether memory is worth touching while the sandbox waits. On a kernel of its own a first touch costs little, and what is
     * touched the machine no longer shares with others. */
    bool touches_ahead;

    /* Ends the agent and with it the sandbox. */
    void (*end)(int status) __attribute__((noreturn));

    /* Files of the program's /proc that read as empty; ends with NULL. */
    const char *const *hidden;
};

extern const struct platform container, own_kernel;

extern const struct platform *platform;

#endif

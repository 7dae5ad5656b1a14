#include "knobs.h"

#include <fcntl.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

struct knob {
    const char *path;
    const char *value;
};

/*
 * Documentation/admin-guide/sysctl. What seccomp refuses the program already is refused here once more: this holds for
 * whoever got past the filter, or was never in it.
 */
static const struct knob knobs[] = {
    {"/proc/sys/kernel/modprobe",
     "\n"}, /* empty: the kernel starts no helper for a module that a program's call might use */
    {"/proc/sys/kernel/modules_disabled", "1"},
    {"/proc/sys/kernel/kexec_load_disabled", "1"},
    {"/proc/sys/kernel/unprivileged_bpf_disabled", "1"},
    {"/proc/sys/net/core/bpf_jit_harden", "2"},
    {"/proc/sys/kernel/io_uring_disabled", "2"},
    {"/proc/sys/kernel/perf_event_paranoid", "3"},
    {"/proc/sys/user/max_user_namespaces", "0"},
    {"/proc/sys/vm/unprivileged_userfaultfd", "0"},
    {"/proc/sys/kernel/dmesg_restrict", "1"},
    {"/proc/sys/kernel/kptr_restrict", "2"},
    {"/proc/sys/kernel/sysrq", "0"},
    /* A kernel that has found itself broken must not go on. */
    {"/proc/sys/kernel/panic_on_oops", "1"},
    /* Only where a program asks: each huge page that is touched costs the host 2 MiB in every resumed sandbox. */
    {"/sys/kernel/mm/transparent_hugepage/enabled", "madvise"},
};

const char *knobs_lock(void) {
    for (size_t i = 0; i < sizeof knobs / sizeof *knobs; i++) {
        int file = open(knobs[i].path, O_WRONLY | O_CLOEXEC);
        if (file < 0)
            return knobs[i].path;
        ssize_t length = (ssize_t)strlen(knobs[i].value);
        if (write(file, knobs[i].value, (size_t)length) != length)
            return knobs[i].path;
        close(file);
    }
    return NULL;
}

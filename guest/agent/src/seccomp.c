/*
 * A short list of what no program needs here and what the kernel should not have to answer. Everything else is refused
 * by the lack of capabilities; gVisor implements few of these at all, a guest kernel would.
 *
 *   socket families   VSOCK leads to the host, PACKET and ALG are attack surface: EAFNOSUPPORT, as if not built in
 *   user namespaces   they give back the capabilities that were taken away: EPERM. clone3 keeps its flags in memory
 *                     that a filter cannot read: ENOSYS, upon which C libraries use clone
 *   io_uring          bypasses this filter for what it does: ENOSYS, upon which libuv uses epoll
 *   the rest          bpf, perf, userfaultfd, keyrings, kexec, modules: EPERM
 *   absurd mappings   larger than the most memory that a call may have: ENOMEM. Linux refuses what all its memory cannot
 *                     hold (vm/overcommit-accounting), and programs count on a MemoryError; gVisor would give it out, and
 *                     kill the program when it uses it. Reserving address space (PROT_NONE) is left alone
 *
 * Another ABI (i386, x32) would number the calls otherwise: the process is killed (seccomp(2), "Caveats").
 */
#include "confine.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define NATIVE_ARCH AUDIT_ARCH_X86_64
#define FIRST_FOREIGN_CALL 0x40000000u /* __X32_SYSCALL_BIT */
#elif defined(__aarch64__)
#define NATIVE_ARCH AUDIT_ARCH_AARCH64
#define FIRST_FOREIGN_CALL 0xffffffffu
#else
#error "no seccomp filter for this architecture"
#endif

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
/* The low half of an argument; both architectures are little endian. Flags and families are int. */
#define LOAD_ARGUMENT(n) LOAD(args[n])
#define LOAD_HIGH_HALF(n) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[n]) + 4)
#define RETURN(action) BPF_STMT(BPF_RET | BPF_K, action)
#define REFUSE(error) RETURN(SECCOMP_RET_ERRNO | (error))
#define SKIP_UNLESS_EQUAL(value, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, skip)
#define REFUSE_CALL(number, error) SKIP_UNLESS_EQUAL(number, 1), REFUSE(error)
#define REFUSE_FAMILY(family) SKIP_UNLESS_EQUAL(family, 1), REFUSE(EAFNOSUPPORT)
/* The call number is loaded anew after an argument was looked at. */
#define REFUSE_NEW_USER_NAMESPACE(number)                                                                              \
    SKIP_UNLESS_EQUAL(number, 4), LOAD_ARGUMENT(0), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_NEWUSER, 0, 1),         \
        REFUSE(EPERM), LOAD(nr)
#define SKIP_UNLESS_ABSURD(skip) BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (uint32_t)(MEMORY_CEILING >> 32), 0, skip)
#define REFUSE_ABSURD_MMAP                                                                                             \
    SKIP_UNLESS_EQUAL(SYS_mmap, 6), LOAD_HIGH_HALF(1), SKIP_UNLESS_ABSURD(3), LOAD_ARGUMENT(2),                        \
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_WRITE, 0, 1), REFUSE(ENOMEM), LOAD(nr)
#define REFUSE_ABSURD_MREMAP                                                                                           \
    SKIP_UNLESS_EQUAL(SYS_mremap, 4), LOAD_HIGH_HALF(2), SKIP_UNLESS_ABSURD(1), REFUSE(ENOMEM), LOAD(nr)

static struct sock_filter filter[] = {
    LOAD(arch),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NATIVE_ARCH, 1, 0),
    RETURN(SECCOMP_RET_KILL_PROCESS),
    LOAD(nr),
    BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, FIRST_FOREIGN_CALL, 0, 1),
    RETURN(SECCOMP_RET_KILL_PROCESS),

    REFUSE_NEW_USER_NAMESPACE(SYS_clone),
    REFUSE_NEW_USER_NAMESPACE(SYS_unshare),
    REFUSE_CALL(SYS_clone3, ENOSYS),
    REFUSE_CALL(SYS_io_uring_setup, ENOSYS),
    REFUSE_CALL(SYS_bpf, EPERM),
    REFUSE_CALL(SYS_perf_event_open, EPERM),
    REFUSE_CALL(SYS_userfaultfd, EPERM),
    REFUSE_CALL(SYS_add_key, EPERM),
    REFUSE_CALL(SYS_request_key, EPERM),
    REFUSE_CALL(SYS_keyctl, EPERM),
    REFUSE_CALL(SYS_kexec_load, EPERM),
    REFUSE_CALL(SYS_kexec_file_load, EPERM),
    REFUSE_CALL(SYS_init_module, EPERM),
    REFUSE_CALL(SYS_finit_module, EPERM),
    REFUSE_CALL(SYS_delete_module, EPERM),

    REFUSE_ABSURD_MMAP,
    REFUSE_ABSURD_MREMAP,

    SKIP_UNLESS_EQUAL(SYS_socket, 7),
    LOAD_ARGUMENT(0),
    REFUSE_FAMILY(AF_VSOCK),
    REFUSE_FAMILY(AF_PACKET),
    REFUSE_FAMILY(AF_ALG),
    RETURN(SECCOMP_RET_ALLOW),
};

const char *seccomp_install(void) {
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        return "PR_SET_SECCOMP";
    return NULL;
}

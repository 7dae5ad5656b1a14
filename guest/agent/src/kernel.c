/*
 * Pid 1 of a kernel of its own, in a microVM: /init of an initramfs that holds the modules besides (guest/kernel).
 *
 * The order is forced: devices need modules, the root needs its drive, the knobs need /proc and close the way for modules.
 * The root is made beside the initramfs and then entered, so that no program sees the initramfs or what was mounted in it.
 */
#include "platform.h"

#include "cgroup.h"
#include "clock.h"
#include "knobs.h"
#include "modules.h"
#include "protocol.h"
#include "root.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/random.h>
#include <net/if.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define HOST_NAME "sandbox"

static int mount_here(const char *type, const char *target, const char *options) {
    if (mkdir(target, 0755) && errno != EEXIST)
        return -1;
    return mount(type, target, type, MS_NOSUID | MS_NOEXEC, options);
}

/* The kernel opens /dev/console as 0, 1 and 2, if it has one. 0 and 1 are the host's, and empty until it connects. */
static const char *open_standard_streams(void) {
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    bool has_stderr = fcntl(STDERR_FILENO, F_GETFD) >= 0;
    if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0 ||
        (!has_stderr && dup2(null, STDERR_FILENO) < 0))
        return "open /dev/null";
    if (null > STDERR_FILENO)
        close(null);
    return NULL;
}

static const char *bring_up_loopback(void) {
    struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP};
    int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (any < 0 || ioctl(any, SIOCSIFFLAGS, &request))
        return "lo up";
    close(any);
    return NULL;
}

/*
 * favordynmods: processes move between cgroups while a caller waits, and without it each move waits for a grace period of
 * RCU (cgroup-v2.rst).
 */
static const char *mount_cgroups(void) {
    if (mount_here("cgroup2", "/cgroup", "favordynmods"))
        return "mount cgroup2";
    return cgroup_hold("/cgroup");
}

static const char *set_up(void) {
    if (mount_here("devtmpfs", "/dev", NULL) || mount_here("proc", "/proc", NULL) || mount_here("sysfs", "/sys", NULL))
        return "mount in the initramfs";
    const char *failed = open_standard_streams();
    if (!failed)
        failed = modules_load("/modules");
    if (!failed)
        failed = root_assemble();
    if (!failed)
        failed = mount_cgroups();
    if (!failed)
        failed = bring_up_loopback();
    if (!failed && sethostname(HOST_NAME, strlen(HOST_NAME)))
        failed = "sethostname";
    if (!failed)
        failed = knobs_lock();
    return failed ? failed : root_enter();
}

/* random(4): adding entropy credits it, reseeding makes the generator use it now and not within five minutes. */
static const char *reseed(const uint8_t *entropy) {
    union {
        struct rand_pool_info header;
        uint8_t space[sizeof(struct rand_pool_info) + ENTROPY_BYTES];
    } pool = {.header = {.entropy_count = ENTROPY_BYTES * 8, .buf_size = ENTROPY_BYTES}};
    memcpy(pool.header.buf, entropy, ENTROPY_BYTES);
    int generator = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    if (generator < 0)
        return "open /dev/urandom";
    const char *failed = ioctl(generator, RNDADDENTROPY, &pool) ? "RNDADDENTROPY"
                         : ioctl(generator, RNDRESEEDCRNG)      ? "RNDRESEEDCRNG"
                                                                : NULL;
    int error = errno;
    close(generator);
    errno = error;
    return failed;
}

static const char *renew(uint64_t wall_clock_ns, const uint8_t *entropy) {
    struct timespec now = {(time_t)(wall_clock_ns / NS_PER_S), (long)(wall_clock_ns % NS_PER_S)};
    if (clock_settime(CLOCK_REALTIME, &now))
        return "clock_settime";
    return reseed(entropy);
}

/* A reboot is how Firecracker is told to end. Should it fail, so does the kernel: without pid 1 it panics, and reboots. */
static _Noreturn void end(int status) {
    reboot(RB_AUTOBOOT);
    _exit(status);
}

/* What there is besides the sandbox: the drive, the channel, where the kernel lies. */
static const char *const hidden[] = {
    "/proc/modules", "/proc/partitions", "/proc/diskstats", "/proc/interrupts", "/proc/kallsyms", "/proc/keys", NULL,
};

const struct platform own_kernel = {
    .set_up = set_up,
    .renew = renew,
    .touches_ahead = false,
    .end = end,
    .hidden = hidden,
};

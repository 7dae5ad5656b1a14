#include "root.h"

#include "devices.h"

#include <stddef.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define DRIVE "/dev/vda"
#define NEW_ROOT "/root" /* there in every initramfs */
#define CPUS "/sys/devices/system/cpu"

/* For the parked interpreter; workspace_mount puts those of the run over them. */
#define PARKING_TMPFS_OPTIONS "size=1m,mode=1777"

/*
 * Of sysfs a program gets the processors, which libraries count, and otherwise the empty directories of gVisor's: the rest
 * describes drive, channel and kernel.
 */
static const char *assemble_sys(void) {
    static const char *const directories[] = {
        "block",    "bus", "class",  "dev",    "devices", "devices/system", "devices/system/cpu",
        "firmware", "fs",  "kernel", "module", "power",
    };
    if (mount("sysfs", NEW_ROOT "/sys", "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=0755,size=64k") ||
        chdir(NEW_ROOT "/sys"))
        return "mount /sys";
    for (size_t i = 0; i < sizeof directories / sizeof *directories; i++)
        if (mkdir(directories[i], 0755))
            return "make a directory in /sys";
    if (mount(CPUS, NEW_ROOT CPUS, NULL, MS_BIND, NULL))
        return "bind the processors of /sys";
    if (mount(NULL, NEW_ROOT "/sys", NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL) ||
        mount(NULL, NEW_ROOT CPUS, NULL, MS_REMOUNT | MS_BIND | MS_RDONLY, NULL))
        return "make /sys read-only";
    return NULL;
}

static const char *assemble_dev(void) {
    if (mount("dev", NEW_ROOT "/dev", "tmpfs", MS_NOSUID | MS_NOEXEC, "mode=0755,size=64k"))
        return "mount /dev";
    if (devices_make(NEW_ROOT "/dev"))
        return "make a device";
    if (mount("devpts", NEW_ROOT "/dev/pts", "devpts", MS_NOSUID | MS_NOEXEC, "mode=0620,ptmxmode=0666"))
        return "mount /dev/pts";
    if (mount("tmpfs", NEW_ROOT "/dev/shm", "tmpfs", MS_NOSUID | MS_NODEV, PARKING_TMPFS_OPTIONS))
        return "mount /dev/shm";
    return NULL;
}

const char *root_assemble(void) {
    if (mount(DRIVE, NEW_ROOT, "erofs", MS_RDONLY | MS_NODEV, NULL))
        return "mount " DRIVE;
    if (mount("tmpfs", NEW_ROOT "/workspace", "tmpfs", MS_NOSUID | MS_NODEV, PARKING_TMPFS_OPTIONS) ||
        mount("tmpfs", NEW_ROOT "/tmp", "tmpfs", MS_NOSUID | MS_NODEV, PARKING_TMPFS_OPTIONS))
        return "mount a tmpfs";
    const char *failed = assemble_dev();
    return failed ? failed : assemble_sys();
}

/* The initramfs cannot be unmounted; it is covered, and chroot makes what covers it the only root there is. */
const char *root_enter(void) {
    /* Detached, because the standard streams are open on a device there. */
    if (umount2("/proc", MNT_DETACH) || umount2("/sys", MNT_DETACH) || umount2("/dev", MNT_DETACH))
        return "unmount what the initramfs had";
    if (chdir(NEW_ROOT) || mount(".", "/", NULL, MS_MOVE, NULL) || chroot(".") || chdir("/"))
        return "enter the root";
    return NULL;
}

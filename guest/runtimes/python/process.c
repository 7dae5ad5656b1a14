/*
 * What a parked Python needs done to its process, and Python cannot do. Called through ctypes by
 * hexr_runtime/process.py.
 *
 * All of it is about page faults: under gVisor the first touch of a mapping after a resume costs some 60 us, because
 * it goes through two kernels, and a process with numpy, pandas and scipy has a thousand mappings.
 */
#define _GNU_SOURCE
#include "../touch.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define PAGE 4096
#define DESTRUCTORS_MAX 64

typedef void (*destructor)(void);

static destructor destructors[DESTRUCTORS_MAX];
static size_t destructor_count;
static unsigned long long libraries_known;

static int count_libraries(struct dl_phdr_info *library, size_t size, void *count) {
    (void)size;
    *(unsigned long long *)count = library->dlpi_adds;
    return 1;
}

/* How many libraries have ever been loaded. */
static unsigned long long libraries_loaded(void) {
    unsigned long long count = 0;
    dl_iterate_phdr(count_libraries, &count);
    return count;
}

/*
 * Runs last of all that exit(3) calls before the dynamic linker's _dl_fini, being registered first, and takes its
 * place. _dl_fini calls the destructors of each library. Nearly all have only the compiler's (__do_global_dtors_aux),
 * which calls what C++ registered for its library; in exit(3) that has been called by then. It does nothing, but
 * touches three mappings of each of 190 libraries: half of the time that a short program takes. So the others are
 * called here, and that is all, unless the program has loaded libraries of its own.
 */
static void end(int status, void *unused) {
    (void)unused;
    if (libraries_loaded() != libraries_known)
        return;
    for (size_t i = 0; i < destructor_count; i++)
        destructors[i]();
    fflush(NULL);
    _exit(status);
}

/* To be called before any library registers something with exit(3). The files that are mapped by now every program needs. */
EXPORT int hexr_shorten_exit(void) {
    touch_remember_files();
    return on_exit(end, NULL);
}

static int add_destructors(struct dl_phdr_info *library, size_t size, void *failed) {
    (void)size;
    const ElfW(Dyn) *entry = NULL;
    for (int i = 0; i < library->dlpi_phnum; i++)
        if (library->dlpi_phdr[i].p_type == PT_DYNAMIC)
            entry = (const ElfW(Dyn) *)(library->dlpi_addr + library->dlpi_phdr[i].p_vaddr);
    const destructor *array = NULL;
    size_t count = 0;
    for (; entry && entry->d_tag != DT_NULL; entry++) {
        if (entry->d_tag == DT_FINI_ARRAY)
            array = (const destructor *)(library->dlpi_addr + entry->d_un.d_ptr);
        if (entry->d_tag == DT_FINI_ARRAYSZ)
            count = entry->d_un.d_val / sizeof *array;
    }
    if (count <= 1)
        return 0;
    /* Last to first, as the dynamic linker does. A library comes before those that it needs. */
    for (size_t i = count; i-- > 0;) {
        if (destructor_count == DESTRUCTORS_MAX) {
            *(bool *)failed = true;
            return 1;
        }
        destructors[destructor_count++] = array[i];
    }
    return 0;
}

/* To be called when all libraries are loaded that are loaded before the program runs. */
EXPORT int hexr_know_libraries(void) {
    bool failed = false;
    dl_iterate_phdr(add_destructors, &failed);
    libraries_known = libraries_loaded();
    return failed ? -1 : 0;
}

struct mapping {
    uintptr_t start, end;
    size_t offset;
    char path[512]; /* empty: memory of no file */
};

/*
 * The next mapping of private, writable memory that is no stack; its line in /proc/self/maps is described in proc(5).
 */
static bool next_writable(FILE *maps, struct mapping *mapping) {
    char line[1024], permissions[5];
    while (fgets(line, sizeof line, maps)) {
        mapping->path[0] = 0;
        int fields = sscanf(line, "%zx-%zx %4s %zx %*s %*s %511[^\n]", &mapping->start, &mapping->end, permissions,
                            &mapping->offset, mapping->path);
        if (fields >= 4 && permissions[1] == 'w' && permissions[3] == 'p' && strcmp(mapping->path, "[stack]") != 0) {
            if (mapping->path[0] != '/')
                mapping->path[0] = 0;
            return true;
        }
    }
    return false;
}

static void write_page(uintptr_t address) {
    volatile char *byte = (volatile char *)address;
    *byte = *byte;
}

/*
 * Writes to what was written to before: pages that are not as in their file. Those of a file are a library's data: its types
 * and modules, of which the interpreter's end looks at each library's.
 */
static int write_changed(const struct mapping *mapping) {
    int file = mapping->path[0] ? open(mapping->path, O_RDONLY | O_CLOEXEC) : -1;
    if (mapping->path[0] && file < 0)
        return -1;
    char content[PAGE];
    for (uintptr_t page = mapping->start; page < mapping->end; page += PAGE) {
        memset(content, 0, sizeof content);
        if (file >= 0 && pread(file, content, PAGE, (off_t)(mapping->offset + (page - mapping->start))) < 0) {
            close(file);
            return -1;
        }
        if (memcmp((const void *)page, content, PAGE) == 0)
            continue;
        write_page(page);
        if (file >= 0)
            touch_remember(page, page + PAGE);
    }
    if (file >= 0)
        close(file);
    return 0;
}

/*
 * After a fork the kernel of gVisor maps memory for reading only until it is written to, also if no other process has
 * it any more. Writing to it now takes it over, once for all resumes.
 */
static int take_over_memory(void) {
    FILE *maps = fopen("/proc/self/maps", "re");
    if (!maps)
        return -1;
    struct mapping mapping;
    int failed = 0;
    while (!failed && next_writable(maps, &mapping))
        failed = write_changed(&mapping);
    fclose(maps);
    return failed;
}

/*
 * Forks; the parent ends. The child waits for that before it does anything: what either of them wrote to while both
 * had the memory would be copied, page by page, and lie elsewhere.
 */
EXPORT int hexr_continue_in_child(void) {
    int parent_lives[2];
    if (pipe2(parent_lives, O_CLOEXEC))
        return -1;
    pid_t child = fork();
    if (child < 0)
        return -1;
    if (child > 0)
        _exit(0);
    close(parent_lives[1]);
    char byte;
    ssize_t got;
    do
        got = read(parent_lives[0], &byte, 1);
    while (got < 0 && errno == EINTR);
    close(parent_lives[0]);
    if (got != 0 || take_over_memory())
        return -1;
    touch_remember_memory(SIZE_MAX);
    return 0;
}

EXPORT int hexr_touch(void) {
    touch_remembered();
    return 0;
}

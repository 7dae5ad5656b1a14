#include "touch.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE 4096
#define RANGES_MAX 2048
#define LARGE_FILE (4u << 20)

static struct range { uintptr_t start, end; } ranges[RANGES_MAX];
static size_t range_count;

void touch_remember(uintptr_t start, uintptr_t end) {
    if (range_count > 0 && ranges[range_count - 1].end == start)
        ranges[range_count - 1].end = end;
    else if (range_count < RANGES_MAX)
        ranges[range_count++] = (struct range){start, end};
}

static bool is_zero(uintptr_t page) {
    const uint64_t *words = (const uint64_t *)page;
    for (size_t i = 0; i < PAGE / sizeof *words; i++)
        if (words[i] != 0)
            return false;
    return true;
}

/* Of a large file a program uses little, and it is one mapping. */
static void add_file(uintptr_t start, uintptr_t end) {
    touch_remember(start, end - start > LARGE_FILE ? start + PAGE : end);
}

/* Pages of zeros are in no snapshot: touching one would take memory for it. */
static void add_used(uintptr_t start, uintptr_t end) {
    for (uintptr_t page = start; page < end; page += PAGE)
        if (!is_zero(page))
            touch_remember(page, page + PAGE);
}

/* What the kernel names in brackets, apart from the heap, is its own: the stack grows, and not all of vvar can be read. */
static bool is_ours(const char *name, bool files) {
    return files ? name[0] == '/' : name[0] == 0 || strcmp(name, "[heap]") == 0;
}

/* A line of /proc/self/maps: proc(5). */
static void remember(void (*add_mapping)(uintptr_t, uintptr_t), bool files, size_t largest) {
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[1024], permissions[5], name[512];
    while (maps && fgets(line, sizeof line, maps)) {
        uintptr_t start, end;
        name[0] = 0;
        if (sscanf(line, "%zx-%zx %4s %*s %*s %*s %511[^\n]", &start, &end, permissions, name) >= 3 &&
            permissions[0] == 'r' && is_ours(name, files) && end - start <= largest)
            add_mapping(start, end);
    }
    if (maps)
        fclose(maps);
}

void touch_remember_files(void) {
    remember(add_file, true, SIZE_MAX);
}

void touch_remember_memory(size_t largest) {
    remember(add_used, false, largest);
}

/* An interpreter may have given memory back since; msync(2) tells by ENOMEM. */
static bool is_mapped(struct range range) {
    return msync((void *)range.start, range.end - range.start, MS_ASYNC) == 0;
}

void touch_remembered(void) {
    for (size_t i = 0; i < range_count; i++)
        if (is_mapped(ranges[i]))
            for (uintptr_t page = ranges[i].start; page < ranges[i].end; page += PAGE)
                (void)*(const volatile char *)page;
}

#ifndef AGENT_CLOCK_H
#define AGENT_CLOCK_H

#include <stdint.h>
#include <sys/resource.h>
#include <time.h>

#define NS_PER_MS 1000000ull
#define NS_PER_S 1000000000ull

static inline uint64_t clock_ns(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static inline uint64_t monotonic_ns(void) {
    return clock_ns(CLOCK_MONOTONIC);
}

static inline uint64_t cpu_time_ns(const struct rusage *usage) {
    return (uint64_t)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) * NS_PER_S +
           (uint64_t)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) * 1000;
}

/* For poll(2): whole milliseconds until the deadline, rounded up so that it is over when poll times out. */
static inline int remaining_ms(uint64_t deadline) {
    uint64_t now = monotonic_ns();
    if (now >= deadline)
        return 0;
    uint64_t ms = (deadline - now + NS_PER_MS - 1) / NS_PER_MS;
    return ms > 1u << 30 ? 1 << 30 : (int)ms;
}

#endif

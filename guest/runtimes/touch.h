/*
 * Touches memory while a sandbox waits, which the program would touch first otherwise.
 *
 * After a resume no page of the parked interpreter is mapped: under gVisor the first touch of a mapping costs some 60 us,
 * because it goes through two kernels, and each page 1 us more. A program and the interpreter's end touch a hundred mappings.
 * The agent tells when to do it ("The launch blob" in docs/agent-protocol.md). Only reads: nothing is changed, and no page of
 * a snapshot is copied.
 */
#ifndef RUNTIMES_TOUCH_H
#define RUNTIMES_TOUCH_H

#include <stddef.h>
#include <stdint.h>

/* All before the snapshot. What there is no room for is left out, as touching only saves time. */

/* Whole pages. */
void touch_remember(uintptr_t start, uintptr_t end);

/* The files that are mapped now. */
void touch_remember_files(void);

/* Memory of no file, in mappings of at most so many bytes. */
void touch_remember_memory(size_t largest);

/* After a resume: reads a byte of each page of what is remembered. */
void touch_remembered(void);

#endif

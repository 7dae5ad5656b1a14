/* The memory of the calling process of the agent. */
#ifndef AGENT_OWN_MEMORY_H
#define AGENT_OWN_MEMORY_H

/*
 * Reads a byte of each page of the program's code and data. After a resume nothing is mapped, and under gVisor the first touch
 * of a mapping goes through two kernels; better while the sandbox waits than when its call has come.
 */
void own_memory_touch(void);

#endif

/* The agent protocol, version 1, as numbers: see docs/agent-protocol.md, which binds both ends. */
#ifndef AGENT_PROTOCOL_H
#define AGENT_PROTOCOL_H

#define PROTOCOL_VERSION 1u

#define FRAME_HEADER_BYTES 5u
#define FRAME_PAYLOAD_MAX 262144u
#define OUTPUT_CHUNK_MAX 65536u

#define ENTROPY_BYTES 64u
#define READY_RANDOM_BYTES 16u
#define RESUME_BYTES (4u + 8u + ENTROPY_BYTES)
#define LIMITS_BYTES 72u
#define EXIT_BYTES 48u
#define PATH_BYTES_MAX 1024u
#define FAILURE_TEXT_MAX 1024u

enum frame_type {
    FRAME_RESUME = 0x01,
    FRAME_LIMITS = 0x02,
    FRAME_ARG = 0x03,
    FRAME_ENV = 0x04,
    FRAME_FILE = 0x05,
    FRAME_DATA = 0x06,
    FRAME_ARTIFACT_GLOB = 0x07,
    FRAME_START = 0x08,
    FRAME_STDIN = 0x09,
    FRAME_STDIN_END = 0x0a,

    FRAME_PARKED = 0x81,
    FRAME_READY = 0x82,
    FRAME_STDOUT = 0x83,
    FRAME_STDERR = 0x84,
    FRAME_EXIT = 0x85,
    FRAME_ARTIFACT = 0x86,
    FRAME_ARTIFACT_DATA = 0x87,
    FRAME_ARTIFACT_SKIPPED = 0x88,
    FRAME_END = 0x89,
    FRAME_FAILURE = 0x8f,
};

enum exit_kind { EXIT_KIND_EXITED = 0, EXIT_KIND_SIGNALED = 1 };

enum exit_flag {
    EXIT_TIMED_OUT = 1,
    EXIT_OUT_OF_MEMORY = 2,
    EXIT_STDOUT_TRUNCATED = 4,
    EXIT_STDERR_TRUNCATED = 8,
};

enum skip_reason { SKIP_TOO_MANY = 1, SKIP_TOO_LARGE = 2, SKIP_UNREADABLE = 3 };

enum failure_code {
    FAILURE_INTERNAL = 1,
    FAILURE_PROTOCOL = 2,
    FAILURE_WORKSPACE_FULL = 3,
    FAILURE_INTERPRETER = 4,
    FAILURE_HANDSHAKE = 5,
};

#endif

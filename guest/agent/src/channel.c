#include "channel.h"

#include "clock.h"
#include "platform.h"
#include "vsock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HANG_UP_MS 5000

static bool connected = true;
static int listener = -1;

void die(const char *what) {
    dprintf(STDERR_FILENO, "agent: %s (errno: %s)\n", what, strerror(errno));
    platform->end(EXIT_FAILURE);
}

void channel_use_vsock(void) {
    connected = false;
}

void channel_listen(void) {
    if (!connected && (listener = vsock_listen()) < 0)
        die("listen");
}

void channel_await_host(struct frame_reader *reader) {
    if (connected)
        return;
    int connection = vsock_await_frame(listener, reader);
    if (connection < 0 || dup2(connection, HOST_IN) < 0 || dup2(connection, HOST_OUT) < 0)
        die("accept");
    close(connection);
    close(listener);
    connected = true;
}

void channel_send(enum frame_type type, const void *first, size_t first_length, const void *second,
                  size_t second_length) {
    bool sent = connected ? frame_write(HOST_OUT, type, first, first_length, second, second_length)
                          : vsock_tell(type, first, first_length, second, second_length);
    if (!sent)
        die("the host is gone");
}

void channel_fail(enum failure_code code, const char *format, ...) {
    char text[FAILURE_TEXT_MAX + 1];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    dprintf(STDERR_FILENO, "agent: failure %d: %s\n", code, text);
    uint8_t wire[2] = {(uint8_t)code, 0};
    channel_send(FRAME_FAILURE, wire, sizeof wire, text, strlen(text));
    channel_await_hang_up();
    platform->end(EXIT_FAILURE);
}

void channel_await_hang_up(void) {
    static uint8_t dropped[65536];
    if (!connected)
        return;
    uint64_t deadline = monotonic_ns() + HANG_UP_MS * NS_PER_MS;
    struct pollfd host = {.fd = HOST_IN, .events = POLLIN};
    while (poll(&host, 1, remaining_ms(deadline)) > 0)
        if (read(HOST_IN, dropped, sizeof dropped) <= 0)
            return;
}

void channel_close_log(void) {
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null < 0 || dup2(null, STDERR_FILENO) < 0)
        channel_fail(FAILURE_INTERNAL, "cannot close the log");
    close(null);
}

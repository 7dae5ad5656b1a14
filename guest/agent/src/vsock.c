#include "vsock.h"

#include "clock.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/vm_sockets.h>

/* docs/agent-protocol.md, "Over vsock" */
#define TELL_PORT 51
#define LISTEN_PORT 52

#define HANG_UP_MS 5000
#define BACKLOG 16

static struct sockaddr_vm address_of(unsigned cid, unsigned port) {
    return (struct sockaddr_vm){.svm_family = AF_VSOCK, .svm_cid = cid, .svm_port = port};
}

static bool send_and_await_end(int connection, enum frame_type type, const void *first, size_t first_length,
                               const void *second, size_t second_length) {
    if (!frame_write(connection, type, first, first_length, second, second_length) || shutdown(connection, SHUT_WR))
        return false;
    char dropped[64];
    uint64_t deadline = monotonic_ns() + HANG_UP_MS * NS_PER_MS;
    struct pollfd host = {.fd = connection, .events = POLLIN};
    while (poll(&host, 1, remaining_ms(deadline)) > 0 && read(connection, dropped, sizeof dropped) > 0)
        continue;
    return true;
}

bool vsock_tell(enum frame_type type, const void *first, size_t first_length, const void *second,
                size_t second_length) {
    struct sockaddr_vm host = address_of(VMADDR_CID_HOST, TELL_PORT);
    int connection = socket(AF_VSOCK, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (connection < 0)
        return false;
    bool told = connect(connection, (struct sockaddr *)&host, sizeof host) == 0 &&
                send_and_await_end(connection, type, first, first_length, second, second_length);
    int error = errno;
    close(connection);
    errno = error;
    return told;
}

int vsock_listen(void) {
    struct sockaddr_vm here = address_of(VMADDR_CID_ANY, LISTEN_PORT);
    /* Non-blocking: a connection that poll has seen may be reset before accept takes it. */
    int listener = socket(AF_VSOCK, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&here, sizeof here) || listen(listener, BACKLOG))
        return -1;
    return listener;
}

static bool passes(int error) {
    return error == EINTR || error == EAGAIN || error == ECONNABORTED || error == ECONNRESET || error == ETIMEDOUT;
}

/*
 * The newest connection is the one that counts. The host makes a new one when it has given up the one before, of which the
 * guest may learn late or, when a resume has reset the transport, never.
 */
int vsock_await_frame(int listener, struct frame_reader *reader) {
    int connection = -1;
    for (;;) {
        struct pollfd fds[] = {{listener, POLLIN, 0}, {connection, POLLIN, 0}};
        if (poll(fds, 2, -1) < 0 && errno != EINTR)
            return -1;
        if (fds[0].revents) {
            int newer = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
            if (newer < 0 && !passes(errno))
                return -1;
            if (newer >= 0) {
                close(connection);
                connection = newer;
                frame_drop(reader);
            }
        } else if (fds[1].revents) {
            enum frame_status status = frame_read_some(reader, connection);
            if (status == FRAME_COMPLETE || status == FRAME_OVERSIZED)
                return connection;
            if (status != FRAME_INCOMPLETE) {
                close(connection);
                connection = -1;
                frame_drop(reader);
            }
        }
    }
}

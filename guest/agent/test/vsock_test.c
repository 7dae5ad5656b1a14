/* What vsock_await_frame does with connections; a unix listener serves as well as one of vsock. */
#include "../src/vsock.h"
#include "test.h"

#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct frame_reader reader;
static struct sockaddr_un address = {.sun_family = AF_UNIX};
static int listener;

static void begin(void) {
    frame_drop(&reader);
    snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "vsock-test-%d", getpid()); /* abstract: unix(7) */
    listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
    CHECK(bind(listener, (struct sockaddr *)&address, sizeof address) == 0 && listen(listener, 8) == 0);
}

/* The kernel takes connection, bytes and end before anybody accepts: what comes is all there when the waiting begins. */
static int come(const char *bytes, size_t length) {
    int host = socket(AF_UNIX, SOCK_STREAM, 0);
    CHECK(connect(host, (struct sockaddr *)&address, sizeof address) == 0);
    CHECK(send(host, bytes, length, MSG_NOSIGNAL) == (ssize_t)length);
    return host;
}

static void await(uint8_t type) {
    int connection = vsock_await_frame(listener, &reader);
    CHECK(connection >= 0);
    CHECK(frame_current(&reader).type == type);
    close(connection);
    close(listener);
}

#define WHOLE "\x01\2\0\0\0ab"

static void a_connection_with_a_whole_frame_is_the_one(void) {
    begin();
    int host = come(WHOLE, 7);
    await(1);
    CHECK(frame_current(&reader).length == 2 && memcmp(frame_current(&reader).payload, "ab", 2) == 0);
    /* the reader of the session goes on with it */
    CHECK(frame_read_some(&reader, -1) == FRAME_COMPLETE);
    close(host);
}

/* Ends its side early, and comes again only when the agent has dropped the connection. */
static void *host_that_tries_again(void *unused) {
    static const struct {
        const char *bytes;
        size_t length;
    } tries[] = {{"", 0}, {"\x02\2\0", 3}, {"\x02\2\0\0\0a", 6}};
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        int host = come(tries[i].bytes, tries[i].length);
        char byte;
        CHECK(shutdown(host, SHUT_WR) == 0 && recv(host, &byte, 1, 0) == 0);
        close(host);
    }
    close(come(WHOLE, 7));
    return unused;
}

static void one_that_ends_early_is_dropped_with_what_it_brought(void) {
    begin();
    pthread_t host;
    CHECK(pthread_create(&host, NULL, host_that_tries_again, NULL) == 0);
    await(1);
    pthread_join(host, NULL);
}

static void a_newer_one_takes_the_place_of_one_that_is_silent_or_stuck(void) {
    begin();
    int silent = come("", 0), stuck = come("\x02\x4c\0\0\0half", 9), host = come(WHOLE, 7);
    char byte;
    await(1);
    CHECK(recv(silent, &byte, 1, MSG_DONTWAIT) == 0);
    CHECK(recv(stuck, &byte, 1, MSG_DONTWAIT) <= 0);
    close(silent);
    close(stuck);
    close(host);
}

static void an_oversized_frame_is_for_the_session_to_refuse(void) {
    begin();
    int host = come("\x01\xff\xff\xff\xff", 5);
    int connection = vsock_await_frame(listener, &reader);
    CHECK(connection >= 0);
    CHECK(frame_read_some(&reader, connection) == FRAME_OVERSIZED);
    close(connection);
    close(listener);
    close(host);
}

static void a_listener_that_is_none_is_an_error(void) {
    int files[2];
    CHECK(pipe(files) == 0);
    close(files[1]);
    CHECK(vsock_await_frame(files[0], &reader) == -1);
    close(files[0]);
}

int main(void) {
    alarm(20); /* who waits for ever has failed */
    RUN(a_connection_with_a_whole_frame_is_the_one);
    RUN(one_that_ends_early_is_dropped_with_what_it_brought);
    RUN(a_newer_one_takes_the_place_of_one_that_is_silent_or_stuck);
    RUN(an_oversized_frame_is_for_the_session_to_refuse);
    RUN(a_listener_that_is_none_is_an_error);
    return test_summary();
}

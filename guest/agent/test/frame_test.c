#include "../src/frame.h"
#include "test.h"

#include "../src/bytes.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

static struct frame_reader reader;

/* Gives the reader bytes in pieces of at most `step`, as read(2) might. */
static enum frame_status feed(const uint8_t *bytes, size_t length, size_t step) {
    enum frame_status status = FRAME_INCOMPLETE;
    while (length > 0 && status == FRAME_INCOMPLETE) {
        size_t wanted;
        uint8_t *space = frame_space(&reader, &wanted);
        size_t count = wanted < length ? wanted : length;
        count = count < step ? count : step;
        memcpy(space, bytes, count);
        bytes += count;
        length -= count;
        status = frame_advance(&reader, count);
    }
    return status;
}

static void a_frame_is_complete_with_its_last_byte_and_not_before(void) {
    const uint8_t wire[] = {0x09, 3, 0, 0, 0, 'a', 'b', 'c'};
    for (size_t step = 1; step <= sizeof wire; step++) {
        frame_drop(&reader);
        CHECK(feed(wire, sizeof wire - 1, step) == FRAME_INCOMPLETE);
        CHECK(feed(wire + sizeof wire - 1, 1, step) == FRAME_COMPLETE);
        struct frame frame = frame_current(&reader);
        CHECK(frame.type == 0x09 && frame.length == 3 && memcmp(frame.payload, "abc", 3) == 0);
    }
}

static void a_frame_without_payload_is_complete_with_its_header(void) {
    frame_drop(&reader);
    CHECK(feed((const uint8_t[]){0x0a, 0, 0, 0, 0}, 5, 5) == FRAME_COMPLETE);
    CHECK(frame_current(&reader).length == 0);
}

static void small_frames_that_were_read_at_once_are_handed_out_one_after_the_other(void) {
    const uint8_t wire[] = {0x09, 2, 0, 0, 0, 'a', 'b', 0x0a, 0, 0, 0, 0, 0x09, 3, 0, 0, 0, 'c', 'd', 'e'};
    int pair[2];
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    CHECK(write(pair[1], wire, sizeof wire - 1) == sizeof wire - 1);
    frame_drop(&reader);
    CHECK(frame_read_some(&reader, pair[0]) == FRAME_COMPLETE);
    CHECK(frame_current(&reader).length == 2 && memcmp(frame_current(&reader).payload, "ab", 2) == 0);
    frame_done(&reader);
    CHECK(frame_read_some(&reader, -1) == FRAME_COMPLETE); /* nothing is read for what is there */
    CHECK(frame_current(&reader).type == 0x0a && frame_current(&reader).length == 0);
    frame_done(&reader);
    CHECK(frame_status(&reader) == FRAME_INCOMPLETE);
    CHECK(write(pair[1], "e", 1) == 1);
    CHECK(frame_read_some(&reader, pair[0]) == FRAME_COMPLETE);
    CHECK(frame_current(&reader).length == 3 && memcmp(frame_current(&reader).payload, "cde", 3) == 0);
    close(pair[0]);
    close(pair[1]);
}

static void nothing_is_wanted_while_a_frame_is_not_taken(void) {
    size_t wanted;
    frame_drop(&reader);
    CHECK(feed((const uint8_t[]){0x0a, 0, 0, 0, 0, 0x09}, 6, 6) == FRAME_COMPLETE);
    frame_space(&reader, &wanted);
    CHECK(wanted == 0);
    frame_done(&reader);
    frame_space(&reader, &wanted);
    CHECK(wanted > 0);
}

static void of_a_large_frame_no_more_is_wanted_than_its_end(void) {
    uint8_t header[] = {0x09, 0, 0, 0, 0};
    put_u32(header + 1, FRAME_PAYLOAD_MAX);
    size_t wanted;
    frame_drop(&reader);
    feed(header, sizeof header, sizeof header);
    frame_space(&reader, &wanted);
    CHECK(wanted == FRAME_PAYLOAD_MAX);
}

static void the_largest_frame_is_taken(void) {
    static uint8_t wire[FRAME_HEADER_BYTES + FRAME_PAYLOAD_MAX] = {0x06};
    put_u32(wire + 1, FRAME_PAYLOAD_MAX);
    wire[sizeof wire - 1] = 0x5a;
    frame_drop(&reader);
    CHECK(feed(wire, sizeof wire, 65536) == FRAME_COMPLETE);
    CHECK(frame_current(&reader).payload[FRAME_PAYLOAD_MAX - 1] == 0x5a);
}

static void the_largest_frame_is_taken_after_a_small_one_that_was_read_with_its_head(void) {
    static uint8_t wire[FRAME_HEADER_BYTES + FRAME_PAYLOAD_MAX] = {0x06};
    put_u32(wire + 1, FRAME_PAYLOAD_MAX);
    wire[sizeof wire - 1] = 0x5b;
    frame_drop(&reader);
    CHECK(feed((const uint8_t[]){0x0a, 0, 0, 0, 0, 0x06, 0}, 7, 7) == FRAME_COMPLETE);
    frame_done(&reader);
    CHECK(feed(wire + 2, sizeof wire - 2, 65536) == FRAME_COMPLETE);
    CHECK(frame_current(&reader).payload[FRAME_PAYLOAD_MAX - 1] == 0x5b);
}

static void a_larger_frame_is_refused_at_its_header(void) {
    const uint32_t sizes[] = {FRAME_PAYLOAD_MAX + 1, 0x7fffffff, 0x80000000, 0xffffffff};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        uint8_t header[FRAME_HEADER_BYTES] = {0x06};
        put_u32(header + 1, sizes[i]);
        size_t wanted;
        frame_drop(&reader);
        CHECK(feed(header, sizeof header, 2) == FRAME_OVERSIZED);
        frame_space(&reader, &wanted);
        CHECK(wanted == 0);
    }
}

static void the_end_of_the_stream_is_told_apart_from_an_error(void) {
    int pair[2];
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    close(pair[1]);
    frame_drop(&reader);
    CHECK(frame_read_some(&reader, pair[0]) == FRAME_END_OF_STREAM);
    close(pair[0]);
    CHECK(frame_read_some(&reader, pair[0]) == FRAME_READ_ERROR);
}

static void *read_all(void *fd) {
    static struct frame_reader other;
    enum frame_status status;
    while ((status = frame_read_some(&other, *(int *)fd)) == FRAME_INCOMPLETE)
        continue;
    CHECK(status == FRAME_COMPLETE);
    return &other;
}

static void a_frame_is_written_whole_even_where_writing_would_block(void) {
    static uint8_t payload[FRAME_PAYLOAD_MAX];
    for (size_t i = 0; i < sizeof payload; i++)
        payload[i] = (uint8_t)(i * 31);
    int pair[2];
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    CHECK(fcntl(pair[0], F_SETFL, O_NONBLOCK) == 0);
    pthread_t thread;
    void *result;
    pthread_create(&thread, NULL, read_all, &pair[1]);
    CHECK(frame_write(pair[0], FRAME_STDOUT, payload, 8, payload + 8, sizeof payload - 8));
    pthread_join(thread, &result);
    struct frame frame = frame_current(result);
    CHECK(frame.type == FRAME_STDOUT && frame.length == sizeof payload);
    CHECK(memcmp(frame.payload, payload, sizeof payload) == 0);
    close(pair[0]);
    close(pair[1]);
}

static void writing_to_a_peer_that_is_gone_fails(void) {
    int pair[2];
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    close(pair[1]);
    signal(SIGPIPE, SIG_IGN);
    CHECK(!frame_write(pair[0], FRAME_END, NULL, 0, NULL, 0));
    close(pair[0]);
}

int main(void) {
    RUN(a_frame_is_complete_with_its_last_byte_and_not_before);
    RUN(a_frame_without_payload_is_complete_with_its_header);
    RUN(small_frames_that_were_read_at_once_are_handed_out_one_after_the_other);
    RUN(nothing_is_wanted_while_a_frame_is_not_taken);
    RUN(of_a_large_frame_no_more_is_wanted_than_its_end);
    RUN(the_largest_frame_is_taken);
    RUN(the_largest_frame_is_taken_after_a_small_one_that_was_read_with_its_head);
    RUN(a_larger_frame_is_refused_at_its_header);
    RUN(the_end_of_the_stream_is_told_apart_from_an_error);
    RUN(a_frame_is_written_whole_even_where_writing_would_block);
    RUN(writing_to_a_peer_that_is_gone_fails);
    return test_summary();
}

#include "../src/request.h"
#include "test.h"

#include "../src/bytes.h"
#include "../src/language.h"

static struct request request;

static void begin(enum request_state state) {
    strings_free(&request.arguments);
    strings_free(&request.environment);
    strings_free(&request.globs);
    request = (struct request){.state = state};
    default_environment(&request.environment);
}

static enum request_action give(enum frame_type type, const void *payload, size_t length) {
    struct frame frame = {(uint8_t)type, (uint32_t)length, payload};
    return request_accept(&request, &frame);
}

static enum request_action give_text(enum frame_type type, const char *text) {
    return give(type, text, strlen(text));
}

static enum request_action give_file(const char *path) {
    char payload[4096] = {0};
    strcpy(payload + 1, path);
    return give(FRAME_FILE, payload, 1 + strlen(path));
}

static uint8_t *resume_payload(void) {
    static uint8_t payload[RESUME_BYTES];
    put_u32(payload, 1);
    return payload;
}

static uint8_t *limits_payload(void) {
    static uint8_t payload[LIMITS_BYTES];
    for (uint32_t i = 0; i < 6; i++)
        put_u32(payload + 4 * i, 100 + i);
    for (uint32_t i = 0; i < 4; i++)
        put_u64(payload + 24 + 8 * i, ((uint64_t)1 << 40) + i);
    put_u32(payload + 56, 7);
    put_u32(payload + 60, 0);
    put_u64(payload + 64, (uint64_t)5 << 33);
    return payload;
}

static void a_whole_run_is_accepted_in_order(void) {
    begin(AWAIT_RESUME);
    CHECK(give(FRAME_RESUME, resume_payload(), RESUME_BYTES) == ACTION_RESUME);
    CHECK(give(FRAME_LIMITS, limits_payload(), LIMITS_BYTES) == ACTION_APPLY_LIMITS);
    CHECK(give_text(FRAME_ARG, "a b") == ACTION_NONE);
    CHECK(give_text(FRAME_ENV, "A=1") == ACTION_NONE);
    CHECK(give_file("d/main.py") == ACTION_OPEN_FILE);
    CHECK_TEXT("d/main.py", request.path);
    CHECK(give_text(FRAME_DATA, "print()") == ACTION_WRITE_FILE);
    CHECK(give_text(FRAME_DATA, "") == ACTION_WRITE_FILE);
    CHECK(give_text(FRAME_ARTIFACT_GLOB, "**/*.png") == ACTION_NONE);
    CHECK(give(FRAME_START, "", 0) == ACTION_START);
    CHECK(give_text(FRAME_STDIN, "typed") == ACTION_STDIN);
    CHECK(give(FRAME_STDIN_END, "", 0) == ACTION_STDIN_END);
    CHECK(request.arguments.count == 1 && request.globs.count == 1);
}

static void each_limit_is_read_from_its_own_place(void) {
    begin(AWAIT_LIMITS);
    CHECK(give(FRAME_LIMITS, limits_payload(), LIMITS_BYTES) == ACTION_APPLY_LIMITS);
    const struct limits *l = &request.limits;
    CHECK(l->wall_time_ms == 100 && l->processes == 101 && l->open_files == 102);
    CHECK(l->stdout_cap == 103 && l->stderr_cap == 104 && l->inodes == 105);
    uint64_t base = (uint64_t)1 << 40;
    CHECK(l->workspace_bytes == base && l->tmp_bytes == base + 1 && l->shm_bytes == base + 2);
    CHECK(l->memory_bytes == base + 3 && l->artifacts_max == 7 && l->artifacts_bytes_max == (uint64_t)5 << 33);
}

static void a_limit_of_zero_never_becomes_no_limit(void) {
    const struct { size_t offset, size; } fields[] = {{0, 4}, {4, 4}, {8, 4}, {20, 4}, {24, 8}, {32, 8}, {40, 8}};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        uint8_t *payload = limits_payload();
        memset(payload + fields[i].offset, 0, fields[i].size);
        begin(AWAIT_LIMITS);
        CHECK(give(FRAME_LIMITS, payload, LIMITS_BYTES) == ACTION_VIOLATION);
    }
}

static void caps_and_artifacts_of_zero_are_limits(void) {
    uint8_t *payload = limits_payload();
    memset(payload + 12, 0, 8);
    memset(payload + 48, 0, 24);
    begin(AWAIT_LIMITS);
    CHECK(give(FRAME_LIMITS, payload, LIMITS_BYTES) == ACTION_APPLY_LIMITS);
}

static void reserved_bits_and_other_versions_are_refused(void) {
    uint8_t *limits = limits_payload();
    limits[63] = 1;
    begin(AWAIT_LIMITS);
    CHECK(give(FRAME_LIMITS, limits, LIMITS_BYTES) == ACTION_VIOLATION);
    uint8_t resume[RESUME_BYTES] = {2};
    begin(AWAIT_RESUME);
    CHECK(give(FRAME_RESUME, resume, RESUME_BYTES) == ACTION_VIOLATION);
    begin(GATHERING);
    CHECK(give(FRAME_FILE, "\1a", 2) == ACTION_VIOLATION);
}

static void payloads_of_the_wrong_size_are_refused(void) {
    static uint8_t payload[LIMITS_BYTES + RESUME_BYTES];
    const size_t around[] = {0, 1, LIMITS_BYTES - 1, LIMITS_BYTES + 1, RESUME_BYTES - 1, RESUME_BYTES + 1};
    for (size_t i = 0; i < sizeof around / sizeof *around; i++) {
        begin(AWAIT_RESUME);
        CHECK(give(FRAME_RESUME, payload, around[i]) == ACTION_VIOLATION);
        begin(AWAIT_LIMITS);
        CHECK(give(FRAME_LIMITS, payload, around[i]) == ACTION_VIOLATION);
    }
    begin(GATHERING);
    CHECK(give(FRAME_START, "\0", 1) == ACTION_VIOLATION);
    begin(RUNNING);
    CHECK(give(FRAME_STDIN_END, "x", 1) == ACTION_VIOLATION);
}

static void every_frame_out_of_its_order_is_refused(void) {
    const char *legal[] = {
        [AWAIT_RESUME] = "\x01",
        [AWAIT_LIMITS] = "\x02",
        [GATHERING] = "\x03\x04\x05\x07\x08", /* DATA only after FILE */
        [RUNNING] = "\x09\x0a",
        [STDIN_ENDED] = "",
    };
    for (int state = AWAIT_RESUME; state <= STDIN_ENDED; state++)
        for (int type = 0; type < 256; type++) {
            if (type != 0 && strchr(legal[state], type))
                continue;
            begin((enum request_state)state);
            CHECK(give((enum frame_type)type, "\0", 1) == ACTION_VIOLATION);
            CHECK(request.violation != NULL);
        }
}

static void a_plain_relative_path_is_safe(void) {
    const char *paths[] = {"a", "main.py", "a/b/c", ".hidden", "..a", "a..", "...", "a/.b/..c", "sp ace", "\xff\n"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        CHECK(path_is_safe(paths[i], strlen(paths[i])));
}

static void a_path_that_leaves_the_workspace_or_is_not_plain_is_not(void) {
    const char *paths[] = {"",      "/",      "/etc/passwd", "..",   "../a", "a/../b", "a/..",
                           ".",     "a/./b",  "./a",         "a/.",  "a//b", "a/",     "//a",
                           "a/b//", "a/b/..", "../",         "./..", "..//", "a/..",   "a/../../"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        CHECK(!path_is_safe(paths[i], strlen(paths[i])));
        begin(GATHERING);
        CHECK(give_file(paths[i]) == ACTION_VIOLATION);
    }
    CHECK(!path_is_safe("a\0b", 3));
}

static void path_lengths_are_bounded_by_part_and_in_all(void) {
    char path[PATH_BYTES_MAX + 2];
    memset(path, 'x', sizeof path);
    CHECK(path_is_safe(path, 255));
    CHECK(!path_is_safe(path, 256));
    for (size_t i = 200; i < sizeof path; i += 200)
        path[i] = '/';
    CHECK(path_is_safe(path, PATH_BYTES_MAX));
    CHECK(!path_is_safe(path, PATH_BYTES_MAX + 1));
}

static void data_needs_a_file(void) {
    begin(GATHERING);
    CHECK(give_text(FRAME_DATA, "x") == ACTION_VIOLATION);
}

static void strings_with_a_nul_or_without_a_name_are_refused(void) {
    begin(GATHERING);
    CHECK(give(FRAME_ARG, "a\0b", 3) == ACTION_VIOLATION);
    CHECK(give(FRAME_ENV, "A=\0", 3) == ACTION_VIOLATION);
    CHECK(give_text(FRAME_ENV, "=x") == ACTION_VIOLATION);
    CHECK(give_text(FRAME_ENV, "x") == ACTION_VIOLATION);
    CHECK(give_text(FRAME_ENV, "") == ACTION_VIOLATION);
    CHECK(give_text(FRAME_ARTIFACT_GLOB, "") == ACTION_VIOLATION);
    CHECK(give_text(FRAME_ARG, "") == ACTION_NONE);
    CHECK(give_text(FRAME_ENV, "EMPTY=") == ACTION_NONE);
}

static void a_variable_takes_the_place_of_its_default_and_of_an_earlier_one(void) {
    begin(GATHERING);
    size_t defaults = request.environment.count;
    CHECK(give_text(FRAME_ENV, "LANG=C") == ACTION_NONE);
    CHECK(give_text(FRAME_ENV, "LANGUAGE=en") == ACTION_NONE);
    CHECK(give_text(FRAME_ENV, "LANG=de_DE.UTF-8") == ACTION_NONE);
    CHECK(request.environment.count == defaults + 1);
    int found = 0;
    for (size_t i = 0; i < request.environment.count; i++)
        if (strncmp(request.environment.items[i], "LANG=", 5) == 0) {
            CHECK_TEXT("LANG=de_DE.UTF-8", request.environment.items[i]);
            found++;
        }
    CHECK(found == 1);
    CHECK(request.environment.items[request.environment.count] == NULL);
}

static void the_number_and_size_of_strings_is_bounded(void) {
    begin(GATHERING);
    for (uint32_t i = 0; i < GLOBS_MAX; i++)
        CHECK(give_text(FRAME_ARTIFACT_GLOB, "*") == ACTION_NONE);
    CHECK(give_text(FRAME_ARTIFACT_GLOB, "*") == ACTION_VIOLATION);

    begin(GATHERING);
    for (uint32_t i = 0; i < ARGUMENTS_MAX; i++)
        if (give_text(FRAME_ARG, "") != ACTION_NONE)
            CHECK(!"an argument was refused");
    CHECK(give_text(FRAME_ARG, "") == ACTION_VIOLATION);

    static char large[FRAME_PAYLOAD_MAX];
    memset(large, 'x', sizeof large);
    begin(GATHERING);
    uint32_t taken = 0;
    while (give(FRAME_ARG, large, sizeof large) == ACTION_NONE)
        taken++;
    CHECK(taken == STRINGS_BYTES_MAX / FRAME_PAYLOAD_MAX - 1);
}

int main(void) {
    RUN(a_whole_run_is_accepted_in_order);
    RUN(each_limit_is_read_from_its_own_place);
    RUN(a_limit_of_zero_never_becomes_no_limit);
    RUN(caps_and_artifacts_of_zero_are_limits);
    RUN(reserved_bits_and_other_versions_are_refused);
    RUN(payloads_of_the_wrong_size_are_refused);
    RUN(every_frame_out_of_its_order_is_refused);
    RUN(a_plain_relative_path_is_safe);
    RUN(a_path_that_leaves_the_workspace_or_is_not_plain_is_not);
    RUN(path_lengths_are_bounded_by_part_and_in_all);
    RUN(data_needs_a_file);
    RUN(strings_with_a_nul_or_without_a_name_are_refused);
    RUN(a_variable_takes_the_place_of_its_default_and_of_an_earlier_one);
    RUN(the_number_and_size_of_strings_is_bounded);
    begin(AWAIT_RESUME);
    return test_summary();
}

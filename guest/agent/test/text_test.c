#include "../src/flat_keyed.h"
#include "../src/glob.h"
#include "../src/language.h"
#include "../src/launch_blob.h"
#include "../src/utf8.h"
#include "test.h"

#include "../src/bytes.h"

static void a_star_stays_within_one_directory(void) {
    CHECK(glob_matches("*.png", "a.png"));
    CHECK(glob_matches("*", ".hidden"));
    CHECK(glob_matches("d/*.png", "d/a.png"));
    CHECK(!glob_matches("*.png", "d/a.png"));
    CHECK(!glob_matches("*.png", "a.jpg"));
    CHECK(!glob_matches("d/*", "d/e/f"));
}

static void leading_stars_match_any_depth_and_none(void) {
    CHECK(glob_matches("**/*.png", "a.png"));
    CHECK(glob_matches("**/*.png", "d/a.png"));
    CHECK(glob_matches("**/*.png", "d/e/f/a.png"));
    CHECK(glob_matches("**/d/*.png", "x/y/d/a.png"));
    CHECK(!glob_matches("**/d/*.png", "x/d/y/a.png"));
    CHECK(!glob_matches("**/*.png", "a.png/b"));
}

static void two_stars_match_any_depth_wherever_they_are_a_whole_part(void) {
    CHECK(glob_matches("**", "a"));
    CHECK(glob_matches("**", "d/e/a"));
    CHECK(glob_matches("d/**", "d/a"));
    CHECK(glob_matches("d/**", "d/e/f/a"));
    CHECK(!glob_matches("d/**", "d"));
    CHECK(!glob_matches("d/**", "e/a"));
    CHECK(glob_matches("d/**/*.csv", "d/a.csv"));
    CHECK(glob_matches("d/**/*.csv", "d/e/f/a.csv"));
    CHECK(!glob_matches("d/**/*.csv", "e/d/a.csv"));
    CHECK(glob_matches("**/d/**/*.csv", "x/d/y/d/z/a.csv"));
    CHECK(glob_matches("**/d/e/*", "d/x/d/e/a"));
    CHECK(glob_matches("**/**/a", "a"));
    CHECK(!glob_matches("d**/a", "d/e/a"));
}

static void a_dot_as_a_part_is_the_directory_itself(void) {
    CHECK(glob_matches("./*.png", "a.png"));
    CHECK(glob_matches("./d/./a", "d/a"));
    CHECK(!glob_matches(".", "a"));
    CHECK(!glob_matches("d/.", "d/a"));
    CHECK(!glob_matches("d/", "d/a"));
}

static void a_pattern_full_of_stars_is_decided_at_once(void) {
    char path[256];
    memset(path, 'a', sizeof path - 1);
    path[sizeof path - 1] = 0;
    CHECK(!glob_matches("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b", path));
    for (size_t i = 1; i < sizeof path - 1; i += 2)
        path[i] = '/';
    CHECK(!glob_matches("**/a/**/a/**/a/**/a/**/a/**/a/**/a/**/a/**/a/**/a/**/a/**/b", path));
}

static void check_repair(const char *expected, const char *given) {
    char text[64];
    strcpy(text, given);
    utf8_repair(text);
    CHECK_TEXT(expected, text);
}

static void well_formed_text_is_kept(void) {
    check_repair("", "");
    check_repair("plain/\n\x7f", "plain/\n\x7f");
    check_repair("\xc2\x80\xdf\xbf", "\xc2\x80\xdf\xbf");
    check_repair("\xe0\xa0\x80\xed\x9f\xbf\xef\xbf\xbf", "\xe0\xa0\x80\xed\x9f\xbf\xef\xbf\xbf");
    check_repair("\xf0\x90\x80\x80\xf4\x8f\xbf\xbf", "\xf0\x90\x80\x80\xf4\x8f\xbf\xbf");
}

static void every_byte_that_is_not_well_formed_becomes_a_question_mark(void) {
    check_repair("a?b", "a\xff"
                        "b");
    check_repair("?", "\x80");
    check_repair("??", "\xc0\xaf");           /* overlong */
    check_repair("???", "\xe0\x80\xaf");      /* overlong */
    check_repair("???", "\xed\xa0\x80");      /* surrogate */
    check_repair("????", "\xf4\x90\x80\x80"); /* above U+10FFFF */
    check_repair("??", "\xe2\x82");           /* cut short by the end */
    check_repair("?a", "\xc3"
                       "a");
}

static void a_command_is_the_interpreter_its_hook_and_the_script(void) {
    struct strings node = {0}, bash = {0};
    CHECK(language_command(language_by_id("javascript"), &node));
    CHECK(node.count == 4);
    CHECK_TEXT("/usr/local/bin/node", node.items[0]);
    CHECK_TEXT("--require", node.items[1]);
    CHECK_TEXT("/workspace/main.js", node.items[3]);
    CHECK(language_command(language_by_id("bash"), &bash));
    CHECK(bash.count == 2);
    CHECK_TEXT("/workspace/main.sh", bash.items[1]);
    strings_free(&node);
    strings_free(&bash);
}

static void an_unknown_language_is_none(void) {
    CHECK(language_by_id("python") && language_by_id("javascript") && language_by_id("bash"));
    CHECK(!language_by_id("perl") && !language_by_id(""));
}

static void the_launch_blob_has_the_layout_of_the_protocol(void) {
    struct strings arguments = {0}, environment = {0};
    strings_add(&arguments, "", 0);
    strings_add(&arguments, "two", 3);
    strings_put_variable(&environment, "A=12345", 7);
    strings_put_variable(&environment, "A=b", 3);
    uint8_t seed[SEED_BYTES];
    memset(seed, 0x5a, sizeof seed);
    struct launch_blob blob = launch_blob_make("/s", &arguments, &environment, seed);
    const char expected[] = "\3\0\0\0"
                            "\1\0\0\0"
                            "\2\0\0\0/s"
                            "\0\0\0\0"
                            "\3\0\0\0two"
                            "\3\0\0\0A=b";
    size_t body = sizeof expected - 1;
    CHECK(blob.length == 4 + body + SEED_BYTES);
    CHECK(get_u32(blob.bytes) == blob.length - 4);
    CHECK(memcmp(blob.bytes + 4, expected, body) == 0);
    CHECK(memcmp(blob.bytes + 4 + body, seed, SEED_BYTES) == 0);
    free(blob.bytes);
    strings_free(&arguments);
    strings_free(&environment);
}

static void a_number_is_found_by_its_whole_key(void) {
    const char *events = "low 0\nhigh 7\nmax 3\noom 2\noom_kill 18446744073709551615\noom_group_kill 4\n";
    CHECK(flat_keyed_value(events, "oom") == 2);
    CHECK(flat_keyed_value(events, "oom_kill") == UINT64_MAX);
    CHECK(flat_keyed_value(events, "oom_group_kill") == 4);
    CHECK(flat_keyed_value(events, "low") == 0);
    CHECK(flat_keyed_value(events, "kill") == 0);
    CHECK(flat_keyed_value(events, "gone") == 0);
    CHECK(flat_keyed_value("", "oom") == 0);
    CHECK(flat_keyed_value("\n\noom 5", "oom") == 5);
}

int main(void) {
    RUN(a_star_stays_within_one_directory);
    RUN(leading_stars_match_any_depth_and_none);
    RUN(two_stars_match_any_depth_wherever_they_are_a_whole_part);
    RUN(a_dot_as_a_part_is_the_directory_itself);
    RUN(a_pattern_full_of_stars_is_decided_at_once);
    RUN(well_formed_text_is_kept);
    RUN(every_byte_that_is_not_well_formed_becomes_a_question_mark);
    RUN(a_command_is_the_interpreter_its_hook_and_the_script);
    RUN(an_unknown_language_is_none);
    RUN(the_launch_blob_has_the_layout_of_the_protocol);
    RUN(a_number_is_found_by_its_whole_key);
    return test_summary();
}

/* A test is a sentence and a block of checks. Each file has one main: RUN for each test, then return test_summary(). */
#ifndef AGENT_TEST_H
#define AGENT_TEST_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int test_passed, test_failed, test_broken;

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            printf("  %s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                           \
            test_broken = 1;                                                                                           \
        }                                                                                                              \
    } while (0)

#define CHECK_TEXT(expected, actual)                                                                                   \
    do {                                                                                                               \
        if (strcmp(expected, actual) != 0) {                                                                           \
            printf("  %s:%d: expected \"%s\", got \"%s\"\n", __FILE__, __LINE__, expected, actual);                    \
            test_broken = 1;                                                                                           \
        }                                                                                                              \
    } while (0)

static inline void test_run(const char *sentence, void (*body)(void)) {
    test_broken = 0;
    body();
    if (test_broken) {
        test_failed++;
        printf("FAILED: %s\n", sentence);
    } else {
        test_passed++;
    }
}

#define RUN(body) test_run(#body, body)

static inline int test_summary(void) {
    printf("%d passed, %d failed\n", test_passed, test_failed);
    return test_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif

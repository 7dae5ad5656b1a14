/*
 * What a parked Node.js needs after it was resumed and at its end, and JavaScript cannot do. Loaded by park.cjs with
 * process.dlopen.
 *
 * The functions and variables below are exported by the node binary, but only those of Node-API are promised. The image
 * pins that binary; with one that lacks a symbol this library does not load (it is linked with -z now), the interpreter does
 * not park and no template is made.
 */
#define _GNU_SOURCE
#include "../touch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

/* V8 maps its heap in pieces of 256 KiB; stacks of threads have 8 MiB. */
#define LARGEST_OF_V8 (1u << 20)

/* Node-API (stable across versions): just what is used here, so that no header of Node.js is needed to build. */
typedef struct napi_env__ *napi_env;
typedef struct napi_value__ *napi_value;
typedef struct napi_callback_info__ *napi_callback_info;
typedef napi_value (*napi_callback)(napi_env, napi_callback_info);
enum { napi_ok = 0, napi_int32_array = 5 };
extern int napi_add_env_cleanup_hook(napi_env, void (*)(void *), void *);
extern int napi_create_function(napi_env, const char *, size_t, napi_callback, void *, napi_value *);
extern int napi_create_object(napi_env, napi_value *);
extern int napi_get_array_length(napi_env, napi_value, uint32_t *);
extern int napi_get_cb_info(napi_env, napi_callback_info, size_t *, napi_value *, napi_value *, void **);
extern int napi_get_element(napi_env, napi_value, uint32_t, napi_value *);
extern int napi_get_typedarray_info(napi_env, napi_value, int *, size_t *, void **, napi_value *, size_t *);
extern int napi_get_undefined(napi_env, napi_value *);
extern int napi_get_value_bigint_int64(napi_env, napi_value, int64_t *, _Bool *);
extern int napi_get_value_double(napi_env, napi_value, double *);
extern int napi_get_value_uint32(napi_env, napi_value, uint32_t *);
extern int napi_get_value_string_utf8(napi_env, napi_value, char *, size_t, size_t *);
extern int napi_set_named_property(napi_env, napi_value, const char *, napi_value);
extern int napi_throw_error(napi_env, const char *, const char *);

/* OpenSSL: mixes bytes of the kernel's generator into the random generator that all of node's crypto draws from. */
extern int RAND_poll(void);

/* V8: the generator that seeds Math.random of each context. A v8::Isolate* is a v8::internal::Isolate*. */
extern void *isolate_current(void) __asm__("_ZN2v87Isolate10GetCurrentEv");
extern void *isolate_random(void *isolate) __asm__("_ZN2v88internal7Isolate23random_number_generatorEv");
extern void random_set_seed(void *generator, int64_t seed) __asm__("_ZN2v84base21RandomNumberGenerator7SetSeedEl");
extern void *isolate_context(void *isolate) __asm__("_ZN2v87Isolate17GetCurrentContextEv");

/* Node.js: when the process started, for process.uptime(), for performance.now() and for worker threads. */
extern uint64_t node_start_time __asm__("_ZN4node11per_process15node_start_timeE");
extern uint64_t performance_start __asm__("_ZN4node11performance25performance_process_startE");
extern double performance_start_timestamp __asm__("_ZN4node11performance35performance_process_start_timestampE");
/* Fill an object with what internalBinding("performance") and internalBinding("util") have for a context; a Local<T> is
 * passed as its pointer. */
typedef void binding(napi_value target, napi_value unused, void *context, void *data);
extern binding
    performance_binding __asm__("_ZN4node11performance26CreatePerContextPropertiesEN2v85LocalINS1_6ObjectEEENS2_"
                                "INS1_5ValueEEENS2_INS1_7ContextEEEPv");
extern binding util_binding __asm__("_ZN4node4util10InitializeEN2v85LocalINS1_6ObjectEEENS2_INS1_5ValueEEENS2_INS1_"
                                    "7ContextEEEPv");
/* Not 0: events of this category are recorded. */
extern const uint8_t *
trace_category(const char *name) __asm__("_ZN4node7tracing16TraceEventHelper23GetCategoryGroupEnabledEPKc");

static napi_value undefined(napi_env env) {
    napi_value value;
    return napi_get_undefined(env, &value) == napi_ok ? value : NULL;
}

/* reseed(): new random numbers from here on. */
static napi_value reseed(napi_env env, napi_callback_info info) {
    (void)info;
    int64_t seed;
    if (getrandom(&seed, sizeof seed, 0) != sizeof seed || RAND_poll() != 1) {
        napi_throw_error(env, NULL, "no random numbers from the kernel");
        return NULL;
    }
    random_set_seed(isolate_random(isolate_current()), seed);
    return undefined(env);
}

static napi_value bind(napi_env env, binding *fill) {
    napi_value object;
    if (napi_create_object(env, &object) != napi_ok)
        return NULL;
    fill(object, undefined(env), isolate_context(isolate_current()), NULL);
    return object;
}

/* performanceState(): {milestones, constants, ...}, the live array of times that performance.* is computed from. */
static napi_value performance_state(napi_env env, napi_callback_info info) {
    (void)info;
    return bind(env, performance_binding);
}

/* utilBinding(): {privateSymbols, constants, ...}, names of what Node.js keeps on its objects. */
static napi_value util(napi_env env, napi_callback_info info) {
    (void)info;
    return bind(env, util_binding);
}

/* rememberMemory(): before the snapshot, see touch.h. */
static napi_value remember_memory(napi_env env, napi_callback_info info) {
    (void)info;
    touch_remember_files();
    touch_remember_memory(LARGEST_OF_V8);
    return undefined(env);
}

/* touchMemory() */
static napi_value touch_memory(napi_env env, napi_callback_info info) {
    (void)info;
    touch_remembered();
    return undefined(env);
}

/* The live state of process.exitCode. */
static const int32_t *exit_code, *has_exit_code;

/*
 * Node.js calls this when the program is over: listeners of 'exit' have run, worker threads are stopped, what the program
 * wrote is in the pipes (they are in blocking mode). What is left is to take the heap apart, piece by piece, and to wait for
 * V8's threads: most of the time that a short program takes under gVisor. Trace events are written at the very end, so with
 * them all is done.
 */
static void end(void *unused) {
    (void)unused;
    if (*trace_category("__metadata"))
        return;
    fflush(NULL);
    _exit(*has_exit_code ? *exit_code : 0);
}

/* shortenExit(state, index of whether there is a code, index of the code) */
static napi_value shorten_exit(napi_env env, napi_callback_info info) {
    size_t count = 3, length;
    napi_value arguments[3];
    int type;
    void *state;
    uint32_t has_code, code;
    if (napi_get_cb_info(env, info, &count, arguments, NULL, NULL) != napi_ok || count != 3 ||
        napi_get_typedarray_info(env, arguments[0], &type, &length, &state, NULL, NULL) != napi_ok ||
        type != napi_int32_array || napi_get_value_uint32(env, arguments[1], &has_code) != napi_ok ||
        napi_get_value_uint32(env, arguments[2], &code) != napi_ok || has_code >= length || code >= length ||
        napi_add_env_cleanup_hook(env, end, NULL) != napi_ok) {
        napi_throw_error(env, NULL, "shortenExit(Int32Array, index, index)");
        return NULL;
    }
    has_exit_code = (const int32_t *)state + has_code;
    exit_code = (const int32_t *)state + code;
    return undefined(env);
}

/* moveStart(nanoseconds, timestamp): the process started that much later, at that time (microseconds since 1970). */
static napi_value move_start(napi_env env, napi_callback_info info) {
    size_t count = 2;
    napi_value arguments[2];
    int64_t nanoseconds;
    _Bool lossless;
    double timestamp;
    if (napi_get_cb_info(env, info, &count, arguments, NULL, NULL) != napi_ok || count != 2 ||
        napi_get_value_bigint_int64(env, arguments[0], &nanoseconds, &lossless) != napi_ok ||
        napi_get_value_double(env, arguments[1], &timestamp) != napi_ok) {
        napi_throw_error(env, NULL, "moveStart(bigint, number)");
        return NULL;
    }
    node_start_time += nanoseconds;
    performance_start += nanoseconds;
    performance_start_timestamp = timestamp;
    return undefined(env);
}

/* The strings of a JavaScript array as a vector for execve(2). Never freed: the process is replaced, or ends. */
static char **string_vector(napi_env env, napi_value array) {
    uint32_t count;
    if (napi_get_array_length(env, array, &count) != napi_ok)
        return NULL;
    char **vector = calloc((size_t)count + 1, sizeof *vector);
    for (uint32_t i = 0; vector != NULL && i < count; i++) {
        napi_value element;
        size_t length;
        if (napi_get_element(env, array, i, &element) != napi_ok ||
            napi_get_value_string_utf8(env, element, NULL, 0, &length) != napi_ok ||
            (vector[i] = malloc(length + 1)) == NULL ||
            napi_get_value_string_utf8(env, element, vector[i], length + 1, &length) != napi_ok)
            return NULL;
    }
    return vector;
}

/* execute(path, arguments, environment): execve(2). Returns only by throwing. */
static napi_value execute(napi_env env, napi_callback_info info) {
    size_t count = 2;
    napi_value arguments[2];
    char **argv = NULL, **environment = NULL;
    if (napi_get_cb_info(env, info, &count, arguments, NULL, NULL) == napi_ok && count == 2) {
        argv = string_vector(env, arguments[0]);
        environment = string_vector(env, arguments[1]);
    }
    if (argv == NULL || argv[0] == NULL || environment == NULL) {
        napi_throw_error(env, NULL, "execute(arguments, environment)");
        return NULL;
    }
    /* Undone here, because it would last across execve(2): Node ignores SIGPIPE and marks its streams close-on-exec. */
    signal(SIGPIPE, SIG_DFL);
    for (int stream = 0; stream <= 2; stream++)
        fcntl(stream, F_SETFD, 0);
    execve(argv[0], argv, environment);
    napi_throw_error(env, NULL, strerror(errno));
    return NULL;
}

static int export(napi_env env, napi_value exports, const char *name, napi_callback callback) {
    napi_value function;
    int status = napi_create_function(env, name, strlen(name), callback, NULL, &function);
    return status != napi_ok ? status : napi_set_named_property(env, exports, name, function);
}

__attribute__((visibility("default"))) napi_value napi_register_module_v1(napi_env env, napi_value exports) {
    if (export(env, exports, "reseed", reseed) != napi_ok ||
        export(env, exports, "performanceState", performance_state) != napi_ok ||
        export(env, exports, "utilBinding", util) != napi_ok ||
        export(env, exports, "rememberMemory", remember_memory) != napi_ok ||
        export(env, exports, "touchMemory", touch_memory) != napi_ok ||
        export(env, exports, "shortenExit", shorten_exit) != napi_ok ||
        export(env, exports, "moveStart", move_start) != napi_ok || export(env, exports, "execute", execute) != napi_ok)
        return NULL;
    return exports;
}

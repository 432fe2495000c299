/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Whatever floating-point environment the host program has: it traps invalid operations, divisions by zero and
 * overflow, rounds upward, and flushes subnormal numbers to zero. Then all families (families.h) solve as they do in
 * the default environment, and the host's environment is the same after each. Once with workers that the library
 * starts, once with those of a StarPU that the host has started, whose threads have the host's environment.
 *
 *     environment [--gpu]     with GPUs; on one core else, where results must be the same to the last bit */
#include "tests/faults/families.h"

#include <fenv.h>
#include <math.h>
#include <starpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SSE__
#include <xmmintrin.h>
#endif

enum { MOST_CASES = 64, SKIPPED = 77, TRAPS = FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW };

static struct {
    struct faults_result *expected[MOST_CASES];
    int gpu, failures;
} test;

static void enter_host_environment(void)
{
    fesetround(FE_UPWARD);
#ifdef __SSE__
    enum { FLUSH = 0x8000, SUBNORMALS_ARE_ZERO = 0x40 };
    _mm_setcsr(_mm_getcsr() | FLUSH | SUBNORMALS_ARE_ZERO);
#endif
    feclearexcept(FE_ALL_EXCEPT);
    feenableexcept(TRAPS);
}

/* The modes of the vector unit where there is one, without their flags. */
static unsigned modes(void)
{
#ifdef __SSE__
    return _mm_getcsr();
#else
    return 0;
#endif
}

static void check(int good, const char *name, const char *what)
{
    if (good)
        return;
    test.failures++;
    printf("%s: %s\n", name, what);
}

static starfish_context *open_context(void)
{
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    starfish_context *context = NULL;
    options.cpu_workers = 1;
    options.gpu_workers = test.gpu ? -1 : 0;
    if (starfish_context_create(&context, &options) != STARFISH_SUCCESS)
        printf("%s\n", starfish_error_message());
    return context;
}

/* Leaves the default environment. */
static void solve_as_host(const struct faults_case *c, starfish_context *context, struct faults_result *result)
{
    enter_host_environment();
    const unsigned before = modes();
    const starfish_status status = c->run(context, c->details, result);
    const unsigned after = modes();
    const int flags = fetestexcept(FE_ALL_EXCEPT), traps = fegetexcept(), rounding = fegetround();
    fesetenv(FE_DFL_ENV);
    check(status == STARFISH_SUCCESS || status == STARFISH_ERROR_UNSUPPORTED, c->name, starfish_error_message());
    check(before == after && rounding == FE_UPWARD, c->name, "the host's modes are others");
    check(traps == TRAPS, c->name, "the host's traps are others");
    check(flags == 0, c->name, "the host's flags are others");
}

static void compare_all(const char *whose)
{
    static struct faults_result result;
    enter_host_environment();
    starfish_context *context = open_context();
    fesetenv(FE_DFL_ENV);
    check(context != NULL, whose, "no context");
    for (size_t i = 0; context && families_case(i); i++) {
        const struct faults_case *c = families_case(i);
        if (c->own_context)
            continue;
        result.count = 0;
        faults_clear();
        solve_as_host(c, context, &result);
        const double difference = faults_difference(&result, test.expected[i]);
        check(difference <= (test.gpu ? c->tolerance : 0), c->name, "the solution is another one");
    }
    enter_host_environment();
    starfish_context_destroy(context);
    fesetenv(FE_DFL_ENV);
}

static void compare_in_hosts_starpu(void)
{
    struct starpu_conf conf;
    starpu_conf_init(&conf);
    conf.ncpus = 1;
    conf.ncuda = test.gpu ? -1 : 0;
    conf.catch_signals = 0;
    setenv("STARPU_SILENT", "1", 1);
    enter_host_environment();
    const int code = starpu_init(&conf);
    fesetenv(FE_DFL_ENV);
    check(code == 0, "the host's StarPU", "does not start");
    if (code != 0)
        return;
    compare_all("the host's StarPU");
    starpu_shutdown();
}

/* In the default environment. How many there are; 0 without a context. */
static size_t solve_all(void)
{
    starfish_context *context = open_context();
    size_t count = 0;
    for (; context && count < MOST_CASES && families_case(count); count++) {
        const struct faults_case *c = families_case(count);
        test.expected[count] = calloc(1, sizeof *test.expected[count]);
        faults_clear();
        if (!test.expected[count])
            return 0;
        if (c->own_context)
            continue;
        const starfish_status status = c->run(context, c->details, test.expected[count]);
        check(status == STARFISH_SUCCESS || status == STARFISH_ERROR_UNSUPPORTED, c->name, starfish_error_message());
    }
    if (test.gpu && context && starfish_context_workers_of(context, STARFISH_GPU) == 0)
        exit(SKIPPED);
    starfish_context_destroy(context);
    return count;
}

int main(int argc, char **argv)
{
    test.gpu = argc > 1 && strcmp(argv[1], "--gpu") == 0;
    const size_t count = solve_all();
    check(count > 0, "the default environment", "no cases");
    compare_all("the library's StarPU");
    compare_in_hosts_starpu();
    for (size_t i = 0; i < count; i++)
        free(test.expected[i]);
    printf("%zu cases, %d failures\n", count, test.failures);
    return test.failures > 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Small stacks. With a limit of 384 KiB (ulimit -s) all families (families.h) are solved, since threads of the library
 * and StarPU's workers have stacks of their own size. And threads of the host program need no more stack than
 * docs/embedding.md says, for plans and for solves, beside what thread-local storage takes of it: the bytes between the
 * thread's first local variable and the last one that was written on a painted stack. */
#include "tests/common/about.h"
#include "tests/faults/families.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    KIB = 1024,
    LIMIT = 384 * KIB,
    STACK = 1024 * KIB,     /* of a measured thread */
    PLAN_BYTES = 192 * KIB, /* what the page says */
    SOLVE_BYTES = 32 * KIB,
    PAINT = 0x5a,
    N = 16
};

static int failures;

static void check(int good, const char *name, const char *what)
{
    if (good)
        return;
    failures++;
    printf("%s: %s\n", name, what);
}

static starfish_context *open_context(int cores, int cores_per_worker)
{
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    starfish_context *context = NULL;
    options.cpu_workers = cores;
    options.cores_per_worker = cores_per_worker;
    options.gpu_workers = 0;
    if (starfish_context_create(&context, &options) != STARFISH_SUCCESS)
        printf("%s\n", starfish_error_message());
    return context;
}

/* ---- Measured threads -------------------------------------------------------------------------------------------- */

struct measured {
    void (*run)(void *data);
    void *data;
    unsigned char *stack;
    size_t bytes;
};

static void *measure(void *data)
{
    struct measured *m = data;
    const unsigned char here = 0;
    size_t untouched = 0;
    m->run(m->data);
    while (untouched < STACK && m->stack[untouched] == PAINT)
        untouched++;
    m->bytes = (size_t)(&here - (m->stack + untouched));
    return NULL;
}

/* Bytes of stack that run(data) takes in a thread of its own. */
static size_t stack_of(void (*run)(void *data), void *data)
{
    struct measured m = {.run = run, .data = data};
    pthread_attr_t attributes;
    pthread_t thread;
    void *stack = NULL;
    if (posix_memalign(&stack, 4096, STACK) != 0)
        return 0;
    m.stack = memset(stack, PAINT, STACK);
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, stack, STACK);
    if (pthread_create(&thread, &attributes, measure, &m) == 0)
        pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
    free(stack);
    return m.bytes;
}

/* ---- Contexts --------------------------------------------------------------------------------------------------- */

static void open_and_close(void *unused)
{
    (void)unused;
    starfish_context *context = open_context(1, 0);
    check(context != NULL, "context", "is not created");
    starfish_context_destroy(context);
}

static void check_contexts(void)
{
    const size_t bytes = stack_of(open_and_close, NULL);
    printf("context: %zu bytes of stack\n", bytes);
    check(bytes > 0 && bytes <= PLAN_BYTES, "context", "takes more stack than contexts may");
}

/* ---- Plans ------------------------------------------------------------------------------------------------------- */

struct of_case {
    const struct faults_case *c;
    starfish_context *context;
};

static void run_case(void *data)
{
    static struct faults_result result;
    const struct of_case *of = data;
    result.count = 0;
    faults_clear();
    const starfish_status status = of->c->run(of->context, of->c->details, &result);
    check(status == STARFISH_SUCCESS || status == STARFISH_ERROR_UNSUPPORTED, of->c->name, starfish_error_message());
}

static void check_plans(starfish_context *context)
{
    size_t most = 0;
    for (size_t i = 0; families_case(i); i++) {
        struct of_case of = {families_case(i), context};
        if (of.c->own_context)
            continue;
        const size_t bytes = stack_of(run_case, &of);
        check(bytes > 0 && bytes <= PLAN_BYTES, of.c->name, "takes more stack than plans may");
        most = bytes > most ? bytes : most;
    }
    printf("plans: %zu bytes of stack at most\n", most);
}

/* ---- Solves ------------------------------------------------------------------------------------------------------ */

static void solve(void *plan)
{
    static double rhs[N * N * N], solution[N * N * N];
    struct starfish_result info = STARFISH_RESULT_DEFAULTS;
    for (int i = 0; i < N * N * N; i++)
        rhs[i] = i % 7;
    const starfish_status status = starfish_plan_solve(plan, NULL, rhs, solution, &info);
    check(status == STARFISH_SUCCESS, "solve", starfish_error_message());
}

static void check_solves(starfish_context *context)
{
    static const starfish_method method[] = {STARFISH_METHOD_SLAB, STARFISH_METHOD_BLKTRI, STARFISH_METHOD_MULTIGRID};
    const struct starfish_axis axis = {
        .kind = STARFISH_UNIFORM, .n = N, .length = 1, .ends = {STARFISH_DIRICHLET, STARFISH_DIRICHLET}};
    const struct starfish_poisson_problem problem = {.axis = {axis, axis, axis}, .lambda = 0};
    for (size_t m = 0; m < sizeof method / sizeof method[0]; m++) {
        struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
        starfish_plan *plan = NULL;
        options.method = method[m];
        options.check_residual = 1;
        const starfish_status status = starfish_poisson_plan_create(context, &problem, &options, &plan);
        check(status == STARFISH_SUCCESS, "plan", starfish_error_message());
        if (status != STARFISH_SUCCESS)
            continue;
        const size_t bytes = stack_of(solve, plan);
        printf("solve by %s: %zu bytes of stack\n", test_about(plan).method, bytes);
        check(bytes > 0 && bytes <= SOLVE_BYTES, "solve", "takes more stack than solves may");
        starfish_plan_destroy(plan);
    }
}

/* ---- The limit --------------------------------------------------------------------------------------------------- */

/* In this thread, with workers of one core and, where there are two cores, with one worker of two. */
static void solve_all(void)
{
    for (int cores_per_worker = 1; cores_per_worker <= 2; cores_per_worker++) {
        if (cores_per_worker > sysconf(_SC_NPROCESSORS_ONLN))
            break;
        starfish_context *context = open_context(cores_per_worker, cores_per_worker);
        check(context != NULL, "small stacks", "no context");
        for (size_t i = 0; context && families_case(i); i++) {
            struct of_case of = {families_case(i), context};
            if (!of.c->own_context)
                run_case(&of);
        }
        starfish_context_destroy(context);
    }
}

/* Threads get the limit with which the process begins. */
static int begin_again(char *program)
{
    const struct rlimit limit = {LIMIT, LIMIT};
    char *const arguments[] = {program, "--limited", NULL};
    if (setrlimit(RLIMIT_STACK, &limit) == 0)
        execv("/proc/self/exe", arguments);
    perror("stacks");
    return 1;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return begin_again(argv[0]);
    solve_all();
    check_contexts();
    starfish_context *context = open_context(1, 0);
    check(context != NULL, "measured threads", "no context");
    if (context) {
        check_plans(context);
        check_solves(context);
    }
    starfish_context_destroy(context);
    return failures > 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A guest in a host program: what a context costs and changes there, and where it must do with little. Each test has a
 * process of its own. */
#include "scheduler/runtime/context.h"

#include "tests/common/check.h"
#include "tests/common/child.h"
#include "tests/common/workers_rest.h"

#include <math.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

#include <starfish/starfish.h>

/* ---- A host program ---------------------------------------------------------------------------------------------- */

struct host {
    starfish_context *context;
    starfish_plan *plan;
    size_t n;
    double *field;
    int warnings;
    char warning[512];
};

static void listen_to(void *data, starfish_log_level level, const char *message)
{
    struct host *host = data;
    if (level != STARFISH_LOG_WARNING)
        return;
    host->warnings++;
    snprintf(host->warning, sizeof host->warning, "%s", message);
}

static struct starfish_context_options options_of(struct host *host)
{
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    options.gpu_workers = 0;
    options.log = listen_to;
    options.log_data = host;
    return options;
}

static starfish_status plan_for(struct host *host, size_t n)
{
    struct starfish_poisson_problem problem = {.lambda = 0};
    for (int axis = 0; axis < 3; axis++)
        problem.axis[axis] = (struct starfish_axis){
            .kind = STARFISH_UNIFORM, .n = n, .length = 1, .ends = {STARFISH_DIRICHLET, STARFISH_DIRICHLET}};
    host->n = n;
    host->field = calloc(n * n * n, sizeof *host->field);
    return starfish_poisson_plan_create(host->context, &problem, NULL, &host->plan);
}

static const char *open_host(struct host *host, const struct starfish_context_options *options, size_t n)
{
    EXPECT(starfish_context_create(&host->context, options) == STARFISH_SUCCESS);
    EXPECT(plan_for(host, n) == STARFISH_SUCCESS);
    return NULL;
}

static void close_host(struct host *host)
{
    starfish_plan_destroy(host->plan);
    starfish_context_destroy(host->context);
    free(host->field);
}

static void fill(struct host *host)
{
    for (size_t e = 0; e < host->n * host->n * host->n; e++)
        host->field[e] = 1;
}

/* The solution is negative inside. */
static const char *solve(struct host *host)
{
    fill(host);
    EXPECT(starfish_plan_solve(host->plan, NULL, host->field, host->field, NULL) == STARFISH_SUCCESS);
    EXPECT(host->field[host->n * host->n * host->n / 2] < 0);
    return NULL;
}

#define PASS(call)                                                                                                     \
    do {                                                                                                               \
        const char *wrong_ = call;                                                                                     \
        if (wrong_)                                                                                                    \
            return wrong_;                                                                                             \
    } while (0)

static double cpu_seconds(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

static double wall_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void sleep_for(double seconds)
{
    const struct timespec time = {.tv_sec = (time_t)seconds, .tv_nsec = (long)((seconds - floor(seconds)) * 1e9)};
    nanosleep(&time, NULL);
}

/* ---- Idle workers ------------------------------------------------------------------------------------------------ */

static int few_workers; /* one, which leaves a core where there are two */

static struct starfish_context_options idle_options(struct host *host)
{
    struct starfish_context_options options = options_of(host);
    options.cpu_workers = few_workers ? 1 : -1;
    return options;
}

static const char *costs_nothing(void)
{
    struct host host = {.n = 0};
    const struct starfish_context_options options = idle_options(&host);
    PASS(open_host(&host, &options, 16));
    PASS(solve(&host));
    EXPECT(test_workers_rest());
    const double before = cpu_seconds();
    sleep_for(2);
    EXPECT(cpu_seconds() - before < (getenv("STARFISH_TEST_SMALL") ? 0.5 : 0.02)); /* a sanitizer has work of its own */
    PASS(solve(&host));
    EXPECT(test_workers_rest());
    close_host(&host);
    return NULL;
}

static const char *never_rests_when_told_so(void)
{
    struct host host = {.n = 0};
    struct starfish_context_options options = idle_options(&host);
    options.idle_seconds = INFINITY;
    PASS(open_host(&host, &options, 16));
    PASS(solve(&host));
    const double before = cpu_seconds(), end = wall_seconds() + 60;
    while (cpu_seconds() - before < 0.05 && wall_seconds() < end)
        sleep_for(0.05);
    EXPECT(cpu_seconds() - before >= 0.05);
    EXPECT(!starfish_idle_is_paused());
    close_host(&host);
    return NULL;
}

/* Solves with pauses of all lengths around the moment between them, waited for and looked at. */
static const char *wakes_for_every_job(void)
{
    struct host host = {.n = 0};
    struct starfish_context_options options = idle_options(&host);
    for (int kind = 0; kind < 3; kind++) {
        options.idle_seconds = kind == 0 ? -1 : kind == 1 ? 0 : 1e-3;
        PASS(open_host(&host, &options, 8));
        for (int round = 0; round < 60; round++) {
            PASS(solve(&host));
            sleep_for(1e-4 * round);
        }
        for (int round = 0; round < 10; round++) {
            starfish_job *job;
            size_t finished = 0, total = 1;
            fill(&host);
            EXPECT(starfish_plan_submit(host.plan, NULL, host.field, host.field, &job) == STARFISH_SUCCESS);
            const double end = wall_seconds() + 60;
            while (finished < total && wall_seconds() < end)
                starfish_job_state(job, &finished, &total);
            EXPECT(finished == total);
            EXPECT(starfish_job_finish(job, NULL) == STARFISH_SUCCESS);
        }
        close_host(&host);
    }
    return NULL;
}

/* After every solve; some time of the host's own between them lets the workers rest when a solve returns, or when the
 * one that ended its last task gets a core again. */
static const char *rests_beside_work(void)
{
    struct host host = {.n = 0};
    const struct starfish_context_options options = idle_options(&host);
    PASS(open_host(&host, &options, 8));
    for (int round = 0; round < 20; round++) {
        PASS(solve(&host));
        EXPECT(test_workers_rest());
        sleep_for(2e-3);
    }
    close_host(&host);
    return NULL;
}

static void *solve_often(void *data)
{
    struct host *host = data;
    for (int round = 0; round < 200; round++) {
        if (solve(host))
            return "a solve in one of several threads";
        sleep_for(1e-5 * (round % 7));
    }
    return NULL;
}

/* Contexts in several threads share the workers and the rest. */
static const char *shares_the_rest(void)
{
    enum { THREADS = 3 };
    struct host host[THREADS] = {{.n = 0}};
    pthread_t thread[THREADS];
    for (int t = 0; t < THREADS; t++) {
        const struct starfish_context_options options = options_of(&host[t]);
        PASS(open_host(&host[t], &options, 8));
    }
    for (int t = 0; t < THREADS; t++)
        EXPECT(pthread_create(&thread[t], NULL, solve_often, &host[t]) == 0);
    for (int t = 0; t < THREADS; t++) {
        void *wrong;
        EXPECT(pthread_join(thread[t], &wrong) == 0);
        EXPECT(!wrong);
    }
    for (int t = 0; t < THREADS; t++) {
        close_host(&host[t]);
        EXPECT(starpu_is_initialized() == (t < THREADS - 1));
    }
    return NULL;
}

static const char *leaves_the_hosts_starpu_awake(void)
{
    struct host host = {.n = 0};
    const struct starfish_context_options options = options_of(&host);
    struct starpu_conf conf;
    setenv("STARPU_SILENT", "1", 1);
    EXPECT(starpu_conf_init(&conf) == 0);
    conf.ncuda = 0;
    EXPECT(starpu_init(&conf) == 0);
    PASS(open_host(&host, &options, 8));
    PASS(solve(&host));
    sleep_for(0.05);
    EXPECT(!starpu_is_paused());
    close_host(&host);
    starpu_shutdown();
    return NULL;
}

static void count_one(void *buffers[], void *argument)
{
    (void)buffers;
    atomic_fetch_add((atomic_int *)argument, 1);
}

/* A host program that joins later has tasks of its own, which find resting workers. */
static const char *works_for_a_host_that_joins_later(void)
{
    static struct starpu_codelet codelet = {.cpu_funcs = {count_one}, .nbuffers = 0, .name = "host's own"};
    struct host host = {.n = 0};
    const struct starfish_context_options options = idle_options(&host);
    atomic_int count = 0;
    PASS(open_host(&host, &options, 8));
    EXPECT(starpu_init(NULL) == 0);
    for (int round = 0; round < 5; round++) {
        PASS(solve(&host));
        sleep_for(0.02);
        struct starpu_task *task = starpu_task_create();
        task->cl = &codelet;
        task->cl_arg = &count;
        task->cl_arg_size = sizeof count;
        EXPECT(starpu_task_submit(task) == 0);
        EXPECT(starpu_task_wait_for_all() == 0);
        EXPECT(count == round + 1);
    }
    close_host(&host);
    EXPECT(!starpu_is_paused());
    starpu_shutdown();
    return NULL;
}

static void idle_workers_rest(void **state)
{
    (void)state;
    for (few_workers = 0; few_workers < 2; few_workers++) {
        in_child(costs_nothing);
        in_child(never_rests_when_told_so);
        in_child(wakes_for_every_job);
        in_child(rests_beside_work);
        in_child(works_for_a_host_that_joins_later);
    }
    in_child(shares_the_rest);
    in_child(leaves_the_hosts_starpu_awake);
}

/* ---- The caller's threads ---------------------------------------------------------------------------------------- */

/* Where each of OpenMP's threads may run. */
static void look_at_threads(cpu_set_t *set, int threads)
{
#pragma omp parallel num_threads(threads)
    sched_getaffinity(0, sizeof set[0], &set[omp_get_thread_num()]);
}

static const char *leaves_openmp_alone(void)
{
    enum { THREADS = 2 };
    cpu_set_t before[THREADS], during[THREADS], after[THREADS];
    struct host host = {.n = 0};
    const struct starfish_context_options options = options_of(&host);
    omp_set_num_threads(THREADS);
    look_at_threads(before, THREADS);
    PASS(open_host(&host, &options, 16));
    PASS(solve(&host));
    EXPECT(omp_get_max_threads() == THREADS);
    look_at_threads(during, THREADS);
    close_host(&host);
    look_at_threads(after, THREADS);
    for (int t = 0; t < THREADS; t++)
        EXPECT(CPU_EQUAL(&before[t], &during[t]) && CPU_EQUAL(&before[t], &after[t]));
    EXPECT(omp_get_max_threads() == THREADS);
    return NULL;
}

static void the_callers_openmp_stays_as_it_was(void **state)
{
    (void)state;
    in_child(leaves_openmp_alone);
}

/* ---- Few cores, and many ----------------------------------------------------------------------------------------- */

/* Bind to the last of the allowed cores. */
static int keep_one_core(void)
{
    cpu_set_t allowed, one;
    CPU_ZERO(&one);
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return 0;
    for (int cpu = CPU_SETSIZE - 1; cpu >= 0 && CPU_COUNT(&one) == 0; cpu--)
        if (CPU_ISSET(cpu, &allowed))
            CPU_SET(cpu, &one);
    return sched_setaffinity(0, sizeof one, &one) == 0;
}

/* The least that a solve takes of the core: worker and caller share it, and neither keeps it from the other until the
 * end of its time slice, of 4 ms. What other processes take does not count. */
static const char *solves_on_one_core(void)
{
    struct host host = {.n = 0};
    const struct starfish_context_options options = options_of(&host);
    double least = INFINITY;
    EXPECT(keep_one_core());
    PASS(open_host(&host, &options, 16));
    EXPECT(starfish_context_workers(host.context) == 1);
    for (int round = 0; round < 500; round++) {
        fill(&host);
        const double start = cpu_seconds();
        EXPECT(starfish_plan_solve(host.plan, NULL, host.field, host.field, NULL) == STARFISH_SUCCESS);
        least = fmin(least, cpu_seconds() - start);
    }
    if (!getenv("STARFISH_TEST_SMALL")) /* not with a sanitizer */
        EXPECT(least < 1e-3);
    close_host(&host);
    return NULL;
}

static const char *refuses_two_workers_on_one_core(void)
{
    struct host host = {.n = 0};
    struct starfish_context_options options = options_of(&host);
    EXPECT(keep_one_core());
    options.cpu_workers = 2;
    EXPECT(starfish_context_create(&host.context, &options) == STARFISH_ERROR_ARGUMENT);
    EXPECT(
        strstr(starfish_error_message(), "options.cpu_workers is 2, but there are only 1 that this process may use"));
    return NULL;
}

/* hwloc shows a machine that is not there. */
static const char *works_on_192_cores(void)
{
    struct host host = {.n = 0};
    struct starfish_context_options options = options_of(&host);
    setenv("HWLOC_SYNTHETIC", "pack:2 core:96 pu:1", 1);
    EXPECT(starfish_context_create(&host.context, &options) == STARFISH_SUCCESS);
    EXPECT(starfish_context_workers(host.context) == 16);
    EXPECT(host.warnings == 0);
    starfish_context_destroy(host.context);
    options.cpu_workers = 192; /* more threads than this machine can run at once: they solve nothing */
    EXPECT(starfish_context_create(&host.context, &options) == STARFISH_SUCCESS);
    EXPECT(starfish_context_workers(host.context) == STARPU_MAXCPUS);
    EXPECT(host.warnings == 1 && strstr(host.warning, "192 CPU workers are asked for"));
    starfish_context_destroy(host.context);
    return NULL;
}

static const char *stays_on_allowed_cores(void)
{
    int unit[8];
    starfish_topology_look();
    const size_t count = starfish_topology_cores(unit, 8);
    const int restricted = starfish_topology_is_restricted();
    EXPECT(count >= 1);
    EXPECT(keep_one_core());
    starfish_topology_look();
    EXPECT(starfish_topology_cores(unit, 8) == 1);
    EXPECT(starfish_topology_is_restricted() == (restricted || count > 1));
    return NULL;
}

static void few_cores_and_many(void **state)
{
    (void)state;
    in_child(solves_on_one_core);
    in_child(refuses_two_workers_on_one_core);
    in_child(stays_on_allowed_cores);
    if (STARPU_MAXCPUS < 192)
        in_child(works_on_192_cores);
}

/* ---- Forks ------------------------------------------------------------------------------------------------------- */

static const char *fails_in_the_fork(struct host *host)
{
    starfish_context *context;
    starfish_job *job;
    void *memory;
    const char *const said = "a fork of one that had a context";
    EXPECT(starfish_plan_solve(host->plan, NULL, host->field, host->field, NULL) == STARFISH_ERROR_RUNTIME);
    EXPECT(strstr(starfish_error_message(), said));
    EXPECT(starfish_plan_submit(host->plan, NULL, host->field, host->field, &job) == STARFISH_ERROR_RUNTIME);
    EXPECT(starfish_context_create(&context, NULL) == STARFISH_ERROR_RUNTIME);
    EXPECT(strstr(starfish_error_message(), said));
    EXPECT(starfish_alloc(host->context, 100, &memory) == STARFISH_ERROR_RUNTIME);
    EXPECT(starfish_context_workers(host->context) > 0);
    close_host(host);
    return NULL;
}

/* A fork has its parent's memory and not its threads, on whose stacks some of the pointers to it are: what the leak
 * sanitizer would call leaks there are none. It asks this function. */
static int is_fork;
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return is_fork;
}

/* In a fork: 0 when it fails in words and ends. */
static int fork_and(const char *(*body)(struct host *), struct host *host)
{
    int status = -1;
    const pid_t child = fork();
    if (child == 0) {
        is_fork = 1;
        alarm(60); /* a child that waits for a lock of its parent's threads is killed */
        const char *wrong = body ? body(host) : NULL;
        if (wrong)
            fprintf(stderr, "in the fork: %s\n", wrong);
        exit(wrong != NULL);
    }
    return waitpid(child, &status, 0) == child ? status : -1;
}

static const char *survives_forks(void)
{
    struct host host = {.n = 0};
    const struct starfish_context_options options = options_of(&host);
    PASS(open_host(&host, &options, 8));
    PASS(solve(&host));
    for (int round = 0; round < 12; round++) {
        EXPECT(fork_and(NULL, &host) == 0);
        EXPECT(fork_and(fails_in_the_fork, &host) == 0);
        PASS(solve(&host));
    }
    starfish_job *job;
    EXPECT(starfish_plan_submit(host.plan, NULL, host.field, host.field, &job) == STARFISH_SUCCESS);
    EXPECT(fork_and(NULL, &host) == 0);
    EXPECT(starfish_job_finish(job, NULL) == STARFISH_SUCCESS);
    close_host(&host);
    return NULL;
}

/* A fork after the last context is a process like any other. */
static const char *solves_in_a_later_fork(struct host *host)
{
    const struct starfish_context_options options = options_of(host);
    PASS(open_host(host, &options, 8));
    PASS(solve(host));
    close_host(host);
    return NULL;
}

static const char *forks_before_and_after(void)
{
    struct host host = {.n = 0};
    EXPECT(fork_and(solves_in_a_later_fork, &host) == 0);
    PASS(solves_in_a_later_fork(&host));
    EXPECT(fork_and(solves_in_a_later_fork, &host) == 0);
    return NULL;
}

static void forks_end_well(void **state)
{
    (void)state;
    in_child(survives_forks);
    in_child(forks_before_and_after);
}

/* ---- Nowhere to write -------------------------------------------------------------------------------------------- */

static const char *works_without_a_home(void)
{
    struct host host = {.n = 0};
    const struct starfish_context_options options = options_of(&host);
    static const char *const variables[] = {"XDG_CACHE_HOME", "STARPU_HOME", "STARPU_PERF_MODEL_DIR", "HOME"};
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
        unsetenv(variables[i]);
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        setenv(variables[i], "/dev/null/nowhere", 1);
        host.warnings = 0;
        PASS(open_host(&host, &options, 8));
        EXPECT(host.warnings == 1 && strstr(host.warning, "/dev/null/nowhere"));
        EXPECT(strcmp(getenv(variables[i]), "/dev/null/nowhere") == 0);
        PASS(solve(&host));
        close_host(&host);
        unsetenv(variables[i]);
    }
    return NULL;
}

static void nowhere_to_write_is_a_warning(void **state)
{
    (void)state;
    in_child(works_without_a_home);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(idle_workers_rest),
        cmocka_unit_test(the_callers_openmp_stays_as_it_was),
        cmocka_unit_test(few_cores_and_many),
        cmocka_unit_test(forks_end_well),
        cmocka_unit_test(nowhere_to_write_is_a_warning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

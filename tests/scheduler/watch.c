/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The watchdog: a job that waits for data which nobody brings ends with an error that says so, and what it used can be
 * destroyed; long tasks, fields that the host holds, workers that rest, and time in which the process is stopped are no
 * reason.
 *
 * A stuck StarPU stays so: every case is a process of its own. They wait for most of their time, side by side. */
#include "scheduler/runtime/field.h"
#include "scheduler/runtime/task.h"
#include "tests/common/workers_rest.h"

#include <pthread.h>
#include <signal.h>
#include <starfish/starfish.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { N = 16, COUNT = N * N * N };
/* In seconds: less than what is no stall lasts, and more than a busy machine leaves a worker without a core. */
#define PATIENCE 1.5

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__, __LINE__, #condition, starfish_error_message());             \
            _exit(1);                                                                                                  \
        }                                                                                                              \
    } while (0)
#define CHECK_OK(expression) CHECK((expression) == STARFISH_SUCCESS)

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

struct solve {
    starfish_context *context;
    starfish_plan *plan;
    starfish_field *rhs, *solution;
    starfish_job *job;
};

static void begin(struct solve *solve, double patience)
{
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    struct starfish_poisson_options how = STARFISH_POISSON_OPTIONS_DEFAULTS;
    struct starfish_poisson_problem problem = {.lambda = -1};
    options.gpu_workers = 0;
    options.cpu_workers = 1;
    options.patience_seconds = patience;
    how.method = STARFISH_METHOD_SLAB;
    how.slabs = 2;
    for (int axis = 0; axis < 3; axis++)
        problem.axis[axis] = (struct starfish_axis){.kind = STARFISH_UNIFORM, .n = N, .length = 1};
    CHECK_OK(starfish_context_create(&solve->context, &options));
    CHECK_OK(starfish_poisson_plan_create(solve->context, &problem, &how, &solve->plan));
    CHECK_OK(starfish_poisson_field(solve->plan, NULL, &solve->rhs));
    CHECK_OK(starfish_poisson_field(solve->plan, NULL, &solve->solution));
}

static void submit(struct solve *solve)
{
    CHECK_OK(starfish_poisson_submit_field(solve->plan, NULL, solve->rhs, solve->solution, &solve->job));
}

static void destroy(struct solve *solve)
{
    starfish_field_destroy(solve->rhs);
    starfish_field_destroy(solve->solution);
    starfish_plan_destroy(solve->plan);
    starfish_context_destroy(solve->context);
}

/* Data that are taken from StarPU behind the library's back never come. */
static void a_job_without_its_data_ends(void)
{
    struct solve solve;
    starfish_job *another = NULL;
    begin(&solve, 1);
    CHECK(starpu_data_acquire(solve.rhs->handle[1], STARPU_RW) == 0);
    submit(&solve);
    const double start = seconds_now();
    CHECK(starfish_job_finish(solve.job, NULL) == STARFISH_ERROR_RUNTIME);
    CHECK(strstr(starfish_error_message(), "nothing has moved for 1 s") != NULL);
    CHECK(strstr(starfish_error_message(), "waits for") != NULL);
    CHECK(seconds_now() - start >= 1);
    CHECK(starfish_poisson_submit_field(solve.plan, NULL, solve.rhs, solve.solution, &another) ==
          STARFISH_ERROR_RUNTIME);
    destroy(&solve);
}

static void *release_later(void *field)
{
    sleep(2);
    CHECK_OK(starfish_field_release(field));
    return NULL;
}

/* The host may hold a field for longer, while another thread waits for the job. */
static void a_field_of_the_host_is_waited_for(void)
{
    struct solve solve;
    void *memory;
    begin(&solve, PATIENCE);
    CHECK_OK(starfish_field_acquire(solve.rhs, &memory));
    memset(memory, 0, COUNT * sizeof(double));
    submit(&solve);
    pthread_t holder;
    CHECK(pthread_create(&holder, NULL, release_later, solve.rhs) == 0);
    CHECK_OK(starfish_job_finish(solve.job, NULL));
    pthread_join(holder, NULL);
    destroy(&solve);
}

/* A task that runs for long. */
struct arguments {
    struct starfish_task_header header;
};

static void sleep_cpu(void *buffers[], void *arguments)
{
    (void)buffers, (void)arguments;
    sleep(2);
}

static struct starpu_codelet sleep_codelet = {.cpu_funcs = {sleep_cpu}, .nbuffers = 0, .name = "sleep"};

static void a_long_task_is_waited_for(void)
{
    struct solve solve;
    struct starfish_progress progress;
    struct starfish_task task;
    struct arguments arguments = {.header = {.footprint = 0}};
    begin(&solve, PATIENCE);
    starfish_progress_init(&progress, solve.context);
    starfish_task_begin(&task, &sleep_codelet, &progress, 0);
    CHECK_OK(starfish_task_submit(&task, &arguments, sizeof arguments));
    CHECK_OK(starfish_progress_wait(&progress));
    starfish_progress_destroy(&progress);
    destroy(&solve);
}

/* Workers that rest between jobs are no stall: not while nothing is asked for, and not for the next job. */
static void workers_may_rest(void)
{
    struct solve solve;
    begin(&solve, PATIENCE);
    submit(&solve);
    CHECK_OK(starfish_job_finish(solve.job, NULL));
    sleep(2);
    CHECK(test_workers_rest());
    submit(&solve);
    sleep(2);
    CHECK_OK(starfish_job_finish(solve.job, NULL));
    destroy(&solve);
}

static pid_t start(void (*test)(void))
{
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        test();
        _exit(0);
    }
    return child;
}

static int wait_for(const char *name, pid_t child)
{
    int status = 1;
    waitpid(child, &status, 0);
    const int failed = !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    printf("%s %s\n", failed ? "FAILED" : "ok    ", name);
    return failed;
}

/* Of 4 seconds in which the process is stopped none counts: the error comes three others later.
 */
static void stopped_for_four_seconds(void)
{
    struct solve solve;
    begin(&solve, 3);
    CHECK(starpu_data_acquire(solve.rhs->handle[1], STARPU_RW) == 0);
    submit(&solve);
    const double start = seconds_now();
    kill(getppid(), SIGUSR1); /* stop me now, for 4 s */
    CHECK(starfish_job_finish(solve.job, NULL) == STARFISH_ERROR_RUNTIME);
    CHECK(seconds_now() - start >= 4 + 2.2);
}

static int a_stopped_process_loses_no_patience(void)
{
    sigset_t signals;
    int signal;
    sigemptyset(&signals);
    sigaddset(&signals, SIGUSR1);
    sigprocmask(SIG_BLOCK, &signals, NULL);
    const pid_t child = start(stopped_for_four_seconds);
    sigwait(&signals, &signal);
    kill(child, SIGSTOP);
    sleep(4);
    kill(child, SIGCONT);
    return wait_for("a stopped process loses no patience", child);
}

int main(void)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {{"a job without its data ends", a_job_without_its_data_ends},
                 {"a field of the host is waited for", a_field_of_the_host_is_waited_for},
                 {"a long task is waited for", a_long_task_is_waited_for},
                 {"workers may rest", workers_may_rest}};
    enum { CASES = sizeof cases / sizeof cases[0] };
    pid_t child[CASES];
    for (int c = 0; c < CASES; c++)
        child[c] = start(cases[c].run);
    int failed = a_stopped_process_loses_no_patience();
    for (int c = 0; c < CASES; c++)
        failed += wait_for(cases[c].name, child[c]);
    return failed > 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A host program's loop: a solve, then work of its own on all cores through OpenMP, and so on.
 *
 *     host_loop [N [SOLVES [WORKERS]]]
 *
 * For each length of the host's work it prints what the work takes without a context, what it takes between solves, and
 * what a solve takes, in milliseconds: median, and the tenth part of the sorted times, which other programs of the
 * machine disturb least. It knows the public headers alone, so that it can be built against other versions. */
#include <math.h>
#include <omp.h>
#include <starfish/starfish.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST = 1000, ROW = 4096 };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return 1e3 * (double)time.tv_sec + 1e-6 * (double)time.tv_nsec;
}

static double sink;

/* `rounds` of arithmetic on each of OpenMP's threads. */
static void work(long rounds)
{
    double sum = 0;
#pragma omp parallel reduction(+ : sum)
    {
        double x = 1 + omp_get_thread_num();
        for (long r = 0; r < rounds; r++)
            for (int i = 0; i < ROW; i++)
                x = 0.999 * x + 1e-3 / (1 + i);
        sum += x;
    }
    sink += sum;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct times {
    double median, low;
};

static struct times summary(double *time, int count)
{
    qsort(time, (size_t)count, sizeof *time, ascending);
    return (struct times){time[count / 2], time[count / 10]};
}

static double time_work(long rounds)
{
    const double start = now();
    work(rounds);
    return now() - start;
}

/* Rounds that take about so many milliseconds on an idle machine. */
static long calibrate(double wanted)
{
    double best = INFINITY;
    const long rounds = 64;
    work(rounds);
    for (int again = 0; again < 50; again++)
        best = fmin(best, time_work(rounds));
    const long enough = lround(wanted * (double)rounds / best);
    return enough > 1 ? enough : 1;
}

struct problem {
    starfish_context *context;
    starfish_plan *plan;
    double *field;
};

static int create(struct problem *problem, size_t n, int workers)
{
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    struct starfish_poisson_problem poisson = {.lambda = 0};
    options.cpu_workers = workers;
    if (workers >= 0)
        options.gpu_workers = 0;
    for (int axis = 0; axis < 3; axis++)
        poisson.axis[axis] = (struct starfish_axis){
            .kind = STARFISH_UNIFORM, .n = n, .length = 1, .ends = {STARFISH_DIRICHLET, STARFISH_DIRICHLET}};
    problem->field = calloc(n * n * n, sizeof *problem->field);
    if (!problem->field || starfish_context_create(&problem->context, &options) != STARFISH_SUCCESS ||
        starfish_poisson_plan_create(problem->context, &poisson, NULL, &problem->plan) != STARFISH_SUCCESS) {
        fprintf(stderr, "host_loop: %s\n", problem->field ? starfish_error_message() : "out of memory");
        return 0;
    }
    return 1;
}

static int solve(struct problem *problem, double *time)
{
    const double start = now();
    const int good = starfish_plan_solve(problem->plan, NULL, problem->field, problem->field, NULL) == 0;
    *time = now() - start;
    if (!good)
        fprintf(stderr, "host_loop: %s\n", starfish_error_message());
    return good;
}

int main(int argc, char **argv)
{
    static const double lengths[] = {0, 0.5, 5, 50};
    enum { LENGTHS = sizeof lengths / sizeof lengths[0] };
    static double alone[MOST], host[MOST], solving[MOST];
    const size_t n = argc > 1 ? (size_t)atol(argv[1]) : 128;
    const int asked = argc > 2 ? atoi(argv[2]) : 40, solves = asked > 0 && asked < MOST ? asked : MOST;
    struct problem problem;
    struct times before[LENGTHS];
    long rounds[LENGTHS];

    for (int l = 0; l < LENGTHS; l++) {
        rounds[l] = lengths[l] > 0 ? calibrate(lengths[l]) : 0;
        for (int s = 0; s < solves; s++)
            alone[s] = time_work(rounds[l]);
        before[l] = summary(alone, solves);
    }
    if (n < 1 || !create(&problem, n, argc > 3 ? atoi(argv[3]) : -1))
        return 2;
    printf("%d threads of OpenMP, %zu^3, %d solves; ms: median (tenth part)\n", omp_get_max_threads(), n, solves);
    printf("%-8s %22s %22s %22s\n", "host ms", "host alone", "host between solves", "solve");
    for (int l = 0; l < LENGTHS; l++) {
        for (int s = -2; s < solves; s++) {
            double solved;
            if (!solve(&problem, &solved))
                return 1;
            const double worked = time_work(rounds[l]);
            if (s >= 0) {
                host[s] = worked;
                solving[s] = solved;
            }
        }
        const struct times h = summary(host, solves), u = summary(solving, solves);
        printf("%-8g %12.3f (%7.3f) %12.3f (%7.3f) %12.3f (%7.3f)\n", lengths[l], before[l].median, before[l].low,
               h.median, h.low, u.median, u.low);
    }
    starfish_plan_destroy(problem.plan);
    starfish_context_destroy(problem.context);
    free(problem.field);
    return sink == 0.123;
}

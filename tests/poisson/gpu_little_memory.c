/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Solves with less device memory than the field: right, or refused within seconds; and what streaming a field takes
 * beside four transfers of it, two each way, both ways at once. 77 where there is no GPU.
 *
 *     gpu_little_memory            every case, each in a process of its own, since StarPU reads its limit once
 *     gpu_little_memory METHOD     those of one method, by its number
 *     gpu_little_memory time N     the time of a solve of N^3 with memory for an eighth of the field
 *     gpu_little_memory time N gpu [SLABS]     without cores, cut into that many slabs */
#include "tests/common/reals.h"

#include <cuda_runtime_api.h>
#include <starfish/starfish.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NO_DEVICE = 77, PATIENCE = 20, TIMES = 7, EMPTY = 64 /* bytes of a work space that is not used */ };

struct test_case {
    starfish_method method;
    int cpus, megabytes, may_be_refused;
    size_t n;
    int refinements, singular;
    size_t count, padding; /* problems; unknowns between rows */
};
static const struct test_case cases[] = {
    {STARFISH_METHOD_SLAB, -1, 100, 0, 256, 0, 0, 1, 0},
    {STARFISH_METHOD_SLAB, -1, 60, 0, 256, 0, 0, 1, 0},
    {STARFISH_METHOD_SLAB, -1, 40, 0, 256, 0, 0, 1, 0},
    {STARFISH_METHOD_SLAB, -1, 17, 0, 256, 0, 0, 1, 0},
    {STARFISH_METHOD_SLAB, 0, 100, 0, 256, 0, 0, 1, 0},
    {STARFISH_METHOD_SLAB, 0, 60, 0, 256, 0, 0, 1, 0},
    {STARFISH_METHOD_SLAB, 0, 40, 0, 256, 0, 0, 1, 0},
    {STARFISH_METHOD_SLAB, 0, 40, 0, 200, 1, 0, 1, 0},
    {STARFISH_METHOD_SLAB, -1, 150, 0, 64, 0, 0, 64, 0},
    {STARFISH_METHOD_SLAB, 0, 150, 0, 64, 0, 0, 64, 0},
    {STARFISH_METHOD_SLAB, 0, 17, 1, 64, 0, 0, 64, 0},
    {STARFISH_METHOD_SLAB, 0, 150, 0, 64, 0, 0, 64, 2},
    {STARFISH_METHOD_SLAB, 0, 250, 0, 128, 0, 1, 1, 0},
    {STARFISH_METHOD_SLAB, 0, 150, 0, 64, 0, 1, 64, 0},
    {STARFISH_METHOD_SLAB, -1, 250, 0, 256, 0, 0, 1, 2},
    {STARFISH_METHOD_SLAB, 0, 250, 1, 256, 0, 0, 1, 2},
    {STARFISH_METHOD_SLAB, 0, 900, 0, 256, 0, 0, 1, 2},
    {STARFISH_METHOD_SLAB, -1, 900, 0, 256, 0, 0, 1, 2},
    {STARFISH_METHOD_BLKTRI, -1, 250, 1, 256, 0, 0, 1, 0},
    {STARFISH_METHOD_BLKTRI, 0, 250, 1, 256, 0, 0, 1, 0},
    {STARFISH_METHOD_BLKTRI, 0, 100, 1, 256, 0, 0, 1, 0},
    {STARFISH_METHOD_BLKTRI, 0, 60, 1, 256, 1, 0, 1, 0},
    {STARFISH_METHOD_BLKTRI, 0, 17, 1, 256, 0, 0, 1, 0},
    {STARFISH_METHOD_BLKTRI_PRODUCT, -1, 250, 1, 256, 0, 0, 1, 0},
    {STARFISH_METHOD_BLKTRI_PRODUCT, 0, 100, 1, 256, 0, 0, 1, 0},
    {STARFISH_METHOD_MULTIGRID, -1, 250, 1, 256, 0, 0, 1, 0},
    {STARFISH_METHOD_MULTIGRID, 0, 100, 1, 256, 0, 0, 1, 0},
    {STARFISH_METHOD_MULTIGRID, 0, 900, 1, 256, 0, 0, 1, 0},
    {STARFISH_METHOD_MULTIGRID, -1, 900, 1, 256, 0, 0, 1, 0},
};

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void give_up(const char *what)
{
    printf("    %s: %s\n", what, starfish_error_message());
    fflush(stdout);
    _exit(1);
}
#define CHECK(expression)                                                                                              \
    do {                                                                                                               \
        if ((expression) != STARFISH_SUCCESS)                                                                          \
            give_up(#expression);                                                                                      \
    } while (0)

static starfish_context *context_of(int cpus, int gpus)
{
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    starfish_context *context;
    options.cpu_workers = cpus;
    options.gpu_workers = gpus;
    options.patience_seconds = PATIENCE;
    CHECK(starfish_context_create(&context, &options));
    return context;
}

static struct starfish_poisson_problem problem_of(size_t n, int singular)
{
    struct starfish_poisson_problem problem = {.lambda = 0};
    const starfish_end ends[3] = {STARFISH_PERIODIC, STARFISH_NEUMANN,
                                  singular ? STARFISH_NEUMANN : STARFISH_DIRICHLET};
    for (int axis = 0; axis < 3; axis++)
        problem.axis[axis] = (struct starfish_axis){
            .kind = STARFISH_UNIFORM, .n = n, .length = 1, .ends = {ends[axis], ends[axis]}, .grid = STARFISH_CELL};
    return problem;
}

static struct starfish_poisson_options options_of(const struct test_case *test)
{
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    options.method = test->method;
    options.refinements = test->refinements;
    options.count = test->count;
    if (test->padding > 0)
        options.rhs_layout.row = options.solution_layout.row = test->n + test->padding;
    return options;
}

static size_t elements_of(const struct test_case *test)
{
    return (test->n + test->padding) * test->n * test->n * test->count;
}

static void fill(double *field, size_t count)
{
    unsigned state = 7;
    for (size_t i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        field[i] = (double)(state >> 8) / (1 << 24) - 0.5;
    }
}

/* On cores, in a context of its own. */
static void solve_on_cores(const struct test_case *test, const double *rhs, double *solution)
{
    starfish_context *context = context_of(-1, 0);
    const struct starfish_poisson_problem problem = problem_of(test->n, test->singular);
    struct test_case slab = *test;
    starfish_plan *plan;
    slab.method = STARFISH_METHOD_SLAB;
    const struct starfish_poisson_options options = options_of(&slab);
    CHECK(starfish_poisson_plan_create(context, &problem, &options, &plan));
    CHECK(starfish_plan_solve(plan, NULL, rhs, solution, NULL));
    starfish_plan_destroy(plan);
    starfish_context_destroy(context);
}

static int is_right(const double *got, const double *expected, size_t count)
{
    const double error = test_difference(STARFISH_F64, got, expected, count);
    const double largest = test_largest(STARFISH_F64, expected, count);
    printf("    error %.2g of %.2g\n", error, largest);
    return error <= 1e-9 * largest; /* multigrid stops at a residual of 1e-10 */
}

/* Three solves: memory is used again. */
static int compare(const struct test_case *test, starfish_plan *plan, starfish_context *context)
{
    const size_t count = elements_of(test), bytes = count * sizeof(double);
    struct starfish_memory memory;
    void *rhs, *solution;
    double *expected = calloc(count, sizeof *expected), *given = malloc(bytes);
    int right = 1;
    CHECK(starfish_plan_memory(plan, &memory));
    printf("    needs %zu of %zu bytes, streamed %d\n", memory.gpu_least, memory.gpu_there, memory.streamed);
    CHECK(starfish_alloc(context, bytes, &rhs));
    CHECK(starfish_alloc(context, bytes, &solution));
    fill(rhs, count);
    memset(solution, 0, bytes);
    memcpy(given, rhs, bytes);
    for (int time = 0; time < 3; time++) {
        const double start = seconds_now();
        CHECK(starfish_plan_solve(plan, NULL, rhs, solution, NULL));
        printf("    %.1f ms\n", 1e3 * (seconds_now() - start));
    }
    double *got = malloc(bytes);
    memcpy(got, solution, bytes);
    starfish_free(context, rhs, bytes);
    starfish_free(context, solution, bytes);
    starfish_plan_destroy(plan);
    starfish_context_destroy(context);
    solve_on_cores(test, given, expected);
    right = is_right(got, expected, count);
    free(expected), free(given), free(got);
    return right;
}

/* Of the GPU, the last worker. */
static size_t room_of(starfish_context *context)
{
    size_t bytes = 0;
    CHECK(starfish_context_worker_memory(context, starfish_context_workers(context) - 1, &bytes));
    return bytes;
}

static int run(const struct test_case *test)
{
    starfish_context *context = context_of(test->cpus, 1);
    const struct starfish_poisson_problem problem = problem_of(test->n, test->singular);
    const struct starfish_poisson_options options = options_of(test);
    struct starfish_memory before;
    starfish_plan *plan;
    const starfish_status known = starfish_poisson_memory(context, &problem, &options, &before);
    const size_t room = room_of(context);
    const starfish_status status = starfish_poisson_plan_create(context, &problem, &options, &plan);
    if (status == STARFISH_SUCCESS) {
        const size_t taken = room - room_of(context), promised = before.gpu_work + EMPTY;
        printf("    took %zu of the %zu bytes it promised\n", taken, promised);
        return known == STARFISH_SUCCESS && taken <= promised && compare(test, plan, context);
    }
    printf("    refused: %s\n", starfish_error_message());
    const int said = status == STARFISH_ERROR_MEMORY && strstr(starfish_error_message(), "bytes") != NULL &&
                     (known != STARFISH_SUCCESS || before.gpu_least > before.gpu_there);
    starfish_context_destroy(context);
    return said && test->may_be_refused;
}

static void limit(int megabytes)
{
    char text[32];
    snprintf(text, sizeof text, "%d", megabytes);
    setenv("STARPU_LIMIT_CUDA_MEM", text, 1);
}

static int run_alone(const struct test_case *test)
{
    int status = 1;
    printf("method %d, %s, %d MB, %zu^3, count %zu, padding %zu\n", test->method, test->cpus ? "cores and GPU" : "GPU",
           test->megabytes, test->n, test->count, test->padding);
    fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        alarm(120);
        limit(test->megabytes);
        const int right = run(test);
        fflush(stdout);
        _exit(!right);
    }
    waitpid(child, &status, 0);
    const int failed = !(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    printf("    %s\n", failed ? "FAILED" : "ok");
    return failed;
}

/* ---- Time -------------------------------------------------------------------------------------------------------- */

static int compare_doubles(const void *a, const void *b)
{
    return *(const double *)a < *(const double *)b ? -1 : 1;
}

static double median(double *times)
{
    qsort(times, TIMES, sizeof *times, compare_doubles);
    return times[TIMES / 2];
}

/* Two copies of the field each way, both ways at once, in pieces. */
static double time_transfers(char *up, char *down, size_t bytes)
{
    enum { PIECE = 32 << 20 };
    double times[TIMES];
    char *device[2];
    cudaStream_t stream[2];
    for (int way = 0; way < 2; way++)
        if (cudaMalloc((void **)&device[way], PIECE) != cudaSuccess || cudaStreamCreate(&stream[way]) != cudaSuccess)
            give_up("CUDA");
    for (int time = 0; time < TIMES; time++) {
        const double start = seconds_now();
        for (size_t at = 0; at < 2 * bytes; at += PIECE) {
            const size_t from = at % bytes, size = bytes - from < PIECE ? bytes - from : PIECE;
            cudaMemcpyAsync(device[0], up + from, size, cudaMemcpyHostToDevice, stream[0]);
            cudaMemcpyAsync(down + from, device[1], size, cudaMemcpyDeviceToHost, stream[1]);
        }
        if (cudaDeviceSynchronize() != cudaSuccess)
            give_up("CUDA");
        times[time] = seconds_now() - start;
    }
    for (int way = 0; way < 2; way++) {
        cudaFree(device[way]);
        cudaStreamDestroy(stream[way]);
    }
    return median(times);
}

static int time_stream(size_t n, int cpus, size_t slabs)
{
    const size_t count = n * n * n, bytes = count * sizeof(double);
    const struct test_case test = {.method = STARFISH_METHOD_SLAB, .cpus = cpus, .n = n, .count = 1};
    const struct starfish_poisson_problem problem = problem_of(n, 0);
    struct starfish_poisson_options options = options_of(&test);
    struct starfish_memory memory;
    starfish_plan *plan;
    void *rhs, *solution;
    double times[TIMES];
    options.slabs = slabs;
    limit((int)(bytes / 8 >> 20));
    starfish_context *context = context_of(cpus, 1);
    CHECK(starfish_poisson_plan_create(context, &problem, &options, &plan));
    CHECK(starfish_plan_memory(plan, &memory));
    CHECK(starfish_alloc(context, bytes, &rhs));
    CHECK(starfish_alloc(context, bytes, &solution));
    fill(rhs, count);
    for (int time = 0; time < TIMES; time++) {
        const double start = seconds_now();
        CHECK(starfish_plan_solve(plan, NULL, rhs, solution, NULL));
        times[time] = seconds_now() - start;
    }
    const double transfers = time_transfers(rhs, solution, bytes), solve = median(times);
    printf("%zu^3, %s, %zu of %zu bytes: streamed solve %.2f ms, four transfers %.2f ms: %.2f times\n", n,
           cpus ? "cores and GPU" : "GPU", memory.gpu_least, memory.gpu_there, 1e3 * solve, 1e3 * transfers,
           solve / transfers);
    starfish_plan_destroy(plan);
    starfish_context_destroy(context);
    return 0;
}

static int has_device(void)
{
    int status = 1;
    const pid_t child = fork(); /* CUDA does not survive a fork */
    if (child == 0) {
        int count = 0;
        _exit(cudaGetDeviceCount(&count) == cudaSuccess && count > 0 ? 0 : 1);
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int main(int argc, char **argv)
{
    int failed = 0;
    if (!has_device())
        return NO_DEVICE;
    if (argc > 2)
        return time_stream((size_t)strtoul(argv[2], NULL, 10), argc > 3 ? 0 : -1,
                           argc > 4 ? (size_t)strtoul(argv[4], NULL, 10) : 0);
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
        if (argc < 2 || (int)cases[c].method == atoi(argv[1]))
            failed += run_alone(&cases[c]);
    return failed > 0;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Solving on host and device memory with GPUs: where pointers lie is recognised, results do not depend on it, and data
 * on the device stays there. Exit status 77 without a GPU. */
#include "scheduler/runtime/context.h"

#include "tests/common/about.h"
#include "tests/common/check.h"
#include "tests/common/reals.h"

#include <cuda_runtime_api.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>
#include <starfish/starfish.h>

enum { N = 64, COUNT = N * N * N, BYTES = COUNT * (int)sizeof(double), NO_DEVICE = 77 };

static const struct {
    const char *name;
    int cpus, gpus;
} worker_sets[] = {{"gpu", 0, -1}, {"cpu and gpu", -1, -1}, {"one cpu and gpu", 1, -1}};
enum { WORKER_SETS = sizeof worker_sets / sizeof worker_sets[0] };

static void check_cuda(int status)
{
    if (status != cudaSuccess)
        fail_msg("CUDA: %s", cudaGetErrorString((cudaError_t)status));
}

static starfish_context *context_of(int cpus, int gpus)
{
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    starfish_context *context;
    options.cpu_workers = cpus;
    options.gpu_workers = gpus;
    ASSERT_OK(starfish_context_create(&context, &options));
    return context;
}

static starfish_plan *plan_of(starfish_context *context, starfish_method method)
{
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    struct starfish_poisson_problem problem = {.lambda = -1};
    starfish_plan *plan;
    options.method = method;
    for (int axis = 0; axis < 3; axis++)
        problem.axis[axis] = (struct starfish_axis){
            .kind = STARFISH_UNIFORM, .n = N, .length = 1, .ends = {STARFISH_DIRICHLET, STARFISH_NEUMANN}};
    problem.axis[0].ends[0] = problem.axis[0].ends[1] = STARFISH_PERIODIC;
    ASSERT_OK(starfish_poisson_plan_create(context, &problem, &options, &plan));
    return plan;
}

static double *random_rhs(void)
{
    unsigned seed = 3;
    return test_reals(STARFISH_F64, COUNT, &seed);
}

static void expect_near(const double *got, const double *expected)
{
    const double error = test_difference(STARFISH_F64, got, expected, COUNT);
    const double largest = test_largest(STARFISH_F64, expected, COUNT);
    if (!(error <= 1e-12 * largest))
        fail_msg("relative difference %g", error / largest);
}

struct pair {
    void *rhs, *solution;
};

static struct pair on_device(const double *rhs)
{
    struct pair pair;
    check_cuda(cudaMalloc(&pair.rhs, BYTES));
    check_cuda(cudaMalloc(&pair.solution, BYTES));
    check_cuda(cudaMemcpy(pair.rhs, rhs, BYTES, cudaMemcpyHostToDevice));
    check_cuda(cudaMemset(pair.solution, 0xff, BYTES));
    check_cuda(cudaDeviceSynchronize()); /* the library's streams do not wait for the copy and the set */
    return pair;
}

static void take_from_device(struct pair *pair, double *solution)
{
    check_cuda(cudaMemcpy(solution, pair->solution, BYTES, cudaMemcpyDeviceToHost));
    check_cuda(cudaFree(pair->rhs));
    check_cuda(cudaFree(pair->solution));
}

/* On every set of workers: separate arrays, mixed places, in place. */
static void device_memory_gives_the_host_memorys_solution(void **state)
{
    (void)state;
    double *rhs = random_rhs(), *expected = malloc(BYTES), *got = malloc(BYTES);
    for (int set = 0; set < WORKER_SETS; set++)
        for (int method = STARFISH_METHOD_SLAB; method <= STARFISH_METHOD_BLKTRI_PRODUCT; method++) {
            starfish_context *context = context_of(worker_sets[set].cpus, worker_sets[set].gpus);
            starfish_plan *plan = plan_of(context, (starfish_method)method);
            ASSERT_OK(starfish_plan_solve(plan, NULL, rhs, expected, NULL));
            struct pair pair = on_device(rhs);
            ASSERT_OK(starfish_plan_solve(plan, NULL, pair.rhs, pair.solution, NULL));
            check_cuda(cudaMemcpy(got, pair.solution, BYTES, cudaMemcpyDeviceToHost));
            expect_near(got, expected);
            check_cuda(cudaMemcpy(got, pair.rhs, BYTES, cudaMemcpyDeviceToHost));
            assert_memory_equal(got, rhs, BYTES);
            memset(got, 0xff, BYTES);
            ASSERT_OK(starfish_plan_solve(plan, NULL, pair.rhs, got, NULL));
            expect_near(got, expected);
            check_cuda(cudaMemset(pair.solution, 0xff, BYTES));
            check_cuda(cudaDeviceSynchronize());
            ASSERT_OK(starfish_plan_solve(plan, NULL, rhs, pair.solution, NULL));
            check_cuda(cudaMemcpy(got, pair.solution, BYTES, cudaMemcpyDeviceToHost));
            expect_near(got, expected);
            check_cuda(cudaMemcpy(pair.solution, rhs, BYTES, cudaMemcpyHostToDevice));
            check_cuda(cudaDeviceSynchronize());
            ASSERT_OK(starfish_plan_solve(plan, NULL, pair.solution, pair.solution, NULL));
            take_from_device(&pair, got);
            expect_near(got, expected);
            starfish_plan_destroy(plan);
            starfish_context_destroy(context);
        }
    free(rhs), free(expected), free(got);
}

/* Tables are copied by the first solve; from then on nothing but a few results moves. Waiting in between gives the
 * runtime time to write clean copies back, which it must not (STARPU_MINIMUM_CLEAN_BUFFERS). */
static void device_memory_stays_on_the_device(void **state)
{
    (void)state;
    double *rhs = random_rhs(), *solution = malloc(BYTES);
    for (int method = STARFISH_METHOD_SLAB; method <= STARFISH_METHOD_BLKTRI_PRODUCT; method++) {
        starfish_context *context = context_of(0, 1);
        starfish_plan *plan = plan_of(context, (starfish_method)method);
        struct pair pair = on_device(rhs);
        struct starfish_result info = STARFISH_RESULT_DEFAULTS;
        ASSERT_OK(starfish_plan_solve(plan, NULL, pair.rhs, pair.solution, NULL));
        const struct starfish_bytes before = starfish_context_bytes(context);
        for (int again = 0; again < 5; again++) {
            ASSERT_OK(starfish_plan_solve(plan, NULL, pair.rhs, pair.solution, &info));
            assert_true(info.host_to_device < BYTES / 100 && info.device_to_host < BYTES / 100);
            assert_int_equal(info.worker[STARFISH_CPU].tasks, 0);
            usleep(20000);
        }
        const struct starfish_bytes after = starfish_context_bytes(context);
        if (after.host_to_device - before.host_to_device >= BYTES / 100 ||
            after.device_to_host - before.device_to_host >= BYTES / 100)
            fail_msg("method %s: five solves moved %zu bytes to the device and %zu back", test_about(plan).method,
                     after.host_to_device - before.host_to_device, after.device_to_host - before.device_to_host);
        take_from_device(&pair, solution);
        starfish_plan_destroy(plan);
        starfish_context_destroy(context);
    }
    free(rhs), free(solution);
}

/* A field of the library's own is used where it was left: between two solves it does not come home. */
static void fields_stay_where_they_were_used(void **state)
{
    (void)state;
    starfish_context *context = context_of(0, 1);
    starfish_plan *plan = plan_of(context, STARFISH_METHOD_SLAB);
    double *rhs = random_rhs();
    struct starfish_result info[4];
    starfish_field *field;
    starfish_job *job;
    void *memory;
    ASSERT_OK(starfish_poisson_field(plan, NULL, &field));
    ASSERT_OK(starfish_field_acquire(field, &memory));
    memcpy(memory, rhs, BYTES);
    ASSERT_OK(starfish_field_release(field));
    for (int i = 0; i < 4; i++) {
        info[i] = (struct starfish_result)STARFISH_RESULT_DEFAULTS;
        ASSERT_OK(starfish_poisson_submit_field(plan, NULL, field, field, &job));
        ASSERT_OK(starfish_job_finish(job, &info[i]));
        usleep(20000);
    }
    assert_true(info[0].host_to_device >= BYTES);
    for (int i = 1; i < 4; i++)
        assert_true(info[i].host_to_device < BYTES / 100 && info[i].device_to_host < BYTES / 100);
    starfish_field_destroy(field);
    starfish_plan_destroy(plan);
    starfish_context_destroy(context);
    free(rhs);
}

static void pinned_and_pageable_memory_give_the_same_bits(void **state)
{
    (void)state;
    for (int method = STARFISH_METHOD_SLAB; method <= STARFISH_METHOD_BLKTRI_PRODUCT; method++) {
        starfish_context *context = context_of(0, -1);
        starfish_plan *plan = plan_of(context, (starfish_method)method);
        double *rhs = random_rhs(), *pageable = malloc(BYTES), *users = malloc(BYTES);
        void *pinned[2], *managed;
        for (int i = 0; i < 2; i++)
            ASSERT_OK(starfish_alloc(context, BYTES, &pinned[i]));
        memcpy(pinned[0], rhs, BYTES);
        ASSERT_OK(starfish_plan_solve(plan, NULL, rhs, pageable, NULL));
        ASSERT_OK(starfish_plan_solve(plan, NULL, pinned[0], pinned[1], NULL));
        assert_memory_equal(pageable, pinned[1], BYTES);
        ASSERT_OK(starfish_pin(context, users, BYTES));
        ASSERT_OK(starfish_plan_solve(plan, NULL, pinned[0], users, NULL));
        ASSERT_OK(starfish_unpin(context, users, BYTES));
        assert_memory_equal(pageable, users, BYTES);
        check_cuda(cudaMallocManaged(&managed, BYTES, cudaMemAttachGlobal));
        memcpy(managed, rhs, BYTES);
        ASSERT_OK(starfish_plan_solve(plan, NULL, managed, users, NULL));
        assert_memory_equal(pageable, users, BYTES);
        check_cuda(cudaFree(managed));
        for (int i = 0; i < 2; i++)
            starfish_free(context, pinned[i], BYTES);
        starfish_plan_destroy(plan);
        starfish_context_destroy(context);
        free(rhs), free(pageable), free(users);
    }
}

/* CUDA refuses copies that begin in pinned memory and end beyond it: an array is solved, or refused by its name. */
static void memory_that_is_pinned_in_parts_is_solved_or_refused(void **state)
{
    (void)state;
    static const struct {
        size_t first[2], bytes[2];
        int refused; /* 0: solved; 1: refused; -1: as slabs are cut */
    } parts[] = {{{0}, {1000}, 1},
                 {{0}, {BYTES - 8}, 1},
                 {{0, BYTES / 3}, {BYTES / 3, BYTES - BYTES / 3}, 1},
                 {{0, BYTES / 2}, {BYTES / 2, BYTES / 2}, -1},
                 {{1000}, {BYTES / 2}, -1},
                 {{BYTES / 2}, {BYTES / 2}, 0}};
    for (int set = 0; set < WORKER_SETS; set++) {
        starfish_context *context = context_of(worker_sets[set].cpus, worker_sets[set].gpus);
        starfish_plan *plan = plan_of(context, STARFISH_METHOD_SLAB);
        double *rhs = random_rhs(), *expected = malloc(BYTES), *solution = malloc(BYTES);
        ASSERT_OK(starfish_plan_solve(plan, NULL, rhs, expected, NULL));
        for (size_t p = 0; p < sizeof parts / sizeof parts[0]; p++) {
            char *const memory = (char *)solution;
            for (int i = 0; i < 2 && parts[p].bytes[i] > 0; i++)
                ASSERT_OK(starfish_pin(context, memory + parts[p].first[i], parts[p].bytes[i]));
            const starfish_status status = starfish_plan_solve(plan, NULL, rhs, solution, NULL);
            if (parts[p].refused >= 0)
                assert_int_equal(status, parts[p].refused ? STARFISH_ERROR_ARGUMENT : STARFISH_SUCCESS);
            if (status == STARFISH_SUCCESS)
                expect_near(solution, expected);
            else
                assert_non_null(strstr(starfish_error_message(), "solution: "));
            for (int i = 0; i < 2 && parts[p].bytes[i] > 0; i++)
                ASSERT_OK(starfish_unpin(context, memory + parts[p].first[i], parts[p].bytes[i]));
        }
        free(rhs), free(expected), free(solution);
        starfish_plan_destroy(plan);
        starfish_context_destroy(context);
    }
}

static void device_memory_without_gpu_workers_is_refused(void **state)
{
    (void)state;
    starfish_context *context = context_of(-1, 0);
    starfish_plan *plan = plan_of(context, STARFISH_METHOD_SLAB);
    double *rhs = random_rhs();
    struct pair pair = on_device(rhs);
    starfish_field *field;
    ASSERT_FAILS(starfish_plan_solve(plan, NULL, pair.rhs, rhs, NULL), STARFISH_ERROR_ARGUMENT, "rhs is memory of");
    ASSERT_FAILS(starfish_plan_solve(plan, NULL, rhs, pair.solution, NULL), STARFISH_ERROR_ARGUMENT,
                 "solution is memory of");
    ASSERT_FAILS(starfish_poisson_field(plan, pair.rhs, &field), STARFISH_ERROR_ARGUMENT, "CUDA device 0");
    ASSERT_OK(starfish_plan_solve(plan, NULL, rhs, rhs, NULL));
    take_from_device(&pair, rhs);
    starfish_plan_destroy(plan);
    starfish_context_destroy(context);
    free(rhs);
}

static void gpus_are_enumerated(void **state)
{
    (void)state;
    starfish_context *context = context_of(-1, -1);
    struct starfish_runtime runtime;
    struct starfish_worker worker;
    size_t of[STARFISH_WORKER_KINDS] = {0, 0};
    int devices = 0;
    check_cuda(cudaGetDeviceCount(&devices));
    ASSERT_OK(starfish_context_runtime(context, &runtime));
    assert_true(runtime.has_cuda);
    if (!getenv("STARPU_SCHED"))
        assert_string_equal(runtime.policy, "dmdas");
    for (size_t i = 0; i < starfish_context_workers(context); i++) {
        ASSERT_OK(starfish_context_worker(context, i, &worker));
        of[worker.kind]++;
        if (worker.kind == STARFISH_GPU) {
            assert_in_range(worker.device, 0, devices - 1);
            assert_int_not_equal(worker.memory_node, STARPU_MAIN_RAM);
        }
    }
    for (int kind = 0; kind < STARFISH_WORKER_KINDS; kind++)
        assert_int_equal(of[kind], starfish_context_workers_of(context, (starfish_worker_kind)kind));
    starfish_context_destroy(context);
}

/* Creating, solving and destroying with a GPU prints nothing either. */
static void prints_nothing(void **state)
{
    (void)state;
    FILE *file = tmpfile();
    char said[256] = "";
    double *rhs = random_rhs();
    assert_non_null(file);
    fflush(NULL);
    const int out = dup(1), err = dup(2);
    assert_true(dup2(fileno(file), 1) == 1 && dup2(fileno(file), 2) == 2);
    starfish_context *context = context_of(-1, -1);
    starfish_plan *plan = plan_of(context, STARFISH_METHOD_AUTO);
    const starfish_status status = starfish_plan_solve(plan, NULL, rhs, rhs, NULL);
    starfish_plan_destroy(plan);
    starfish_context_destroy(context);
    fflush(NULL);
    dup2(out, 1);
    dup2(err, 2);
    close(out);
    close(err);
    rewind(file);
    said[fread(said, 1, sizeof said - 1, file)] = 0;
    fclose(file);
    free(rhs);
    assert_int_equal(status, STARFISH_SUCCESS);
    assert_string_equal(said, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prints_nothing),
        cmocka_unit_test(gpus_are_enumerated),
        cmocka_unit_test(device_memory_gives_the_host_memorys_solution),
        cmocka_unit_test(device_memory_stays_on_the_device),
        cmocka_unit_test(fields_stay_where_they_were_used),
        cmocka_unit_test(pinned_and_pageable_memory_give_the_same_bits),
        cmocka_unit_test(memory_that_is_pinned_in_parts_is_solved_or_refused),
        cmocka_unit_test(device_memory_without_gpu_workers_is_refused),
    };
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)
        return NO_DEVICE;
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Solves in the order of a CUDA stream: what is in it before them, a long wait included, is done before they begin, and
 * what comes after them waits for their solutions, also where a solve fails; 77 where there is no GPU. */
#include "tests/common/check.h"
#include "tests/poisson/oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

enum { NX = 24, NY = 20, NZ = 17, COUNT = NX * NY * NZ, BYTES = COUNT * (int)sizeof(double), JOBS = 4 };

#define ASSERT_CUDA(call) assert_int_equal((call), cudaSuccess)

static starfish_context *context;
static struct starfish_poisson_problem problem;

/* With cores beside the GPU, and without. */
static int without_cores;

static int set_up(void **state)
{
    (void)state;
    struct starfish_context_options options = STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    options.cpu_workers = without_cores ? 0 : -1;
    problem.axis[0] = test_axis("periodic", NX, 0, 1);
    problem.axis[1] = test_axis("dd cell", NY, 0, 1);
    problem.axis[2] = test_axis("dn cell", NZ, 0, 1);
    return starfish_context_create(&context, &options);
}

static int tear_down(void **state)
{
    (void)state;
    for (int axis = 0; axis < 3; axis++)
        test_axis_free(&problem.axis[axis]);
    starfish_context_destroy(context);
    return 0;
}

/* In the stream: a tenth of a second, in which a solve that did not wait would be long done. */
static void take_a_while(void *data)
{
    (void)data;
    const struct timespec tenth = {.tv_nsec = 100000000};
    nanosleep(&tenth, NULL);
}

static double *on_device(void)
{
    void *memory;
    ASSERT_CUDA(cudaMalloc(&memory, BYTES));
    ASSERT_CUDA(cudaMemset(memory, 0xff, BYTES));
    ASSERT_CUDA(cudaDeviceSynchronize());
    return memory;
}

static void check_stream(cudaStream_t stream, starfish_method method, int in_place)
{
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    starfish_plan *plan;
    starfish_job *job[JOBS];
    unsigned seed = 4;
    double *u[JOBS], *rhs = on_device(), *solution = in_place ? rhs : on_device(), *f, *back;
    options.method = method;
    options.tolerance = 1e-12;
    ASSERT_OK(starfish_poisson_plan_create(context, &problem, &options, &plan));
    ASSERT_CUDA(cudaMallocHost((void **)&f, JOBS * BYTES));
    ASSERT_CUDA(cudaMallocHost((void **)&back, JOBS * BYTES));
    for (size_t j = 0; j < JOBS; j++) {
        u[j] = test_reals(STARFISH_F64, COUNT, &seed);
        test_apply(&problem, NULL, u[j], f + j * COUNT);
        /* One pair of arrays for all: each job's come only when the one before is done with them. */
        ASSERT_CUDA(cudaLaunchHostFunc(stream, take_a_while, NULL));
        ASSERT_CUDA(cudaMemcpyAsync(rhs, f + j * COUNT, BYTES, cudaMemcpyHostToDevice, stream));
        ASSERT_OK(starfish_poisson_submit_on(plan, NULL, rhs, solution, stream, &job[j]));
        ASSERT_CUDA(cudaMemcpyAsync(back + j * COUNT, solution, BYTES, cudaMemcpyDeviceToHost, stream));
    }
    ASSERT_CUDA(cudaStreamSynchronize(stream));
    for (size_t j = 0; j < JOBS; j++) {
        for (size_t e = 0; e < COUNT; e++)
            if (!(fabs(back[j * COUNT + e] - u[j][e]) <= 1e-9))
                fail_msg("method %d, job %zu, element %zu: %g, not %g", (int)method, j, e, back[j * COUNT + e],
                         u[j][e]);
        ASSERT_OK(starfish_job_finish(job[j], NULL));
        free(u[j]);
    }
    starfish_plan_destroy(plan);
    ASSERT_CUDA(cudaFreeHost(f)), ASSERT_CUDA(cudaFreeHost(back));
    ASSERT_CUDA(cudaFree(rhs));
    if (!in_place)
        ASSERT_CUDA(cudaFree(solution));
}

static void solves_are_in_order(void **state)
{
    (void)state;
    static const starfish_method methods[] = {STARFISH_METHOD_SLAB, STARFISH_METHOD_BLKTRI, STARFISH_METHOD_MULTIGRID};
    cudaStream_t streams[3] = {cudaStreamPerThread};
    ASSERT_CUDA(cudaStreamCreate(&streams[1]));
    ASSERT_CUDA(cudaStreamCreateWithFlags(&streams[2], cudaStreamNonBlocking));
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++)
        for (int s = 0; s < 3; s++)
            check_stream(streams[s], methods[m], s == 1);
    ASSERT_CUDA(cudaStreamDestroy(streams[1]));
    ASSERT_CUDA(cudaStreamDestroy(streams[2]));
}

/* In the stream: waits until the host has come further, some seconds at most. */
struct gate {
    atomic_int open, was_open;
};

static void wait_for_host(void *data)
{
    struct gate *gate = data;
    const struct timespec moment = {.tv_nsec = 1000000};
    for (int ms = 0; ms < 5000 && !atomic_load(&gate->open); ms++)
        nanosleep(&moment, NULL);
    atomic_store(&gate->was_open, atomic_load(&gate->open));
}

/* A solve that is a GPU's alone is submitted while what is in the stream before it waits for the host; and what is put
 * there behind it comes after it all the same. */
static void submission_does_not_wait_for_the_stream(void **state)
{
    (void)state;
    struct gate gate = {.open = 0};
    starfish_plan *plan;
    starfish_job *job;
    cudaStream_t stream;
    unsigned seed = 9;
    double *rhs = on_device(), *solution = on_device(), *f, *back, *u = test_reals(STARFISH_F64, COUNT, &seed);
    if (!without_cores)
        skip();
    ASSERT_CUDA(cudaStreamCreate(&stream));
    ASSERT_CUDA(cudaMallocHost((void **)&f, BYTES));
    ASSERT_CUDA(cudaMallocHost((void **)&back, BYTES));
    ASSERT_OK(starfish_poisson_plan_create(context, &problem, NULL, &plan));
    test_apply(&problem, NULL, u, f);
    for (int time = 0; time < 2; time++) { /* the first one loads kernels, which waits for the device */
        if (time > 0)
            ASSERT_CUDA(cudaLaunchHostFunc(stream, wait_for_host, &gate));
        ASSERT_CUDA(cudaMemcpyAsync(rhs, f, BYTES, cudaMemcpyHostToDevice, stream));
        ASSERT_OK(starfish_poisson_submit_on(plan, NULL, rhs, solution, stream, &job));
        ASSERT_CUDA(cudaMemcpyAsync(back, solution, BYTES, cudaMemcpyDeviceToHost, stream));
        atomic_store(&gate.open, time > 0);
        ASSERT_CUDA(cudaStreamSynchronize(stream));
        ASSERT_OK(starfish_job_finish(job, NULL));
    }
    assert_true(atomic_load(&gate.was_open));
    for (size_t e = 0; e < COUNT; e++)
        if (!(fabs(back[e] - u[e]) <= 1e-9))
            fail_msg("element %zu: %g, not %g", e, back[e], u[e]);
    starfish_plan_destroy(plan);
    free(u);
    ASSERT_CUDA(cudaFreeHost(f)), ASSERT_CUDA(cudaFreeHost(back));
    ASSERT_CUDA(cudaFree(rhs)), ASSERT_CUDA(cudaFree(solution));
    ASSERT_CUDA(cudaStreamDestroy(stream));
}

/* The stream goes on, and waiting for the job says why. */
static void a_solve_that_fails_frees_the_stream(void **state)
{
    (void)state;
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    starfish_plan *plan;
    starfish_job *job;
    cudaStream_t stream;
    double *rhs = on_device(), *solution = on_device();
    options.check_residual = 1; /* of a right-hand side that is NaN */
    ASSERT_CUDA(cudaStreamCreate(&stream));
    ASSERT_OK(starfish_poisson_plan_create(context, &problem, &options, &plan));
    ASSERT_OK(starfish_poisson_submit_on(plan, NULL, rhs, solution, stream, &job));
    ASSERT_CUDA(cudaStreamSynchronize(stream));
    ASSERT_FAILS(starfish_job_finish(job, NULL), STARFISH_ERROR_NUMERICAL, "finite");
    starfish_plan_destroy(plan);
    ASSERT_CUDA(cudaStreamDestroy(stream));
    ASSERT_CUDA(cudaFree(rhs)), ASSERT_CUDA(cudaFree(solution));
}

static void refuses_host_arrays_and_captures(void **state)
{
    (void)state;
    starfish_plan *plan;
    starfish_job *job;
    cudaStream_t stream;
    cudaGraph_t graph;
    double *host = malloc(BYTES), *device = on_device();
    ASSERT_CUDA(cudaStreamCreate(&stream));
    ASSERT_OK(starfish_poisson_plan_create(context, &problem, NULL, &plan));
    ASSERT_FAILS(starfish_poisson_submit_on(plan, NULL, host, device, stream, &job), STARFISH_ERROR_ARGUMENT, "rhs");
    ASSERT_FAILS(starfish_poisson_submit_on(plan, NULL, device, host, stream, &job), STARFISH_ERROR_ARGUMENT,
                 "solution");
    ASSERT_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    ASSERT_FAILS(starfish_poisson_submit_on(plan, NULL, device, device, stream, &job), STARFISH_ERROR_UNSUPPORTED,
                 "captured");
    ASSERT_CUDA(cudaStreamEndCapture(stream, &graph));
    ASSERT_CUDA(cudaGraphDestroy(graph));
    starfish_plan_destroy(plan);
    ASSERT_CUDA(cudaStreamDestroy(stream));
    ASSERT_CUDA(cudaFree(device));
    free(host);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solves_are_in_order), cmocka_unit_test(submission_does_not_wait_for_the_stream),
        cmocka_unit_test(a_solve_that_fails_frees_the_stream), cmocka_unit_test(refuses_host_arrays_and_captures)};
    int devices = 0;
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "32", 0); /* as starfish_poisson_submit_on asks for */
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)
        return 77;
    int failed = 0;
    for (without_cores = 0; without_cores < 2; without_cores++)
        failed += cmocka_run_group_tests(tests, set_up, tear_down);
    return failed > 0;
}

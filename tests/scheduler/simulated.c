/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For policies on machines that are not here, under StarPU built for SimGrid: rounds of wide steps on slabs with one
 * narrow step between them, as a solve has. Lengths are given, nothing is computed. Says the policy, milliseconds of
 * simulated time, and megabytes over all links.
 *
 *     simulated ROUNDS WIDE_GPU WIDE_CPU NARROW_GPU NARROW_CPU      microseconds */
#include <starpu.h>
#include <starpu_scheduler.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { SLABS = 32, SLAB_REALS = 1 << 20, ENDS_REALS = 8192, WIDE = 1 << 18, NARROW = 1 << 10 };

static double length[2][2]; /* [wide, narrow][cpu, gpu] */

static void nothing(void *buffers[], void *argument)
{
    (void)buffers;
    (void)argument;
}

static int on_gpu(const struct starpu_perfmodel_arch *arch)
{
    return arch->devices[0].type == STARPU_CUDA_WORKER;
}

static double wide_length(struct starpu_task *task, struct starpu_perfmodel_arch *arch, unsigned implementation)
{
    (void)task;
    (void)implementation;
    return length[0][on_gpu(arch)];
}

static double narrow_length(struct starpu_task *task, struct starpu_perfmodel_arch *arch, unsigned implementation)
{
    (void)task;
    (void)implementation;
    return length[1][on_gpu(arch)];
}

static struct starpu_perfmodel wide_model = {
    .type = STARPU_PER_ARCH, .arch_cost_function = wide_length, .symbol = "starfish_test_wide"};
static struct starpu_perfmodel narrow_model = {
    .type = STARPU_PER_ARCH, .arch_cost_function = narrow_length, .symbol = "starfish_test_narrow"};
static struct starpu_codelet wide_codelet = {.cpu_funcs = {nothing},
                                             .cuda_funcs = {nothing},
                                             .nbuffers = 2,
                                             .modes = {STARPU_RW, STARPU_RW},
                                             .model = &wide_model,
                                             .name = "wide"};
static struct starpu_codelet narrow_codelet = {.cpu_funcs = {nothing},
                                               .cuda_funcs = {nothing},
                                               .nbuffers = STARPU_VARIABLE_NBUFFERS,
                                               .model = &narrow_model,
                                               .name = "narrow"};

static starpu_data_handle_t slab[SLABS], ends[SLABS];

static void submit_wide(int priority)
{
    for (int s = 0; s < SLABS; s++) {
        struct starpu_task *task = starpu_task_create();
        task->cl = &wide_codelet;
        task->handles[0] = slab[s];
        task->handles[1] = ends[s];
        task->priority = priority;
        task->sched_data = (void *)(uintptr_t)WIDE;
        STARPU_CHECK_RETURN_VALUE(starpu_task_submit(task), "wide");
    }
}

static void submit_narrow(void)
{
    struct starpu_task *task = starpu_task_create();
    task->cl = &narrow_codelet;
    task->nbuffers = SLABS;
    task->dyn_handles = malloc(SLABS * sizeof *task->dyn_handles);
    task->dyn_modes = malloc(SLABS * sizeof *task->dyn_modes);
    for (int s = 0; s < SLABS; s++) {
        task->dyn_handles[s] = ends[s];
        task->dyn_modes[s] = STARPU_RW;
    }
    task->priority = 2;
    task->sched_data = (void *)(uintptr_t)NARROW;
    STARPU_CHECK_RETURN_VALUE(starpu_task_submit(task), "narrow");
}

static double megabytes(void)
{
    double sum = 0;
    for (int bus = 0; bus < starpu_bus_get_count(); bus++) {
        struct starpu_profiling_bus_info info;
        if (starpu_bus_get_profiling_info(bus, &info) == 0)
            sum += 1e-6 * (double)info.transferred_bytes;
    }
    return sum;
}

int main(int argc, char **argv)
{
    static double memory[2 * SLABS]; /* the simulator reads and writes no data, and asks for addresses all the same */
    if (argc != 6 || starpu_init(NULL) != 0)
        return 1;
    const int rounds = atoi(argv[1]);
    for (int i = 0; i < 4; i++)
        length[i / 2][1 - i % 2] = atof(argv[2 + i]);
    for (int s = 0; s < SLABS; s++) {
        starpu_vector_data_register(&slab[s], STARPU_MAIN_RAM, (uintptr_t)&memory[s], SLAB_REALS, sizeof *memory);
        starpu_vector_data_register(&ends[s], STARPU_MAIN_RAM, (uintptr_t)&memory[SLABS + s], ENDS_REALS,
                                    sizeof *memory);
    }
    const double start = starpu_timing_now();
    for (int round = 0; round < rounds; round++) {
        submit_wide(0);
        submit_narrow();
        submit_wide(1);
    }
    starpu_task_wait_for_all();
    printf("%s %.3f %.1f\n", starpu_sched_ctx_get_sched_policy(0)->policy_name, 1e-3 * (starpu_timing_now() - start),
           megabytes());
    for (int s = 0; s < SLABS; s++) {
        starpu_data_unregister_no_coherency(slab[s]);
        starpu_data_unregister_no_coherency(ends[s]);
    }
    starpu_shutdown();
    return 0;
}

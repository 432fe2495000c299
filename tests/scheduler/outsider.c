/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A program that knows StarPU and not Starfish, for plug-ins: chains of tasks, some with a width; says under which
 * policy they ran, and fails when one did not, or two of a chain ran out of order. */
#include <starpu.h>
#include <starpu_scheduler.h>

#include <stdint.h>
#include <stdio.h>

enum { CHAINS = 8, LENGTH = 50 };

static void step(void *buffers[], void *argument)
{
    int *const count = (int *)STARPU_VARIABLE_GET_PTR(buffers[0]);
    const int expected = (int)(intptr_t)argument;
    *count = *count == expected ? expected + 1 : -CHAINS * LENGTH;
}

static struct starpu_perfmodel model = {.type = STARPU_HISTORY_BASED, .symbol = "starfish_test_outsider"};
static struct starpu_codelet with_model = {
    .cpu_funcs = {step}, .nbuffers = 1, .modes = {STARPU_RW}, .model = &model, .name = "with model"};
static struct starpu_codelet without_model = {
    .cpu_funcs = {step}, .nbuffers = 1, .modes = {STARPU_RW}, .name = "without model"};

int main(void)
{
    int count[CHAINS] = {0}, sum = 0;
    starpu_data_handle_t handle[CHAINS];
    struct starpu_conf conf;
    if (starpu_conf_init(&conf) != 0)
        return 1;
    conf.ncuda = 0;
    if (starpu_init(&conf) != 0)
        return 1;
    for (int c = 0; c < CHAINS; c++)
        starpu_variable_data_register(&handle[c], STARPU_MAIN_RAM, (uintptr_t)&count[c], sizeof count[c]);
    for (int i = 0; i < LENGTH; i++)
        for (int c = 0; c < CHAINS; c++) {
            struct starpu_task *task = starpu_task_create();
            task->cl = c % 2 ? &with_model : &without_model;
            task->handles[0] = handle[c];
            task->cl_arg = (void *)(intptr_t)i;
            task->priority = c % 3;
            task->sched_data = (void *)(uintptr_t)(c % 4 ? 1 << (2 * c) : 0);
            if (starpu_task_submit(task) != 0)
                return 1;
        }
    for (int c = 0; c < CHAINS; c++) {
        starpu_data_unregister(handle[c]);
        sum += count[c];
    }
    printf("%s: %d tasks\n", starpu_sched_ctx_get_sched_policy(0)->policy_name, sum);
    starpu_shutdown();
    return sum != CHAINS * LENGTH;
}

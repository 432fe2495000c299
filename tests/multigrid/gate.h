/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Holds a job of multigrid at its first look at the residual: tell(plan, test_gate_hold, gate). */
#ifndef STARFISH_TESTS_MULTIGRID_GATE_H
#define STARFISH_TESTS_MULTIGRID_GATE_H

#include <semaphore.h>
#include <starfish/solve.h>
#include <time.h>

/* The job posts `reached` and waits for `open`. */
struct test_gate {
    sem_t reached, open;
    int looks;
};

static inline void test_gate_make(struct test_gate *gate)
{
    sem_init(&gate->reached, 0, 0);
    sem_init(&gate->open, 0, 0);
    gate->looks = 0;
}

static inline void test_gate_hold(void *data, const struct starfish_result *result)
{
    struct test_gate *gate = data;

    (void)result;
    if (gate->looks++ > 0)
        return;
    sem_post(&gate->reached);
    sem_wait(&gate->open);
}

/* Makes every step take 2 ms and more. */
static inline void test_gate_slow_down(void *data, const struct starfish_result *result)
{
    const struct timespec nap = {.tv_nsec = 2000000};

    (void)data, (void)result;
    nanosleep(&nap, NULL);
}

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Counting and waiting for the tasks of one solve (progress.h), and the division of their time among phases. */
#include "scheduler/runtime/progress.h"

#include "scheduler/runtime/fork.h"
#include "scheduler/runtime/watchdog.h"

#ifdef STARFISH_HAVE_GPU
#include <cuda_runtime_api.h>
#endif
#include <math.h>
#include <sched.h>
#include <string.h>

static const double poll_us = 20000;

void starfish_progress_iterate(struct starfish_progress *progress, int iteration)
{
    atomic_store(&progress->iteration, iteration);
}

static const struct starfish_interval none = {HUGE_VAL, -HUGE_VAL};

void starfish_progress_init(struct starfish_progress *progress, struct starfish_context *context)
{
    memset(progress, 0, sizeof *progress);
    progress->context = context;
    progress->where = context->where;
    STARPU_PTHREAD_MUTEX_INIT(&progress->lock, NULL);
    STARPU_PTHREAD_COND_INIT(&progress->all_done, NULL);
    progress->clock_offset = INFINITY;
    for (int phase = 0; phase < STARFISH_PROGRESS_PHASES; phase++)
        progress->phase[phase].span = progress->undivided[phase] = none;
    progress->divided.run = (struct starfish_interval){-HUGE_VAL, -HUGE_VAL};
    progress->start = starpu_timing_now();
}

void starfish_progress_time_steps(struct starfish_progress *progress,
                                  struct starfish_stretch step[STARFISH_PROGRESS_STEPS])
{
    for (int i = 0; i < STARFISH_PROGRESS_STEPS; i++)
        step[i] = (struct starfish_stretch){.span = none};
    progress->step = step;
}

static const char *error_text(int error)
{
#ifdef STARFISH_HAVE_GPU
    return cudaGetErrorString((cudaError_t)error);
#else
    (void)error;
    return "failed";
#endif
}

static int unfinished(const struct starfish_progress *progress)
{
    return atomic_load(&progress->finished) < atomic_load(&progress->submitted);
}

starfish_status starfish_progress_wait(struct starfish_progress *progress)
{
    if (unfinished(progress))
        STARFISH_TRY(starfish_fork_check());
    if (progress->context->spare_core) {
        const double end = starpu_timing_now() + poll_us;
        while (unfinished(progress) && starpu_timing_now() < end)
            sched_yield();
    }
    struct starfish_patience patience;
    starfish_status status = STARFISH_SUCCESS;
    starfish_patience_begin(&patience, progress->context);
    STARPU_PTHREAD_MUTEX_LOCK(&progress->lock);
    while (unfinished(progress) && status == STARFISH_SUCCESS)
        status = starfish_patience_wait(&patience, &progress->all_done, &progress->lock);
    STARPU_PTHREAD_MUTEX_UNLOCK(&progress->lock);
    STARFISH_TRY(status);
    if (progress->refused.status != STARFISH_SUCCESS)
        return starfish_failure_repeat(&progress->refused);
    int error = atomic_load(&progress->error);
    if (error == 0)
        return STARFISH_SUCCESS;
    const char *culprit = atomic_load(&progress->culprit);
    return starfish_fail(STARFISH_ERROR_RUNTIME, "task %s: %s", culprit ? culprit : "?", error_text(error));
}

void starfish_progress_destroy(struct starfish_progress *progress)
{
    STARPU_PTHREAD_MUTEX_DESTROY(&progress->lock);
    STARPU_PTHREAD_COND_DESTROY(&progress->all_done);
}

double starfish_progress_seconds(const struct starfish_progress *progress)
{
    return 1e-6 * (starpu_timing_now() - progress->start);
}

double starfish_interval_seconds(struct starfish_interval interval)
{
    return interval.end > interval.start ? 1e-6 * (interval.end - interval.start) : 0;
}

/* Tasks come in the order of their ends. One that began before the last run without a gap widens it. */
void starfish_progress_divide(struct starfish_progress *progress, struct starfish_interval span, int runs,
                              const double busy[STARFISH_PROGRESS_PHASES])
{
    struct starfish_divided *divided = &progress->divided;
    struct starfish_interval *run = &divided->run;

    for (int phase = 0; phase < STARFISH_PROGRESS_PHASES; phase++)
        divided->busy[phase] += busy[phase];
    if (!runs)
        return;
    if (span.start > run->end)
        *run = (struct starfish_interval){span.start, span.start}; /* after a gap */
    divided->wall += fmax(run->start - span.start, 0) + fmax(span.end - run->end, 0);
    run->start = fmin(run->start, span.start);
    run->end = fmax(run->end, span.end);
}

double starfish_progress_phase_seconds(const struct starfish_progress *progress, int phase)
{
    const struct starfish_divided *divided = &progress->divided;
    double all = 0;

    for (int other = 0; other < STARFISH_PROGRESS_PHASES; other++)
        all += divided->busy[other];
    return starfish_interval_seconds(progress->undivided[phase]) +
           (all > 0 ? 1e-6 * divided->wall * divided->busy[phase] / all : 0);
}

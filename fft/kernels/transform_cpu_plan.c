/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The CPU version's plans: precision chosen once, FFTW's planner under one lock. Executing a plan takes no lock and
 * writes nothing but the caller's arrays. */
#include "fft/kernels/transform_cpu.h"

#include <pthread.h>
#include <stdlib.h>

/* FFTW's planner keeps global state in both precisions' libraries; only execution is thread-safe (FFTW manual, 5.4). */
static pthread_mutex_t planner = PTHREAD_MUTEX_INITIALIZER;

static starfish_status fill(struct starfish_transform_cpu *plan, enum starfish_transform_kind kind,
                            starfish_precision precision)
{
    /* At 512 the running sums' errors are 1e-6 in f32, eight times those of the doubled form. */
    STARFISH_TRY(starfish_transform_tables_create(&plan->tables, kind, plan->n, precision,
                                                  precision == STARFISH_F64 ? STARFISH_TRANSFORM_RUNNING
                                                                            : STARFISH_TRANSFORM_DOUBLED));
    plan->code = precision == STARFISH_F32 ? &starfish_transform_cpu_code_f32 : &starfish_transform_cpu_code_f64;
    if (plan->tables.shape.fft == STARFISH_FFT_NONE)
        return STARFISH_SUCCESS;
    if (!plan->code->create_lanes(&plan->lanes, &plan->tables, plan->n))
        return starfish_fail(STARFISH_ERROR_MEMORY, "no memory for tables of a transform of %zu", plan->n);
    pthread_mutex_lock(&planner);
    plan->fft = plan->code->create_fft(plan);
    pthread_mutex_unlock(&planner);
    if (!plan->fft)
        return starfish_fail(STARFISH_ERROR_RUNTIME, "FFTW has no plan for transform %s with n = %zu",
                             starfish_transform_name(kind), plan->n);
    return STARFISH_SUCCESS;
}

starfish_status starfish_transform_cpu_create(struct starfish_transform_cpu **plan, enum starfish_transform_kind kind,
                                              size_t n, starfish_precision precision)
{
    *plan = calloc(1, sizeof **plan);
    if (!*plan)
        return starfish_fail(STARFISH_ERROR_MEMORY, "no memory for a transform plan");
    (*plan)->n = n;
    (*plan)->precision = precision;
    starfish_status status = fill(*plan, kind, precision);
    if (status != STARFISH_SUCCESS) {
        starfish_transform_cpu_destroy(*plan);
        *plan = NULL;
    }
    return status;
}

void starfish_transform_cpu_destroy(struct starfish_transform_cpu *plan)
{
    if (!plan)
        return;
    if (plan->fft) {
        pthread_mutex_lock(&planner);
        plan->code->destroy_fft(plan->fft);
        pthread_mutex_unlock(&planner);
    }
    starfish_transform_lanes_destroy(&plan->lanes);
    starfish_transform_tables_destroy(&plan->tables);
    free(plan);
}

size_t starfish_transform_cpu_workspace(const struct starfish_transform_cpu *plan)
{
    return plan->code->workspace(plan);
}

void starfish_transform_rows_cpu(const struct starfish_transform_cpu *plan, enum starfish_transform_direction direction,
                                 const struct starfish_transform_rows *arguments)
{
    plan->code->rows(plan, direction, arguments, NULL);
}

void starfish_transform_changed_rows_cpu(const struct starfish_transform_cpu *plan,
                                         const struct starfish_transform_rows *arguments,
                                         const struct starfish_row_change *change)
{
    plan->code->rows(plan, STARFISH_FORWARD, arguments, change);
}

void starfish_transform_columns_cpu(const struct starfish_transform_cpu *plan,
                                    enum starfish_transform_direction direction,
                                    const struct starfish_transform_columns *arguments)
{
    plan->code->columns(plan, direction, arguments, NULL);
}

void starfish_transform_columns_cpu_while(const struct starfish_transform_cpu *plan,
                                          enum starfish_transform_direction direction,
                                          const struct starfish_transform_columns *arguments,
                                          struct starfish_fetch *fetch)
{
    plan->code->columns(plan, direction, arguments, fetch);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Times as sums of terms that rise with the sizes of a task, with coefficients that are not negative: the sum rises
 * with every size too, also far from what was measured. Fitted by least squares of the relative errors. Plain numbers,
 * without StarPU. */
#ifndef STARFISH_SCHEDULER_LAB_GROWTH_H
#define STARFISH_SCHEDULER_LAB_GROWTH_H

#include "scheduler/runtime/task.h"

#include <stddef.h>

/* Normal equations; all 0 before the first measurement. */
struct starfish_growth_fit {
    size_t count; /* of measurements */
    double product[STARFISH_GROWTH_TERMS][STARFISH_GROWTH_TERMS], sum[STARFISH_GROWTH_TERMS];
    double coefficient[STARFISH_GROWTH_TERMS];
};

/* Adds a measurement; time > 0. */
void starfish_growth_add(struct starfish_growth_fit *fit, const double term[STARFISH_GROWTH_TERMS], double time);
/* The coefficients, once all measurements have been added. */
void starfish_growth_solve(struct starfish_growth_fit *fit);
/* The time of a task with these terms, in the unit of the measurements; 0 where there were none. */
double starfish_growth_time(const struct starfish_growth_fit *fit, const double term[STARFISH_GROWTH_TERMS]);

#endif

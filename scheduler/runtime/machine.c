/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The recorded machine in whose place this program plans or simulates, and its rates. */
#include "scheduler/runtime/machine.h"

#include <math.h>
#include <starpu.h>
#include <stdio.h>

/* ---- the one that is named --------------------------------------------------------------------------------------- */

/* Set before the first context is created, and only read from then on. */
static struct {
    int is_known;
    starfish_status status;
    char message[512];
    struct starfish_machine machine;
} named;

void starfish_machine_use(const struct starfish_machine *machine)
{
    named.is_known = 1;
    named.status = STARFISH_SUCCESS;
    named.machine = *machine;
}

void starfish_machine_refuse(starfish_status status, const char *message)
{
    named.is_known = 0;
    named.status = status;
    snprintf(named.message, sizeof named.message, "%s", message);
}

const struct starfish_machine *starfish_machine_named(void)
{
    return named.is_known ? &named.machine : NULL;
}

starfish_status starfish_machine_check(void)
{
#ifdef STARPU_SIMGRID
    STARFISH_REFUSE_IF(!named.is_known && named.status == STARFISH_SUCCESS,
                       "StarPU is built for SimGrid, but no machine has been named");
#endif
    return STARFISH_OR_FAIL(named.status == STARFISH_SUCCESS, named.status, "%s", named.message);
}

/* ---- rates ------------------------------------------------------------------------------------------------------- */

int starfish_machine_rates_of(const struct starfish_machine *machine, size_t nx, size_t ny,
                              starfish_precision precision, struct starfish_rates *rates)
{
    const struct starfish_machine_rates *best = NULL;
    double nearest = 0;
    for (size_t i = 0; i < machine->rate_count; i++) {
        const struct starfish_machine_rates *there = &machine->rates[i];
        const double ratio = (double)there->n[0] * (double)there->n[1] / ((double)nx * (double)ny);
        if (there->precision == precision && (!best || fabs(log(ratio)) < fabs(log(nearest)))) {
            best = there;
            nearest = ratio;
        }
    }
    if (!best)
        return 0;
    *rates = best->rates;
    rates->gpu_stream *= nearest;
    for (int kind = 0; kind < STARFISH_WORKER_KINDS; kind++) {
        rates->lone[kind] *= nearest;
        rates->stream[kind] *= nearest;
    }
    return 1;
}

int starfish_machine_is_simulated(void)
{
#ifdef STARPU_SIMGRID
    return 1;
#else
    return 0;
#endif
}

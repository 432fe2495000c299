/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Detects other load on this machine while it is recorded: other processes, or other virtual machines on the same
 * hardware, which no counter of this system shows. A fixed amount of work for all cores, half arithmetic in registers
 * and half memory traffic, then takes longer. */
#include "apps/machine/probe.h"
#include "bench/clock.h"

#include "scheduler/runtime/host_loop.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

enum { PIECES = 256, PIECE = 1 << 15, STEPS = 1 << 16, TRIALS = 5 };

/* Each piece is read and written once, and then takes some products that wait for each other. */
static void work_on_pieces(void *data, size_t first, size_t last)
{
    double *values = data;
    for (size_t piece = first; piece < last; ++piece) {
        double *at = values + piece * PIECE, product = 1;
        for (size_t i = 0; i < PIECE; ++i)
            at[i] = 0.5 * at[i] + 1;
        for (size_t i = 0; i < STEPS; ++i)
            product = 0.999 * product + at[i % PIECE] * 1e-3;
        at[0] = product;
    }
}

/* Infinite without memory. */
static double seconds_of(struct probe *probe)
{
    double least = HUGE_VAL;
    if (!probe->values)
        probe->values = calloc((size_t)PIECES * PIECE, sizeof *probe->values);
    for (int trial = 0; probe->values && trial < TRIALS; ++trial) {
        const double start = clock_now();
        starfish_host_loop(PIECES, 1, work_on_pieces, probe->values);
        least = fmin(least, clock_now() - start);
    }
    probe->least = probe->least > 0 ? fmin(probe->least, least) : least;
    return least;
}

double probe_slowdown(struct probe *probe)
{
    const double seconds = seconds_of(probe);
    return isfinite(seconds) ? seconds / probe->least : 1;
}

double probe_wait(struct probe *probe, double most_seconds)
{
    const double start = clock_now();
    double slowdown = probe_slowdown(probe);
    while (slowdown > PROBE_CALM && clock_now() - start < most_seconds) {
        nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
        slowdown = probe_slowdown(probe);
    }
    return slowdown;
}

void probe_free(struct probe *probe)
{
    free(probe->values);
}

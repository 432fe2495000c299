/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The CPU as a device of the slab tests that solves whole lines as a solve on all cores does: in batches of planes, up
 * and down, with the eliminated planes between. Cut lines are the other kernels'. */
#include "base/real.h"
#include "slab_cases.h"
#include "tridiag/kernels/slab_sweep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BATCH = 5 };

/* A batch of rows: its right-hand sides, or room for its unknowns, and where its eliminated planes are. */
struct sweeps {
    struct starfish_slab_sweep sweep;
    char *batch, *eliminated, *checkpoints, *border_checkpoints;
    size_t bytes; /* of a plane */
    void *plane[BATCH];
};

static void at_batch(struct sweeps *sweeps, size_t first)
{
    const size_t left = sweeps->sweep.lines.rows - first;
    sweeps->sweep.first = first;
    sweeps->sweep.rows = left < BATCH ? left : BATCH;
    sweeps->sweep.checkpoint = sweeps->checkpoints + first * sweeps->bytes;
    sweeps->sweep.border_checkpoint = sweeps->border_checkpoints + first * sweeps->bytes;
    for (size_t r = 0; r < sweeps->sweep.rows; r++)
        sweeps->plane[r] = sweeps->eliminated + (first + r) * sweeps->bytes;
}

static void copy_rows(const struct sweeps *sweeps, char *to, size_t to_plane, const char *from, size_t from_plane)
{
    for (size_t r = 0; r < sweeps->sweep.rows; r++)
        memcpy(to + r * to_plane, from + r * from_plane, sweeps->bytes);
}

static void solve_by_sweeps(starfish_precision precision, const struct starfish_slab_solve *a, struct sweeps *sweeps)
{
    static void (*const up[])(const struct starfish_slab_sweep *) = {starfish_slab_sweep_up_f32,
                                                                     starfish_slab_sweep_up_f64};
    static void (*const down[])(const struct starfish_slab_sweep *) = {starfish_slab_sweep_down_f32,
                                                                       starfish_slab_sweep_down_f64};
    const size_t plane = a->lines.plane * starfish_real_size(precision), n = sweeps->sweep.lines.rows;
    size_t first = 0;
    for (; first < n; first += BATCH) {
        at_batch(sweeps, first);
        copy_rows(sweeps, sweeps->batch, sweeps->bytes, (const char *)a->data + first * plane, plane);
        up[precision](&sweeps->sweep);
    }
    while (first > 0) {
        first -= BATCH;
        at_batch(sweeps, first);
        down[precision](&sweeps->sweep);
        copy_rows(sweeps, (char *)a->out + first * plane, plane, sweeps->batch, sweeps->bytes);
    }
}

static void solve(starfish_precision precision, const struct starfish_slab_solve *a)
{
    const struct starfish_slab_lines *lines = &a->lines;
    const size_t size = starfish_real_size(precision), lanes = lines->inner * lines->outer, n = lines->rows;
    if (a->own[0] || a->before[0] || a->problems > 1) {
        test_slab_cpu.solve(precision, a);
        return;
    }
    char *room = malloc((BATCH + 3 * n + 2 + STARFISH_SLAB_BORDERS) * lanes * size), *at = room;
    assert_non_null(room);
    struct sweeps sweeps = {.bytes = lanes * size,
                            .sweep = {.lines = *lines, .periodic = a->periodic, .pinned_lane = a->pinned_lane}};
    sweeps.sweep.lines.plane = lanes;
    sweeps.sweep.eliminated = sweeps.plane;
    sweeps.sweep.data = sweeps.batch = at, at += BATCH * sweeps.bytes;
    sweeps.eliminated = at, at += n * sweeps.bytes;
    sweeps.checkpoints = at, at += n * sweeps.bytes;
    sweeps.border_checkpoints = at, at += n * sweeps.bytes;
    sweeps.sweep.unknown = at, at += sweeps.bytes;
    sweeps.sweep.multiplier = at, at += sweeps.bytes;
    for (int b = 0; b < STARFISH_SLAB_BORDERS; b++, at += sweeps.bytes)
        sweeps.sweep.border[b] = at;
    solve_by_sweeps(precision, a, &sweeps);
    free(room);
}

struct test_slab_device test_slab_sweeps(void)
{
    struct test_slab_device device = test_slab_cpu;
    device.solve = solve;
    return device;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The steps of flat domains one by one on a GPU, in f64: what `reproduce mueller-table4` and `-table5` break times down
 * into. No solver and no tasks: kernels alone, in arrays of zeros, which take as long as others. */
#include "apps/reproduce/mueller.h"
#include "bench/flat_table.h"
#include "bench/peer_lines.h"
#include "bench/peers.h"
#include "multigrid/kernels/flat_kind.h"

#include <stdlib.h>

enum { VECTORS = 5, REPEAT = 5, AT_ONCE = 4 };

struct arrays {
    struct starfish_flat_shape shape, coarse;
    struct starfish_place place;
    void *table, *vector[VECTORS]; /* in device memory */
    double *sums;
};

struct job {
    struct arrays *arrays;
    enum mueller_kernel kernel;
};

static struct arrays shapes_of(size_t n, size_t layers)
{
    return (struct arrays){.shape = {.n = {n, n, layers}, .coarse = {n / 2, n / 2}, .types = 1},
                           .coarse = {.n = {n / 2, n / 2, layers}, .types = 1},
                           .place = {.precision = STARFISH_F64, .gpu = 1}};
}

/* The arguments of a kernel: what it reads, and where it writes. */
static enum starfish_grid_operation prepare(const struct job *job, struct starfish_grid_step *step)
{
    const struct arrays *a = job->arrays;
    const struct starfish_rectangle all = {0, a->shape.n[0] * a->shape.n[2], 0, a->shape.n[1]};
    const struct starfish_rectangle half = {0, a->coarse.n[0] * a->coarse.n[2], 0, a->coarse.n[1]};
    *step = (struct starfish_grid_step){.shape = &a->shape,
                                        .coarse_shape = &a->coarse,
                                        .table = a->table,
                                        .at = all,
                                        .sweep = STARFISH_FLAT_LINES,
                                        .damping = 2.0 / 3,
                                        .u = a->vector[0],
                                        .f = a->vector[1],
                                        .result = a->vector[2]};
    switch (job->kernel) {
    case MUELLER_DIRECTION: /* p = z + p, and (p, A p) */
    case MUELLER_SOLUTION:  /* u = u + p, and r = f - A u with (r, r) */
        step->combined.correction = a->vector[3];
        step->combined.factor = 1;
        step->combined.v = a->vector[4];
        step->sums = a->sums;
        if (job->kernel == MUELLER_SOLUTION)
            return STARFISH_GRID_RESIDUAL;
        step->combined.energy = 1;
        step->f = step->result = NULL;
        return STARFISH_GRID_RESIDUAL;
    case MUELLER_LINES_FROM_ZERO:
        step->u = NULL;
        return STARFISH_GRID_SMOOTH;
    case MUELLER_LINES:
        return STARFISH_GRID_SMOOTH;
    case MUELLER_CORRECTED_LINES:
        step->coarse = a->vector[3];
        return STARFISH_GRID_SMOOTH;
    case MUELLER_RESTRICT:
        step->at = half;
        return STARFISH_GRID_RESTRICT;
    case MUELLER_NORM:
    case MUELLER_KERNELS:
        break;
    }
    step->result = NULL;
    step->sums = a->sums;
    return STARFISH_GRID_RESIDUAL;
}

/* Of the finest grid's unknowns, whatever their number. What is not NULL is read or written, if it counts. */
struct mueller_cost mueller_kernel_cost(size_t layers, enum mueller_kernel kernel)
{
    enum { COLUMNS = 64 };
    double any;
    struct arrays a = shapes_of(COLUMNS, layers);
    struct starfish_grid_step step;

    a.table = &any;
    a.sums = &any;
    for (int v = 0; v < VECTORS; v++)
        a.vector[v] = &any;
    const struct job job = {&a, kernel};
    const enum starfish_grid_operation operation = prepare(&job, &step);
    const struct starfish_cost cost = starfish_flat_kind.costs->cost(STARFISH_F64, operation, &step);
    const double unknowns = (double)(COLUMNS * COLUMNS * layers);
    return (struct mueller_cost){cost.operations / unknowns, cost.bytes / sizeof(double) / unknowns};
}

static int launch(void *data, struct CUstream_st *stream)
{
    const struct job *job = data;
    struct starfish_place place = job->arrays->place;
    struct starfish_grid_step step;
    const enum starfish_grid_operation operation = prepare(job, &step);
    place.stream = stream;
    return starfish_flat_kind.compute[operation](&place, &step);
}

static starfish_status make_arrays(struct arrays *a)
{
    const size_t entries = starfish_flat_table_entry(&a->shape, STARFISH_FLAT_ENTRIES);
    const size_t bytes = a->shape.n[0] * a->shape.n[1] * a->shape.n[2] * sizeof(double);
    double *table = malloc(entries * sizeof *table);
    int made = table && flat_table_fill(&a->shape, table) == 0;
    a->table = peer_device_alloc(entries * sizeof *table);
    a->sums = peer_device_alloc(STARFISH_SUMS * sizeof *a->sums);
    made = made && a->table && a->sums && peer_device_write(a->table, table, entries * sizeof *table);
    for (int v = 0; v < VECTORS && made; v++) {
        a->vector[v] = peer_device_alloc(bytes);
        made = a->vector[v] && peer_device_set(a->vector[v], 0, bytes);
    }
    free(table);
    return made ? STARFISH_SUCCESS
                : starfish_fail(STARFISH_ERROR_MEMORY, "no memory on the GPU for %d fields", VECTORS);
}

starfish_status mueller_time_kernels(size_t n, size_t layers, double seconds[MUELLER_KERNELS])
{
    struct arrays a = shapes_of(n, layers);
    double times[REPEAT];
    starfish_status status = make_arrays(&a);
    for (int k = 0; k < MUELLER_KERNELS && status == STARFISH_SUCCESS; k++) {
        struct job job = {&a, (enum mueller_kernel)k};
        if (peer_device_time(launch, &job, AT_ONCE, REPEAT, times) < REPEAT)
            status = starfish_fail(STARFISH_ERROR_RUNTIME, "step %d of %zu x %zu x %zu does not run on the GPU", k, n,
                                   n, layers);
        else
            seconds[k] = command_median(times, REPEAT);
    }
    peer_device_free(a.table);
    peer_device_free(a.sums);
    for (int v = 0; v < VECTORS; v++)
        peer_device_free(a.vector[v]);
    return status;
}

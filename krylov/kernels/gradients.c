/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Steps of deflated conjugate gradients at one place (gradients.h): its kernels in order, with barriers between the
 * cores that share a step. */
#include "krylov/kernels/gradients.h"

#include "base/activity.h"
#include "base/real.h"

STARFISH_PLACE_KERNEL(run_blocks, starfish_blocks)
STARFISH_PLACE_KERNEL(run_chunk_sums, starfish_chunk_sums)
STARFISH_PLACE_KERNEL(run_update, starfish_vector_update)
STARFISH_PLACE_KERNEL(run_product, starfish_vector_product)

enum { BATCH_CELLS = 4096 }; /* on cores: cells that stay in the nearest caches from one operation to the next */

/* ---- Cores that do steps together -------------------------------------------------------------------------------- */

static size_t cores_of(const struct starfish_gradients *g)
{
    return g->cores > 0 ? g->cores : 1;
}

/* Of `count` pieces of work, those of this core. */
static size_t share(const struct starfish_gradients *g, size_t count, size_t core)
{
    return count * core / cores_of(g);
}

static void meet(const struct starfish_gradients *g)
{
    if (cores_of(g) > 1)
        starfish_barrier_wait(g->barrier, g->core, g->cores);
}

/* This core's planes of all. */
static struct starfish_rectangle planes_of(const struct starfish_gradients *g)
{
    const struct starfish_cells *c = &g->blocks.cells;
    const size_t planes = c->last - c->first;

    return (struct starfish_rectangle){0, c->matrix.n[0] * c->matrix.n[1], c->first + share(g, planes, g->core),
                                       c->first + share(g, planes, g->core + 1)};
}

/* ---- Kernels at a place ------------------------------------------------------------------------------------------ */

static int advance_scalars(const struct starfish_place *place, const struct starfish_gradients *g,
                           enum starfish_krylov_stage stage, const double *sums)
{
    const struct starfish_krylov_scalars scalars = {
        .stage = stage, .sign = 1, .parts = 1, .count = cores_of(g), .sums = {sums}, .state = g->state};

#ifdef STARFISH_CUDA
    if (place->gpu)
        return starfish_krylov_scalars_cuda(&scalars, place->stream);
#endif
    (void)place;
    meet(g);
    if (g->core == 0)
        starfish_krylov_scalars_cpu(&scalars);
    return 0;
}

static void (*const cells_on_core[])(enum starfish_cell_step, const struct starfish_cells *) = {starfish_cells_cpu_f32,
                                                                                                starfish_cells_cpu_f64};

/* A step of cells, and where it has sums the stage that follows. */
static int run_cells(const struct starfish_place *place, const struct starfish_gradients *g,
                     enum starfish_cell_step step, struct starfish_cells cells, enum starfish_krylov_stage stage)
{
#ifdef STARFISH_CUDA
    static int (*const on_gpu[])(enum starfish_cell_step, const struct starfish_cells *,
                                 struct CUstream_st *) = {starfish_cells_cuda_f32, starfish_cells_cuda_f64};
    if (place->gpu) {
        cells.done = g->state + STARFISH_KRYLOV_DONE;
        if (cells.sums)
            cells.then = (struct starfish_cells_then){stage, g->state};
        return on_gpu[place->precision](step, &cells, place->stream);
    }
#endif
    const struct starfish_rectangle own = planes_of(g);

    meet(g);
    cells.first = own.y0;
    cells.last = own.y1;
    cells.slot = g->core;
    cells.slots = cores_of(g);
    cells_on_core[place->precision](step, &cells);
    return cells.sums ? advance_scalars(place, g, stage, cells.sums) : 0;
}

static int run_coarse(const struct starfish_place *place, const struct starfish_gradients *g)
{
    struct starfish_coarse_solve coarse = g->coarse;

#ifdef STARFISH_CUDA
    if (place->gpu) {
        coarse.done = g->state + STARFISH_KRYLOV_DONE;
        return starfish_coarse_solve_cuda(&coarse, place->stream);
    }
#endif
    (void)place;
    meet(g);
    if (g->core == 0)
        starfish_coarse_solve_cpu(&coarse);
    return 0;
}

/* v = u + factor * *scalar * correction on planes; scalar NULL: v = u. */
static int run_sum(const struct starfish_place *place, struct starfish_rectangle planes,
                   struct starfish_vector_update update)
{
    const size_t start = planes.y0 * planes.x1 * starfish_real_size(place->precision);

    update.nx = update.pitch = planes.x1;
    update.at = planes;
    update.correction = update.correction ? (const char *)update.correction + start : NULL;
    return run_update(place, &update);
}

/* The direction's scalars follow from r z. */
static int multiply(const struct starfish_place *place, const struct starfish_gradients *g, const void *z)
{
    const struct starfish_rectangle own = planes_of(g);
    const struct starfish_vector_product product = {
        .nx = own.x1, .at = own, .u = g->r, .v = z, .sums = g->rz, .slot = g->core, .slots = cores_of(g)};

    meet(g);
    TRY_LAUNCH(run_product(place, &product));
    return advance_scalars(place, g, STARFISH_KRYLOV_DIRECTION, g->rz);
}

/* ---- Preconditioners --------------------------------------------------------------------------------------------- */

/* z = M^-1 r by runs; a kernel of others' scalars, as few blocks as it has. */
static int by_runs(const struct starfish_place *place, const struct starfish_gradients *g, double *rz)
{
    struct starfish_blocks blocks = g->blocks;

    blocks.cells.u = g->r;
    blocks.cells.q = g->z;
    blocks.cells.sums = rz;
    blocks.cells.slot = g->core;
    blocks.cells.slots = cores_of(g);
    blocks.cells.done = place->gpu ? g->state + STARFISH_KRYLOV_DONE : NULL;
    const size_t runs = starfish_blocks_count(&blocks);
    blocks.run0 = share(g, runs, g->core);
    blocks.run1 = share(g, runs, g->core + 1);
    meet(g);
    TRY_LAUNCH(run_blocks(place, &blocks));
    return rz ? advance_scalars(place, g, STARFISH_KRYLOV_DIRECTION, rz) : 0;
}

/* Incomplete Poisson's first half goes to q, which is not needed then. */
static int by_poisson(const struct starfish_place *place, const struct starfish_gradients *g, double *rz)
{
    struct starfish_cells first = g->blocks.cells, second = first;

    first.u = g->r;
    first.q = g->q;
    second.u = g->q;
    second.f = g->r;
    second.q = g->z;
    second.sums = rz;
    TRY_LAUNCH(run_cells(place, g, STARFISH_CELLS_IP_FIRST, first, STARFISH_KRYLOV_DIRECTION));
    return run_cells(place, g, STARFISH_CELLS_IP_SECOND, second, STARFISH_KRYLOV_DIRECTION);
}

/* z = r. */
static int by_nothing(const struct starfish_place *place, const struct starfish_gradients *g)
{
    meet(g);
    TRY_LAUNCH(run_sum(place, planes_of(g), (struct starfish_vector_update){.u = g->r, .v = g->z}));
    return multiply(place, g, g->r);
}

static int by_another(const struct starfish_place *place, const struct starfish_gradients *g)
{
    meet(g);
    TRY_LAUNCH(g->other.apply(g->other.self, place, g->r, g->z, g->rz));
    return advance_scalars(place, g, STARFISH_KRYLOV_DIRECTION, g->rz);
}

/* z = M^-1 r; rz NULL, or where the sums go that the direction follows from. */
static int precondition(const struct starfish_place *place, const struct starfish_gradients *g, double *rz)
{
    struct starfish_cells cells = g->blocks.cells;

    cells.u = g->r;
    cells.q = g->z;
    cells.sums = rz;
    switch (g->by) {
    case STARFISH_CELLS_BY_DIAGONAL:
        return run_cells(place, g, STARFISH_CELLS_JACOBI, cells, STARFISH_KRYLOV_DIRECTION);
    case STARFISH_CELLS_BY_IP:
        return by_poisson(place, g, rz);
    case STARFISH_CELLS_BY_IP_DROPPED:
        return run_cells(place, g, STARFISH_CELLS_IP_DROPPED, cells, STARFISH_KRYLOV_DIRECTION);
    case STARFISH_CELLS_BY_BLOCKS:
    case STARFISH_CELLS_BY_LINES:
        return by_runs(place, g, rz);
    case STARFISH_CELLS_BY_ANOTHER:
        return by_another(place, g);
    case STARFISH_CELLS_BY_NOTHING:
        break;
    }
    return by_nothing(place, g);
}

/* z = y + Q (r - A y), y = M^-1 r. */
static int deflate(const struct starfish_place *place, const struct starfish_gradients *g)
{
    const int bare = g->by == STARFISH_CELLS_BY_NOTHING;
    struct starfish_cells prolong = g->blocks.cells;
    struct starfish_chunk_sums sums = g->chunks;

    if (!bare)
        TRY_LAUNCH(precondition(place, g, NULL));
    sums.r = g->r;
    sums.y = bare ? g->r : g->z;
    sums.chunk0 = share(g, sums.chunks, g->core);
    sums.chunk1 = share(g, sums.chunks, g->core + 1);
    sums.done = place->gpu ? g->state + STARFISH_KRYLOV_DONE : NULL;
    meet(g);
    TRY_LAUNCH(run_chunk_sums(place, &sums));
    TRY_LAUNCH(run_coarse(place, g));
    prolong.u = sums.y;
    prolong.f = g->r;
    prolong.q = g->z;
    prolong.domain = g->domain;
    prolong.coarse = g->coarse.solution;
    prolong.sums = g->rz;
    return run_cells(place, g, STARFISH_CELLS_PROLONG, prolong, STARFISH_KRYLOV_DIRECTION);
}

/* ---- Steps ------------------------------------------------------------------------------------------------------- */

/* p = z + beta p, q = A p on a GPU, where neighbours' directions are made again for every cell. */
static int turn_on_gpu(const struct starfish_place *place, const struct starfish_gradients *g, int odd)
{
    struct starfish_cells cells = g->blocks.cells;

    cells.u = g->z;
    cells.f = g->p[!odd];
    cells.r = g->p[odd];
    cells.q = g->q;
    cells.scalar = g->state + STARFISH_KRYLOV_BETA;
    cells.sums = g->product;
    return run_cells(place, g, STARFISH_CELLS_TURN, cells, STARFISH_KRYLOV_STEP);
}

/* x += alpha p on planes of cores. */
static int add_direction(const struct starfish_place *place, const struct starfish_gradients *g,
                         struct starfish_rectangle planes, const void *p)
{
    const double alpha = g->state[STARFISH_KRYLOV_ALPHA], outer = g->state[STARFISH_KRYLOV_OUTER];

    if (alpha == 0)
        return 0;
    if (g->wide) {
        starfish_vector_widen_cpu(&(struct starfish_vector_widen){
            .nx = planes.x1, .at = planes, .scale = outer, .low = p, .high = g->x, .scalar = &alpha});
        return 0;
    }
    return run_sum(
        place, planes,
        (struct starfish_vector_update){.factor = outer, .u = g->x, .correction = p, .v = g->x, .scalar = &alpha});
}

/* q = A p on planes begin .. end-1 of cores; returns the sum of p q there. */
static double multiply_planes(const struct starfish_place *place, const struct starfish_gradients *g, int odd,
                              size_t begin, size_t end)
{
    struct starfish_cells cells = g->blocks.cells;
    double sum = 0;

    if (begin >= end)
        return 0;
    cells.first = begin;
    cells.last = end;
    cells.u = g->p[odd];
    cells.q = g->q;
    cells.sums = &sum;
    cells.slots = STARFISH_SUMS; /* of which `sum` is the only one here */
    cells_on_core[place->precision](STARFISH_CELLS_APPLY, &cells);
    return sum;
}

/* x += alpha p for the last step's, p = z + beta p, q = A p on cores, in one traversal: some planes at a time, and the
 * product of a plane when the one above it is there. Of a core's first and last plane, which have neighbours of other
 * cores, when all have met. 6 words per unknown and the matrix; one after the other these are 8. */
static int turn_on_cores(const struct starfish_place *place, const struct starfish_gradients *g, int odd, int lags)
{
    const struct starfish_rectangle own = planes_of(g);
    const size_t batch = own.x1 < BATCH_CELLS ? BATCH_CELLS / own.x1 : 1, inner = own.y0 + 1;
    const struct starfish_vector_update turn = {
        .factor = 1, .u = g->z, .correction = g->p[!odd], .v = g->p[odd], .scalar = g->state + STARFISH_KRYLOV_BETA};
    struct starfish_rectangle planes = own;
    size_t next = inner;
    double sum = 0;

    meet(g);
    for (; planes.y0 < own.y1; planes.y0 = planes.y1) {
        planes.y1 = own.y1 - planes.y0 < batch ? own.y1 : planes.y0 + batch;
        if (lags)
            TRY_LAUNCH(add_direction(place, g, planes, g->p[!odd]));
        TRY_LAUNCH(run_sum(place, planes, turn));
        sum += multiply_planes(place, g, odd, next, planes.y1 - 1);
        next = planes.y1 - 1 > next ? planes.y1 - 1 : next;
    }
    meet(g);
    if (own.y0 < own.y1)
        sum += multiply_planes(place, g, odd, own.y0, inner) + multiply_planes(place, g, odd, next, own.y1);
    g->product[g->core] = sum;
    return advance_scalars(place, g, STARFISH_KRYLOV_STEP, g->product);
}

/* x += alpha p, r -= alpha q. On cores r alone: the solution follows when the next direction is made. */
static int advance(const struct starfish_place *place, const struct starfish_gradients *g, int odd)
{
    struct starfish_cells cells = g->blocks.cells;

    cells.u = g->p[odd];
    cells.f = g->q;
    cells.v = place->gpu ? g->x : NULL;
    cells.r = g->r;
    cells.factor = 1;
    cells.scalar = g->state + STARFISH_KRYLOV_ALPHA;
    cells.more = g->state + STARFISH_KRYLOV_OUTER;
    cells.sums = g->norm;
    return run_cells(place, g, g->wide ? STARFISH_CELLS_ADVANCE_WIDE : STARFISH_CELLS_ADVANCE, cells,
                     STARFISH_KRYLOV_WATCH);
}

/* What cores report; a preconditioner may say more. */
static const struct starfish_activity preconditions = {"precondition", 0x5588aa, STARFISH_NO_PHASE};
static const struct starfish_activity turns = {"direction and A p", 0x55aa77, STARFISH_NO_PHASE};
static const struct starfish_activity advances = {"residual", 0xaa8855, STARFISH_NO_PHASE};

static int step(const struct starfish_place *place, const struct starfish_gradients *g, int number)
{
    const int odd = number & 1;

    starfish_activity_begin(&preconditions);
    TRY_LAUNCH(g->deflated ? deflate(place, g) : precondition(place, g, g->rz));
    starfish_activity_begin(&turns);
    TRY_LAUNCH(place->gpu ? turn_on_gpu(place, g, odd) : turn_on_cores(place, g, odd, number > g->first));
    starfish_activity_begin(&advances);
    return advance(place, g, odd);
}

int starfish_gradients_run(const struct starfish_place *place, const struct starfish_gradients *g)
{
    int number = g->first;

    for (; number < g->first + g->count; number++) {
        meet(g);
        if (!place->gpu && g->state[STARFISH_KRYLOV_DONE] != 0)
            break;
        TRY_LAUNCH(step(place, g, number));
    }
    if (place->gpu || number == g->first)
        return 0;
    return add_direction(place, g, planes_of(g), g->p[(number - 1) & 1]);
}

/* Steps of deflated conjugate gradients at one place. */
#include "krylov/kernels/gradients.h"

#include "base/real.h"

STARFISH_PLACE_KERNEL(run_blocks, starfish_blocks)
STARFISH_PLACE_KERNEL(run_chunk_sums, starfish_chunk_sums)
STARFISH_PLACE_KERNEL(run_update, starfish_vector_update)
STARFISH_PLACE_KERNEL(run_product, starfish_vector_product)

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

/* A step of cells, and where it has sums the stage that follows. */
static int run_cells(const struct starfish_place *place, const struct starfish_gradients *g,
                     enum starfish_cell_step step, struct starfish_cells cells, enum starfish_krylov_stage stage)
{
    static void (*const on_core[])(enum starfish_cell_step, const struct starfish_cells *) = {starfish_cells_cpu_f32,
                                                                                              starfish_cells_cpu_f64};

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
    on_core[place->precision](step, &cells);
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

/* v = u + *scalar * correction on the core's planes; scalar NULL: v = u. */
static int run_sum(const struct starfish_place *place, const struct starfish_gradients *g, const void *u,
                   const double *scalar, const void *correction, void *v)
{
    const struct starfish_rectangle own = planes_of(g);
    const size_t start = own.y0 * own.x1 * starfish_real_size(place->precision);
    const struct starfish_vector_update update = {.nx = own.x1,
                                                  .at = own,
                                                  .factor = 1,
                                                  .u = u,
                                                  .correction = correction ? (const char *)correction + start : NULL,
                                                  .pitch = own.x1,
                                                  .v = v,
                                                  .scalar = scalar};

    meet(g);
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

/* Incomplete Poisson's first half goes to q, which nobody needs then. */
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
    TRY_LAUNCH(run_sum(place, g, g->r, NULL, NULL, g->z));
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

/* p = z + beta p, q = A p. On a GPU at once; on a core, which is bound by arithmetic, neighbours' directions are not
 * made again for every cell. */
static int turn(const struct starfish_place *place, const struct starfish_gradients *g, int odd)
{
    const double *beta = g->state + STARFISH_KRYLOV_BETA;
    struct starfish_cells cells = g->blocks.cells;

    cells.u = place->gpu ? g->z : g->p[odd];
    cells.f = g->p[!odd];
    cells.r = g->p[odd];
    cells.q = g->q;
    cells.scalar = beta;
    cells.sums = g->product;
    if (!place->gpu)
        TRY_LAUNCH(run_sum(place, g, g->z, beta, g->p[!odd], g->p[odd]));
    return run_cells(place, g, place->gpu ? STARFISH_CELLS_TURN : STARFISH_CELLS_APPLY, cells, STARFISH_KRYLOV_STEP);
}

static int step(const struct starfish_place *place, const struct starfish_gradients *g, int odd)
{
    struct starfish_cells advance = g->blocks.cells;

    TRY_LAUNCH(g->deflated ? deflate(place, g) : precondition(place, g, g->rz));
    TRY_LAUNCH(turn(place, g, odd));
    advance.u = g->p[odd];
    advance.f = g->q;
    advance.v = g->x;
    advance.r = g->r;
    advance.factor = 1;
    advance.scalar = g->state + STARFISH_KRYLOV_ALPHA;
    advance.more = g->state + STARFISH_KRYLOV_OUTER;
    advance.sums = g->norm;
    return run_cells(place, g, g->wide ? STARFISH_CELLS_ADVANCE_WIDE : STARFISH_CELLS_ADVANCE, advance,
                     STARFISH_KRYLOV_WATCH);
}

int starfish_gradients_run(const struct starfish_place *place, const struct starfish_gradients *g)
{
    for (int number = g->first; number < g->first + g->count; number++) {
        meet(g);
        if (!place->gpu && g->state[STARFISH_KRYLOV_DONE] != 0)
            return 0;
        TRY_LAUNCH(step(place, g, number & 1));
    }
    return 0;
}

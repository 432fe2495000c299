/* The grids of a problem: meshes from the coarsest up, spaces and matrices on each, smoothers, and the plan that has
 * them. */
#include "fem/plan.h"

#include "sparse/inverse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_LEVELS = 17 };

struct building {
    struct starfish_fem_plan *plan;
    const struct starfish_fem_problem *problem;
    int meshes;
    struct starfish_refined mesh[MOST_LEVELS]; /* coarsest first */
    struct starfish_fem_space space[MOST_LEVELS];
    int levels;                                 /* grids with unknowns */
    struct starfish_fem_grid grid[MOST_LEVELS]; /* finest first */
    double radius;                              /* the largest spectral radius of M A so far */
    struct starfish_fem_cut cut;                /* of these levels into parts */
    size_t first[MOST_LEVELS][STARFISH_FEM_MOST_PARTS + 1];
    const size_t *first_of[MOST_LEVELS];
    struct starfish_owner owner[STARFISH_FEM_MOST_PARTS];
};

static double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- Meshes and spaces ------------------------------------------------------------------------------------------- */

static starfish_status make_meshes(struct building *b)
{
    for (int l = 0; l <= b->problem->refinements; l++, b->meshes++)
        STARFISH_TRY(l == 0 ? starfish_refined_begin(b->problem, &b->mesh[0])
                            : starfish_refined_next(b->problem, &b->mesh[l - 1], &b->mesh[l]));
    for (int l = 0; l < b->meshes; l++)
        STARFISH_TRY(starfish_fem_space_create(b->problem, &b->mesh[l], &b->space[l]));
    for (int l = 0; l < b->meshes; l++)
        STARFISH_TRY(
            starfish_fem_space_number(&b->space[l], b->plan->options.numbering, b->plan->options.seed + (size_t)l));
    return STARFISH_SUCCESS;
}

/* ---- Right-hand side --------------------------------------------------------------------------------------------- */

static double norm_of(const double *v, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += v[i] * v[i];
    return sqrt(sum);
}

/* Without given nodes a constant may be added to u: the mean is taken off f. What rounding errors then leave of a
 * constant f is none. */
static void remove_mean(struct starfish_fem_plan *plan)
{
    const size_t n = plan->space.unknowns;
    double total = 0, volume = 0;

    for (size_t i = 0; i < n; i++) {
        total += plan->load[i];
        volume += plan->volume[i];
    }
    plan->removed = total / volume;
    for (size_t i = 0; i < n; i++)
        plan->load[i] -= plan->removed * plan->volume[i];
    if (norm_of(plan->load, n) <= 1e-13 * plan->load_norm)
        memset(plan->load, 0, n * sizeof *plan->load);
}

static double row_sum_norm(const struct starfish_csr *a)
{
    double most = 0;

    for (size_t i = 0; i < a->rows; i++) {
        double sum = 0;
        for (int e = a->start[i]; e < a->start[i + 1]; e++)
            sum += fabs(a->value[e]);
        most = fmax(most, sum);
    }
    return most;
}

static starfish_status assemble_finest(struct building *b, struct starfish_csr *a)
{
    struct starfish_fem_plan *plan = b->plan;
    const size_t n = plan->space.unknowns;

    plan->load = malloc((n + 1) * sizeof *plan->load);
    plan->volume = b->problem->dirichlets == 0 ? malloc((n + 1) * sizeof *plan->volume) : NULL;
    if (!plan->load || (b->problem->dirichlets == 0 && !plan->volume))
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for the right-hand side");
    STARFISH_TRY(starfish_fem_assemble(b->problem, &plan->space, a, plan->load, plan->volume));
    plan->load_norm = norm_of(plan->load, n);
    if (!isfinite(plan->load_norm))
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "problem.rhs or its source is not finite");
    plan->nonzeros = starfish_csr_entries(a);
    plan->matrix_norm = row_sum_norm(a);
    if (plan->volume)
        remove_mean(plan);
    return STARFISH_SUCCESS;
}

/* ---- Smoothers --------------------------------------------------------------------------------------------------- */

static starfish_status make_smoother(struct building *b, struct starfish_fem_grid *grid)
{
    const struct starfish_fem_options *o = &b->plan->options;
    const double usual = b->problem->mesh->dimensions == 2 ? 0.1 : 0.05;
    const double drop = o->drop_tolerance > 0 ? o->drop_tolerance : usual;

    if (o->smoother == STARFISH_FEM_SPAI)
        return starfish_spai(b->plan->context, &grid->a, o->pattern_power, &grid->m);
    if (o->smoother == STARFISH_FEM_FSAI)
        return starfish_fsai(b->plan->context, &grid->a, o->pattern_power, &grid->m);
    return o->smoother == STARFISH_FEM_SAINV ? starfish_sainv(&grid->a, drop, &grid->m) : STARFISH_SUCCESS;
}

/* The smoother's own damping, and less where some error would grow: where damping times the spectral radius comes near
 * 2. That is the same on all but the coarsest grids, so that large ones need not be asked. */
static starfish_status choose_damping(struct building *b, struct starfish_fem_grid *grid)
{
    static const double usual[STARFISH_FEM_SMOOTHERS] = {
        [STARFISH_FEM_JACOBI] = 0.5, [STARFISH_FEM_SPAI] = 1, [STARFISH_FEM_SAINV] = 0.5, [STARFISH_FEM_FSAI] = 1};
    enum { LARGE = 200000 };
    const double most = 1.9, safe = 1.7;
    const struct starfish_fem_options *o = &b->plan->options;
    double radius = 0;

    grid->damping = o->damping > 0 ? o->damping : usual[o->smoother];
    if (grid->a.rows < LARGE || b->radius == 0)
        STARFISH_TRY(starfish_csr_spectral_radius(grid->m.start ? &grid->m : NULL, &grid->a, &radius));
    b->radius = fmax(b->radius, radius);
    if (o->damping == 0 && grid->damping * b->radius > most)
        grid->damping = safe / b->radius;
    return STARFISH_SUCCESS;
}

/* ---- Grids ------------------------------------------------------------------------------------------------------- */

static starfish_status make_grid(struct building *b, int l)
{
    const int at = b->meshes - 1 - l; /* of meshes and spaces */
    struct starfish_fem_grid *grid = &b->grid[l];

    STARFISH_TRY(l == 0 ? assemble_finest(b, &grid->a)
                        : starfish_fem_assemble(b->problem, &b->space[at], &grid->a, NULL, NULL));
    if (l + 1 < b->levels)
        STARFISH_TRY(starfish_fem_prolongation(&b->space[at - 1], &b->space[at], &grid->p));
    const double start = seconds_now();
    STARFISH_TRY(make_smoother(b, grid));
    STARFISH_TRY(choose_damping(b, grid));
    b->plan->smoother_seconds += seconds_now() - start;
    b->plan->smoother_nonzeros += l > 0 ? 0 : grid->m.start ? starfish_csr_entries(&grid->m) : grid->a.rows;
    return STARFISH_SUCCESS;
}

/* The finest mesh and space become the plan's. */
static void keep_finest(struct building *b)
{
    const int finest = b->meshes - 1;

    b->plan->mesh = b->mesh[finest];
    b->plan->space = b->space[finest];
    b->plan->space.mesh = &b->plan->mesh;
    b->space[finest].mesh = &b->plan->mesh;
    memset(&b->mesh[finest], 0, sizeof b->mesh[finest]);
}

/* How many parts the finer grids have. */
static size_t choose_parts(const struct building *b)
{
    enum { LARGE = 1 << 20 }; /* unknowns of a part that are worth its halos */
    const struct starfish_fem_options *o = &b->plan->options;
    const size_t gpus = starfish_context_workers_of(b->plan->context, STARFISH_GPU);

    if (o->parts > 0)
        return (size_t)o->parts;
    if (gpus < 2 || o->inner != o->precision || b->grid[0].a.rows / gpus < LARGE)
        return 1;
    return gpus < STARFISH_FEM_MOST_PARTS ? gpus : STARFISH_FEM_MOST_PARTS;
}

/* Equal runs of rows, down to grids that are not worth it; owners in turn. */
static void cut_grids(struct building *b, size_t parts)
{
    enum { FEW = 4096 }; /* rows of a part */
    const size_t gpus = starfish_context_workers_of(b->plan->context, STARFISH_GPU);
    const size_t owners = gpus + (starfish_context_workers_of(b->plan->context, STARFISH_CPU) > 0);
    const size_t few = b->plan->options.parts > 0 ? 1 : FEW;

    b->cut = (struct starfish_fem_cut){.parts = parts, .first = b->first_of, .owner = b->owner};
    for (int l = 0; parts > 1 && l + 1 < b->levels && b->grid[l].a.rows >= parts * few; l++, b->cut.levels++) {
        for (size_t p = 0; p <= parts; p++)
            b->first[l][p] = b->grid[l].a.rows * p / parts;
        b->first_of[l] = b->first[l];
    }
    for (size_t p = 0; p < parts; p++)
        b->owner[p] = (struct starfish_owner){0, p % owners < gpus ? (int)(p % owners) : STARFISH_CORES};
}

static starfish_status complete(struct building *b)
{
    static const struct starfish_multigrid_hooks hooks = {.prepare = NULL};
    const struct starfish_fem_options *o = &b->plan->options;
    const int steps = o->smoothing_steps > 0 ? o->smoothing_steps : b->plan->mesh.d == 2 ? 8 : 16;
    const int has_gpu = starfish_context_workers_of(b->plan->context, STARFISH_GPU) > 0;
    const int automatic = o->format == STARFISH_SPARSE_AUTO;
    const starfish_sparse_format format = automatic ? STARFISH_SPARSE_SELL : o->format;
    struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
    cut_grids(b, choose_parts(b));
    const struct starfish_fem_grids grids = {.levels = b->levels,
                                             .grid = b->grid,
                                             .format = format,
                                             .format_of_small =
                                                 automatic && has_gpu ? STARFISH_SPARSE_ELLPACK_T : format,
                                             .coarse_tolerance = 1e-2,
                                             .coarse_iterations = 1000,
                                             .cut = b->cut.levels > 0 ? &b->cut : NULL,
                                             .steps_at_once = has_gpu};

    options.precision = o->precision;
    options.inner = o->inner;
    options.shape = o->shape;
    options.before = options.after = steps;
    options.smoother = STARFISH_SMOOTHER_JACOBI;
    options.inner_cycles = 1;
    options.conjugate_gradients = o->krylov == STARFISH_FEM_KRYLOV_AUTO || o->krylov == STARFISH_FEM_KRYLOV_CG;
    options.bicgstab = o->krylov == STARFISH_FEM_KRYLOV_AUTO || o->krylov == STARFISH_FEM_KRYLOV_BICGSTAB;
    STARFISH_TRY(starfish_multigrid_plan_begin(b->plan->context, &options, &hooks, &b->plan->multigrid));
    return starfish_fem_grids_complete(b->plan->multigrid, &grids);
}

/* Meshes so coarse that all their nodes are given are no grids. From the coarsest grid up, so that spectral radii are
 * known from small ones. */
static starfish_status build(struct building *b)
{
    STARFISH_TRY(make_meshes(b));
    keep_finest(b);
    while (b->levels < b->meshes && b->space[b->meshes - 1 - b->levels].unknowns > 0)
        b->levels++;
    b->plan->levels = b->meshes;
    for (int l = b->levels - 1; l >= 0; l--)
        STARFISH_TRY(make_grid(b, l));
    return b->levels > 0 ? complete(b) : STARFISH_SUCCESS;
}

starfish_status starfish_fem_build(struct starfish_fem_plan *plan, const struct starfish_fem_problem *problem)
{
    struct building *b = calloc(1, sizeof *b);
    const double start = seconds_now();

    if (!b)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a hierarchy");
    b->plan = plan;
    b->problem = problem;
    const starfish_status status = build(b);
    for (int l = 0; l < MOST_LEVELS; l++) {
        starfish_refined_destroy(&b->mesh[l]);
        if (b->space[l].unknown != plan->space.unknown || !plan->space.unknown)
            starfish_fem_space_destroy(&b->space[l]);
        starfish_csr_destroy(&b->grid[l].a);
        starfish_csr_destroy(&b->grid[l].p);
        starfish_csr_destroy(&b->grid[l].m);
    }
    free(b);
    plan->setup_seconds = seconds_now() - start;
    return status;
}

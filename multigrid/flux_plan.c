/* Plans of 3D multigrid: the problem is checked, grids are coarsened and assembled in f64, and handed to the task
 * graph. */
#include "multigrid/flux.h"
#include "multigrid/plan.h"

#include "base/real.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Checks ------------------------------------------------------------------------------------------------------ */

static starfish_status check_problem(const struct starfish_stencil_problem *p)
{
    double unknowns = 1;

    for (int d = 0; d < 3; d++) {
        if (p->n[d] < 1 || p->n[d] > INT32_MAX)
            return starfish_fail(STARFISH_ERROR_ARGUMENT, "problem.n[%d] is %zu, not in 1 .. 2^31 - 1", d, p->n[d]);
        unknowns *= (double)p->n[d];
    }
    if (unknowns > INT32_MAX)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "problem.n: %g unknowns, more than 2^31 - 1", unknowns);
    if (p->grid != STARFISH_CELL && p->grid != STARFISH_NODE)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "problem.grid is %d", (int)p->grid);
    if (!(p->reaction >= 0) || !isfinite(p->reaction))
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "problem.reaction is %g, must not be negative", p->reaction);
    if (!isfinite(p->rhs_factor))
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "problem.rhs_factor is not finite");
    return STARFISH_SUCCESS;
}

/* ---- Smoother ---------------------------------------------------------------------------------------------------- */

/* Directions that are smoothed by lines, and those that are coarsened when no other can be; or planes smooth, and all
 * are coarsened. */
struct choice {
    int lines[3], late[3], planes;
};

static const double usual_damping[STARFISH_SMOOTHERS] = {
    [STARFISH_SMOOTHER_ADI] = 0.8,       [STARFISH_SMOOTHER_LINE_X] = 0.8,    [STARFISH_SMOOTHER_LINE_Y] = 0.8,
    [STARFISH_SMOOTHER_LINE_Z] = 0.8,    [STARFISH_SMOOTHER_JACOBI] = 6. / 7, [STARFISH_SMOOTHER_GAUSS_SEIDEL] = 1.15,
    [STARFISH_SMOOTHER_CHEBYSHEV] = 0.3, [STARFISH_SMOOTHER_PLANE] = 0.9};

/* A direction whose couplings differ along it is strong here and weak there: lines smooth where it is strong, and where
 * it is weak it may not be coarsened. */
static starfish_smoother choose_automatic(const struct starfish_flux_grid *finest, struct choice *choice)
{
    static const starfish_smoother line[3] = {STARFISH_SMOOTHER_LINE_X, STARFISH_SMOOTHER_LINE_Y,
                                              STARFISH_SMOOTHER_LINE_Z};
    int uneven = 0, which = 0;

    for (int d = 0; d < 3; d++)
        if (!starfish_flux_line_is_even(&finest->line[d])) {
            uneven++;
            which = d;
        }
    if (uneven == 0)
        return STARFISH_SMOOTHER_GAUSS_SEIDEL;
    if (uneven > 1)
        return STARFISH_SMOOTHER_ADI;
    choice->late[which] = 1;
    return line[which];
}

static void choose_smoother(struct starfish_multigrid_options *o, const struct starfish_flux_grid *finest,
                            struct choice *choice)
{
    memset(choice, 0, sizeof *choice);
    if (o->smoother == STARFISH_SMOOTHER_AUTO)
        o->smoother = choose_automatic(finest, choice);
    if (o->damping == 0)
        o->damping =
            o->smoother == STARFISH_SMOOTHER_GAUSS_SEIDEL && o->conjugate_gradients ? 1 : usual_damping[o->smoother];
    choice->planes = o->smoother == STARFISH_SMOOTHER_PLANE;
    choice->lines[0] = o->smoother == STARFISH_SMOOTHER_ADI || o->smoother == STARFISH_SMOOTHER_LINE_X;
    choice->lines[1] = o->smoother == STARFISH_SMOOTHER_ADI || o->smoother == STARFISH_SMOOTHER_LINE_Y;
    choice->lines[2] = o->smoother == STARFISH_SMOOTHER_ADI || o->smoother == STARFISH_SMOOTHER_LINE_Z;
}

/* ---- Grids ------------------------------------------------------------------------------------------------------- */

/* All grids of a problem and their tables. */
struct hierarchy {
    int levels;
    struct choice choice;
    struct starfish_flux_grid grid[STARFISH_Q1_MOST_LEVELS];
    struct starfish_flux_shape shape[STARFISH_Q1_MOST_LEVELS];
    double *table[STARFISH_Q1_MOST_LEVELS];
    size_t size[STARFISH_Q1_MOST_LEVELS]; /* of the tables */
    struct starfish_flux_plane *plane;    /* with PLANE: three of each grid; until the graph has them */
};

static void forget_hierarchy(struct hierarchy *h)
{
    for (int l = 0; l < STARFISH_Q1_MOST_LEVELS; l++) {
        starfish_flux_grid_destroy(&h->grid[l]);
        free(h->table[l]);
    }
    free(h->plane);
    free(h);
}

/* Which directions the next grid is coarser in: those whose coupling is at least half of the strongest's among
 * directions that lines do not smooth; a direction of lines where it is strong against all. Late ones only when there
 * is no other. */
static int choose_directions(const struct hierarchy *h, const struct starfish_flux_grid *grid, int coarsened[3])
{
    double strength[3], strongest = 0, of_points = 0;
    int any = 0, early = 0;

    starfish_flux_grid_strength(grid, strength);
    for (int d = 0; d < 3; d++) {
        early = early || (strength[d] > 0 && !h->choice.late[d]);
        strongest = fmax(strongest, strength[d]);
        if (!h->choice.lines[d])
            of_points = fmax(of_points, strength[d]);
    }
    for (int d = 0; d < 3; d++) {
        const double against = h->choice.lines[d] ? strongest : of_points;
        coarsened[d] =
            strength[d] > 0 && (h->choice.planes || strength[d] >= 0.5 * against) && !(early && h->choice.late[d]);
        any = any || coarsened[d];
    }
    return any;
}

/* As many unknowns are solved by their inverse. */
enum { ENOUGH = 128 };

static starfish_status coarsen_all(struct hierarchy *h, struct starfish_multigrid_options *o,
                                   const struct starfish_stencil_problem *problem)
{
    const int most = o->levels > 0 ? o->levels : STARFISH_Q1_MOST_LEVELS;
    int coarsened[3];

    STARFISH_TRY(starfish_flux_grid_create(&h->grid[0], problem));
    choose_smoother(o, &h->grid[0], &h->choice);
    for (h->levels = 1; h->levels < most; h->levels++) {
        struct starfish_flux_grid *fine = &h->grid[h->levels - 1];
        if ((o->levels == 0 && starfish_flux_grid_unknowns(fine) <= ENOUGH) || !choose_directions(h, fine, coarsened))
            break;
        STARFISH_TRY(starfish_flux_grid_coarsen(fine, coarsened, &h->grid[h->levels]));
    }
    const size_t unknowns = starfish_flux_grid_unknowns(&h->grid[h->levels - 1]);
    if (unknowns > STARFISH_MULTIGRID_MOST_COARSEST)
        return starfish_fail(STARFISH_ERROR_ARGUMENT,
                             "options.levels is %d: the coarsest grid would have %zu unknowns, more than %d", most,
                             unknowns, STARFISH_MULTIGRID_MOST_COARSEST);
    return STARFISH_SUCCESS;
}

/* Entries must be numbers of the precision. */
static starfish_status check_table(const struct hierarchy *h, int l, starfish_precision precision)
{
    const double most = precision == STARFISH_F32 ? (double)FLT_MAX : DBL_MAX;

    for (size_t i = 0; i < h->size[l]; i++)
        if (!(fabs(h->table[l][i]) <= most))
            return starfish_fail(STARFISH_ERROR_NUMERICAL,
                                 "grid %d: an entry of the matrix is %g, beyond the precision", l, h->table[l][i]);
    return STARFISH_SUCCESS;
}

static starfish_status make_table(struct hierarchy *h, int l, starfish_precision precision)
{
    struct starfish_flux_plane *plane = h->plane ? h->plane + (ptrdiff_t)3 * l : NULL;
    const struct starfish_flux_grid *grid = &h->grid[l];
    struct starfish_flux_shape *shape = &h->shape[l];

    *shape = starfish_flux_shape_of(grid, l == h->levels - 1);
    h->size[l] = starfish_flux_table_size(shape);
    h->table[l] = calloc(h->size[l], sizeof(double));
    if (!h->table[l])
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for the matrix of grid %d", l);
    starfish_flux_fill_table(grid, shape, h->table[l]);
    if (shape->coarsest)
        STARFISH_TRY(starfish_flux_inverse(grid, h->table[l] + starfish_flux_table_inverse(shape)));
    else if (plane)
        STARFISH_TRY(starfish_flux_append_planes(grid, plane, &h->table[l], &h->size[l]));
    shape->plane = plane;
    return check_table(h, l, precision);
}

/* ---- Operations of the driver ------------------------------------------------------------------------------------ */

static starfish_status cycle(struct starfish_multigrid_plan *plan, struct starfish_progress *progress,
                             starfish_cycle_shape shape, int zero)
{
    return starfish_flux_cycle(&plan->graph.flux, progress, shape, zero);
}

static starfish_status settle(struct starfish_multigrid_plan *plan, struct starfish_progress *progress)
{
    return starfish_flux_settle(&plan->graph.flux, progress);
}

static void lend(struct starfish_multigrid_plan *plan, const struct starfish_tiles *f, const struct starfish_tiles *u)
{
    starfish_flux_lend(&plan->graph.flux, f, u);
}

/* The finest grid in the precision of the plan. */
static struct starfish_flux_grid_data finest_of(const struct starfish_multigrid_plan *plan)
{
    struct starfish_flux_grid_data grid = plan->graph.flux.level[0].data;

    if (plan->mixed)
        grid.table = plan->high_table.handle;
    return grid;
}

static starfish_status residual(struct starfish_multigrid_plan *plan, struct starfish_progress *progress, int inner,
                                const struct starfish_tiles *u, const struct starfish_tiles *f,
                                const struct starfish_tiles *result, const struct starfish_q1_sums *sums)
{
    const struct starfish_flux_graph *graph = &plan->graph.flux;
    const struct starfish_flux_grid_data grid = finest_of(plan);

    if (inner)
        return starfish_flux_residual(&graph->setting, &graph->level[0].data, progress, u, f, result, sums);
    return starfish_flux_residual(&plan->finest.setting, &grid, progress, u, f, result, sums);
}

static struct starfish_multigrid_arrays arrays(struct starfish_multigrid_plan *plan)
{
    const struct starfish_flux_level *finest = &plan->graph.flux.level[0];

    return (struct starfish_multigrid_arrays){finest->f, finest->u[finest->now], finest->u[0]};
}

static void begin(struct starfish_multigrid_plan *plan)
{
    plan->graph.flux.level[0].now = 0;
}

static void destroy(struct starfish_multigrid_plan *plan)
{
    starfish_flux_graph_destroy(&plan->graph.flux);
}

static int levels(const struct starfish_multigrid_plan *plan)
{
    return plan->graph.flux.all_levels;
}

static starfish_status find_mean(struct starfish_multigrid_plan *plan, struct starfish_progress *progress,
                                 int weighs_values, const struct starfish_tiles *v, double *mean)
{
    const struct starfish_flux_grid_data grid = finest_of(plan);

    STARFISH_TRY(starfish_flux_sum(&plan->finest.setting, &grid, progress, weighs_values, v, &plan->sums));
    *mean = starfish_q1_total(&plan->sums) / plan->volume;
    return STARFISH_SUCCESS;
}

/* Values become integrals, less `offset` times the volumes. */
static starfish_status integrate(struct starfish_multigrid_plan *plan, struct starfish_progress *progress,
                                 const struct starfish_tiles *rhs, double offset)
{
    const int values = plan->rhs_factor != 0 && rhs != &plan->integrals;
    const struct starfish_flux_weighing what = {
        .weighs_values = values, .weighs_offset = 1, .scale = values ? plan->rhs_factor : 1, .offset = -offset};
    const struct starfish_flux_grid_data grid = finest_of(plan);

    return starfish_flux_weigh(&plan->finest.setting, &grid, progress, &what, rhs, &plan->integrals);
}

/* A singular problem cannot have a mean. It is taken off twice: the first is as inexact as a sum of as many numbers. */
static starfish_status prepare(struct starfish_multigrid_plan *plan, struct starfish_progress *progress,
                               const struct starfish_tiles *rhs, const struct starfish_tiles **f, double *removed,
                               double *floor)
{
    const double rounding = plan->options.precision == STARFISH_F32 ? (double)FLT_EPSILON : DBL_EPSILON;
    const double scale = plan->rhs_factor != 0 ? plan->rhs_factor : 1;
    double mean = 0;

    if (plan->rhs_factor == 0 && !plan->singular)
        return STARFISH_SUCCESS;
    *f = &plan->integrals;
    if (plan->singular)
        STARFISH_TRY(find_mean(plan, progress, plan->rhs_factor != 0, rhs, removed));
    STARFISH_TRY(integrate(plan, progress, rhs, scale * *removed));
    if (!plan->singular)
        return STARFISH_SUCCESS;
    STARFISH_TRY(find_mean(plan, progress, 0, &plan->integrals, &mean));
    *floor = 8 * rounding * fabs(scale * *removed) * plan->volume_norm;
    *removed += mean / scale;
    return integrate(plan, progress, &plan->integrals, mean);
}

static starfish_status finish(struct starfish_multigrid_plan *plan, struct starfish_progress *progress,
                              const struct starfish_tiles *solution)
{
    struct starfish_flux_weighing what = {.scale = 1};
    const struct starfish_flux_grid_data grid = finest_of(plan);
    double mean = 0;

    if (!plan->singular)
        return STARFISH_SUCCESS;
    STARFISH_TRY(find_mean(plan, progress, 1, solution, &mean));
    what.offset = -mean;
    return starfish_flux_weigh(&plan->finest.setting, &grid, progress, &what, solution, solution);
}

static const struct starfish_multigrid_operations operations = {cycle, settle,  lend,   residual, NULL,  arrays,
                                                                begin, destroy, levels, prepare,  finish};

/* ---- The plan ---------------------------------------------------------------------------------------------------- */

static starfish_status create_graph(struct starfish_multigrid_plan *plan, struct hierarchy *h)
{
    static const struct starfish_tiling whole = {{1, 1}, 1};
    const struct starfish_multigrid_options *o = &plan->options;
    const struct starfish_flux_parts parts = {.precision = o->inner,
                                              .levels = h->levels,
                                              .shape = h->shape,
                                              .table = h->table,
                                              .table_size = h->size,
                                              .plane = h->plane,
                                              .smoother = o->smoother,
                                              .damping = o->damping,
                                              .before = o->before,
                                              .after = o->after,
                                              .symmetric = o->conjugate_gradients,
                                              .blocks = o->blocks,
                                              .tail = o->tail,
                                              .borrows_finest = !plan->mixed};
    const size_t *n = h->shape[0].n;

    h->plane = NULL;
    STARFISH_TRY(starfish_flux_graph_create(&plan->graph.flux, plan->context, &parts));
    plan->n[0] = n[0] * n[1];
    plan->n[1] = n[2];
    plan->tiling = plan->graph.flux.levels > 1 ? starfish_flux_tiling(plan->context, &parts, 0) : whole;
    plan->finest.setting = plan->graph.flux.setting;
    memcpy(plan->finest.data.shape.n, plan->n, sizeof plan->n);
    return STARFISH_SUCCESS;
}

static starfish_status create_high(struct starfish_multigrid_plan *plan, const struct hierarchy *h)
{
    plan->finest.setting.precision = STARFISH_F64;
    return starfish_table_reals(&plan->high_table, STARFISH_F64, h->table[0], starfish_flux_table_size(&h->shape[0]));
}

static starfish_status create_integrals(struct starfish_multigrid_plan *plan, const struct starfish_flux_grid *finest,
                                        const struct starfish_stencil_problem *problem)
{
    plan->rhs_factor = problem->rhs_factor;
    plan->singular = starfish_flux_grid_is_singular(finest);
    plan->volume = plan->volume_norm = 1;
    for (int d = 0; d < 3; d++) {
        double length = 0, squares = 0;
        for (size_t i = 0; i < finest->line[d].n; i++) {
            length += finest->line[d].weight[i];
            squares += finest->line[d].weight[i] * finest->line[d].weight[i];
        }
        plan->volume *= length;
        plan->volume_norm *= sqrt(squares);
    }
    return plan->singular || plan->rhs_factor != 0 ? starfish_multigrid_create_vector(plan, &plan->integrals)
                                                   : STARFISH_SUCCESS;
}

static starfish_status allocate_planes(struct hierarchy *h)
{
    h->plane = calloc((size_t)h->levels, 3 * sizeof *h->plane);
    return h->plane ? STARFISH_SUCCESS
                    : starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for hierarchies of planes");
}

static starfish_status create(struct starfish_multigrid_plan *plan, const struct starfish_stencil_problem *problem)
{
    struct hierarchy *h = calloc(1, sizeof *h);
    if (!h)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a hierarchy");
    starfish_status status = coarsen_all(h, &plan->options, problem);
    if (status == STARFISH_SUCCESS && h->choice.planes)
        status = allocate_planes(h);
    for (int l = 0; l < h->levels && status == STARFISH_SUCCESS; l++)
        status = make_table(h, l, plan->options.inner);
    if (status == STARFISH_SUCCESS)
        status = create_graph(plan, h);
    if (status == STARFISH_SUCCESS && plan->mixed)
        status = create_high(plan, h);
    if (status == STARFISH_SUCCESS)
        status = starfish_multigrid_create_vectors(plan);
    if (status == STARFISH_SUCCESS)
        status = create_integrals(plan, &h->grid[0], problem);
    forget_hierarchy(h);
    return status;
}

starfish_status starfish_stencil_plan_create(starfish_context *context, const struct starfish_stencil_problem *problem,
                                             const struct starfish_multigrid_options *options,
                                             starfish_multigrid_plan **result)
{
    static const struct starfish_multigrid_options defaults = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;

    if (!context || !problem || !result)
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "%s is NULL",
                             !context   ? "context"
                             : !problem ? "problem"
                                        : "plan");
    *result = NULL;
    options = options ? options : &defaults;
    STARFISH_TRY(starfish_multigrid_check_options(options));
    if (options->storage || options->stored_diagonal)
        return starfish_fail(STARFISH_ERROR_ARGUMENT,
                             "options.storage and stored_diagonal are for bilinear elements in two dimensions");
    if (options->coarse != STARFISH_COARSE_DIRECT)
        return starfish_fail(STARFISH_ERROR_UNSUPPORTED,
                             "options.coarse: seven-point differences have STARFISH_COARSE_DIRECT alone");
    STARFISH_TRY(check_problem(problem));
    struct starfish_multigrid_plan *plan;
    STARFISH_TRY(starfish_multigrid_plan_begin(context, options, &operations, &plan));
    const starfish_status status = create(plan, problem);
    if (status != STARFISH_SUCCESS) {
        starfish_multigrid_plan_destroy(plan);
        return status;
    }
    *result = plan;
    return STARFISH_SUCCESS;
}

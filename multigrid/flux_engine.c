/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Engines of 3D multigrid: the problem is checked, grids are coarsened and assembled in f64, and handed to the task
 * graph. */
#include "multigrid/flux.h"
#include "multigrid/plan.h"

#include "base/arithmetic.h"
#include "base/precision.h"
#include "multigrid/kernels/flux_kind.h"
#include "scheduler/runtime/host_loop.h"
#include "tasks/shares.h"
#include "tasks/volumes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Checks ------------------------------------------------------------------------------------------------------ */

static starfish_status check_grid(const struct starfish_stencil_problem *p)
{
    double unknowns = 1;

    for (int d = 0; d < 3; d++) {
        STARFISH_REFUSE_IF(p->n[d] < 1 || p->n[d] > INT32_MAX, "problem.n[%d] is %zu, not in 1 .. 2^31 - 1", d,
                           p->n[d]);
        unknowns *= (double)p->n[d];
    }
    STARFISH_REFUSE_IF(unknowns > INT32_MAX, "problem.n: %g unknowns, more than 2^31 - 1", unknowns);
    STARFISH_REFUSE_IF(p->grid != STARFISH_CELL && p->grid != STARFISH_NODE, "problem.grid is %d", (int)p->grid);
    STARFISH_REFUSE_IF(!(p->reaction >= 0) || !isfinite(p->reaction), "problem.reaction is %g, must not be negative",
                       p->reaction);
    STARFISH_REFUSE_IF(!isfinite(p->rhs_factor), "problem.rhs_factor is not finite");
    return STARFISH_SUCCESS;
}

static starfish_status check(const void *problem, const struct starfish_multigrid_options *o)
{
    STARFISH_REFUSE_IF(o->storage || o->stored_diagonal,
                       "options.storage and stored_diagonal are for bilinear elements in two dimensions");
    STARFISH_FAIL_IF(o->smoother == STARFISH_SMOOTHER_ZEBRA, STARFISH_ERROR_UNSUPPORTED,
                     "options.smoother: zebra lines are for bilinear elements in two dimensions");
    STARFISH_FAIL_IF(o->coarse != STARFISH_COARSE_DIRECT, STARFISH_ERROR_UNSUPPORTED,
                     "options.coarse: seven-point differences have STARFISH_COARSE_DIRECT alone");
    return check_grid(&((const struct starfish_stencil_faces *)problem)->problem);
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
        o->damping = o->smoother == STARFISH_SMOOTHER_GAUSS_SEIDEL && o->krylov == STARFISH_KRYLOV_CG
                         ? 1
                         : usual_damping[o->smoother];
    choice->planes = o->smoother == STARFISH_SMOOTHER_PLANE;
    choice->lines[0] = o->smoother == STARFISH_SMOOTHER_ADI || o->smoother == STARFISH_SMOOTHER_LINE_X;
    choice->lines[1] = o->smoother == STARFISH_SMOOTHER_ADI || o->smoother == STARFISH_SMOOTHER_LINE_Y;
    choice->lines[2] = o->smoother == STARFISH_SMOOTHER_ADI || o->smoother == STARFISH_SMOOTHER_LINE_Z;
}

/* ---- Grids ------------------------------------------------------------------------------------------------------- */

/* All grids of a problem and their tables. */
struct hierarchy {
    int levels;
    const struct starfish_runs *runs; /* how the finest is cut; or NULL */
    struct choice choice;
    struct starfish_flux_grid grid[STARFISH_GRID_MOST_LEVELS];
    struct starfish_flux_shape shape[STARFISH_GRID_MOST_LEVELS];
    struct starfish_multigrid_grids made;
    struct starfish_spans spans[STARFISH_GRID_MOST_LEVELS]; /* of their tables: what is there */
    struct starfish_flux_plane *plane; /* with PLANE: three of each grid; until the graph has them */
};

static void free_hierarchy(struct hierarchy *h)
{
    for (int l = 0; l < STARFISH_GRID_MOST_LEVELS; l++)
        starfish_flux_grid_destroy(&h->grid[l]);
    starfish_multigrid_tables_destroy(&h->made);
    free(h->plane);
    free(h);
}

/* Which directions the next grid is coarser in: those whose coupling is at least half of the strongest's among
 * directions that lines do not smooth; a direction of lines where it is strong against all. Late ones only when there
 * is no other. */
static starfish_status choose_directions(const struct hierarchy *h, const struct starfish_flux_grid *grid,
                                         int coarsened[3], int *any)
{
    double strength[3], strongest = 0, of_points = 0;
    int early = 0;

    *any = 0;
    STARFISH_TRY(starfish_flux_grid_strength(grid, strength));
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
        *any = *any || coarsened[d];
    }
    return STARFISH_SUCCESS;
}

/* ---- What ranks have of them ------------------------------------------------------------------------------------- */

/* Unknowns of a slab that are worth a task, some 100 us of a core's work on a sweep; and of the first grid of the tail.
 * A GPU has every grid to itself, so that a cycle over all of them is one task, whose launches are one graph; up to as
 * many unknowns a core may have it instead. Hierarchies of planes are walked in the tail alone. */
enum { UNKNOWNS_PER_TASK = 65536, TAIL_ON_CORES = 33 * 33 * 33 };

/* Planes beside its own that a rank needs of a grid: those whose rows tasks compute or read, and the couplings above
 * them; or all of a grid that the tail may begin with, which one place has whole. A grid of which that cannot be said
 * before the next one is there counts as such. */
static size_t depth_of(const struct hierarchy *h, const struct starfish_flux_grid *grid,
                       const struct starfish_multigrid_options *o)
{
    const struct starfish_halo_window *w = &grid->window;
    const size_t tail = o->tail > 0 ? o->tail : TAIL_ON_CORES, coarser = w->planes / 2;

    if (!w->context || starfish_flux_grid_unknowns(grid) <= tail)
        return w->planes;
    for (size_t p = 0; p < h->runs->parts; p++)
        if (!starfish_hierarchy_is_deep(h->runs->first[p + 1] - h->runs->first[p], coarser, starfish_runs_end(w->runs)))
            return w->planes;
    return STARFISH_STENCIL_WINDOW;
}

/* As many unknowns are solved by their inverse. */
enum { ENOUGH = 128 };

/* A finest grid of whose couplings ranks have windows is got whole by all of them where the tail may begin with it. */
static starfish_status create_finest(struct hierarchy *h, const struct starfish_multigrid_options *o,
                                     const struct starfish_stencil_faces *faces)
{
    struct starfish_flux_grid *grid = &h->grid[0];
    const starfish_status status = starfish_flux_grid_create(grid, &faces->problem);

    if (!faces->face[0])
        return status;
    grid->window = faces->window;
    STARFISH_TRY(starfish_halo_window_agree(&grid->window, status));
    STARFISH_TRY(starfish_flux_grid_set_faces(grid, faces->face, faces->rest));
    const size_t depth = depth_of(h, grid, o);
    return depth > grid->window.depth ? starfish_flux_grid_exchange(grid, depth, STARFISH_SUCCESS) : STARFISH_SUCCESS;
}

static starfish_status coarsen(struct hierarchy *h, const struct starfish_multigrid_options *o, const int coarsened[3])
{
    struct starfish_flux_grid *fine = &h->grid[h->levels - 1], *coarse = &h->grid[h->levels];
    const starfish_status status = starfish_flux_grid_coarsen(fine, coarsened, coarse);

    return fine->window.context ? starfish_flux_grid_exchange(coarse, depth_of(h, coarse, o), status) : status;
}

static starfish_status coarsen_all(struct hierarchy *h, struct starfish_multigrid_options *o,
                                   const struct starfish_stencil_faces *faces)
{
    const int most = o->levels > 0 ? o->levels : STARFISH_GRID_MOST_LEVELS;
    int coarsened[3], any;

    STARFISH_TRY(create_finest(h, o, faces));
    choose_smoother(o, &h->grid[0], &h->choice);
    for (h->levels = 1; h->levels < most; h->levels++) {
        struct starfish_flux_grid *fine = &h->grid[h->levels - 1];
        if (o->levels == 0 && starfish_flux_grid_unknowns(fine) <= ENOUGH)
            break;
        STARFISH_TRY(choose_directions(h, fine, coarsened, &any));
        if (!any)
            break;
        STARFISH_TRY(coarsen(h, o, coarsened));
    }
    const size_t unknowns = starfish_flux_grid_unknowns(&h->grid[h->levels - 1]);
    STARFISH_REFUSE_IF(unknowns > STARFISH_MULTIGRID_MOST_COARSEST,
                       "options.levels is %d: the coarsest grid would have %zu unknowns, more than %d", most, unknowns,
                       STARFISH_MULTIGRID_MOST_COARSEST);
    return STARFISH_SUCCESS;
}

static void describe_shape(struct hierarchy *h, int l)
{
    h->shape[l] = starfish_flux_shape_of(&h->grid[l], l == h->levels - 1);
    h->made.level[l].table_size = starfish_flux_table_size(&h->shape[l]);
    h->spans[l] = starfish_flux_table_spans(&h->grid[l], &h->shape[l]);
    h->made.level[l].spans = &h->spans[l];
}

static starfish_status append_planes(struct hierarchy *h, int l, struct starfish_flux_plane *plane)
{
    STARFISH_TRY(
        starfish_flux_append_planes(&h->grid[l], plane, &h->made.level[l].table, &h->made.level[l].table_size));
    h->spans[l] = starfish_spans_all(h->made.level[l].table_size);
    return STARFISH_SUCCESS;
}

static starfish_status make_table(struct hierarchy *h, int l, starfish_precision precision)
{
    struct starfish_flux_plane *plane = h->plane ? h->plane + (ptrdiff_t)3 * l : NULL;
    const struct starfish_flux_grid *grid = &h->grid[l];
    struct starfish_flux_shape *shape = &h->shape[l];

    STARFISH_TRY(starfish_multigrid_table_create(&h->made, l));
    starfish_host_zero(h->made.level[l].table, starfish_flux_table_stored(shape) * sizeof(double));
    starfish_flux_fill_table(grid, shape, h->made.level[l].table);
    if (shape->coarsest)
        STARFISH_TRY(starfish_flux_inverse(grid, h->made.level[l].table + starfish_flux_table_inverse(shape)));
    else if (plane)
        STARFISH_TRY(append_planes(h, l, plane));
    shape->plane = plane;
    return starfish_multigrid_table_check(&h->made, l, precision);
}

/* ---- Volumes ----------------------------------------------------------------------------------------------------- */

/* Right-hand sides and means of an engine. */
struct volumes {
    int singular;                       /* a constant is in the null space */
    double rhs_factor;                  /* of right-hand sides that are values; 0: they are integrals */
    double volume;                      /* of the box */
    double norm;                        /* Euclidean, of the volumes of all unknowns */
    struct starfish_vector integrals;   /* the right-hand side that is made of the user's */
    struct starfish_flux_plane *planes; /* with PLANE: three of each grid, which the shapes point to */
};

/* The mean of v, a vector of values, or of integrals. */
static starfish_status find_mean(struct starfish_multigrid_engine *engine, struct starfish_progress *progress,
                                 int values, const struct starfish_vector *v, double *mean)
{
    const struct volumes *volumes = engine->state;

    STARFISH_TRY(starfish_operator_volume_sum(&engine->op, progress, values, v, &engine->work.sums));
    STARFISH_TRY(starfish_sums_total(&engine->work.sums, engine->context, mean));
    *mean /= volumes->volume;
    return STARFISH_SUCCESS;
}

/* Values become integrals, less `offset` times the volumes. */
static starfish_status integrate(struct starfish_multigrid_engine *engine, struct starfish_progress *progress,
                                 const struct starfish_vector *rhs, double offset)
{
    struct volumes *volumes = engine->state;
    const int values = volumes->rhs_factor != 0 && rhs != &volumes->integrals;
    const struct starfish_weighing what = {
        .weighs_values = values, .weighs_offset = 1, .scale = values ? volumes->rhs_factor : 1, .offset = -offset};

    return starfish_operator_weigh(&engine->op, progress, &what, rhs, &volumes->integrals);
}

/* A singular problem cannot have a mean. It is taken off twice: the first is as inexact as a sum of as many numbers. */
static starfish_status prepare(struct starfish_multigrid_engine *engine, struct starfish_progress *progress,
                               const struct starfish_vector *rhs, const struct starfish_vector **f, double *removed,
                               double *floor)
{
    struct volumes *volumes = engine->state;
    const double rounding = starfish_epsilon(engine->options.precision);
    const double scale = volumes->rhs_factor != 0 ? volumes->rhs_factor : 1;
    double mean = 0;

    if (volumes->rhs_factor == 0 && !volumes->singular)
        return STARFISH_SUCCESS;
    *f = &volumes->integrals;
    if (volumes->singular)
        STARFISH_TRY(find_mean(engine, progress, volumes->rhs_factor != 0, rhs, removed));
    STARFISH_TRY(integrate(engine, progress, rhs, scale * *removed));
    if (!volumes->singular)
        return STARFISH_SUCCESS;
    STARFISH_TRY(find_mean(engine, progress, 0, &volumes->integrals, &mean));
    *floor = 8 * rounding * fabs(scale * *removed) * volumes->norm;
    *removed += mean / scale;
    return integrate(engine, progress, &volumes->integrals, mean);
}

static starfish_status finish(struct starfish_multigrid_engine *engine, struct starfish_progress *progress,
                              const struct starfish_vector *solution)
{
    const struct volumes *volumes = engine->state;
    struct starfish_weighing what = {.scale = 1};
    double mean = 0;

    if (!volumes->singular)
        return STARFISH_SUCCESS;
    STARFISH_TRY(find_mean(engine, progress, 1, solution, &mean));
    what.offset = -mean;
    return starfish_operator_weigh(&engine->op, progress, &what, solution, solution);
}

static void destroy(struct starfish_multigrid_engine *engine)
{
    struct volumes *volumes = engine->state;

    if (!volumes)
        return;
    starfish_vector_destroy(&volumes->integrals);
    free(volumes->planes);
    free(volumes);
}

static starfish_status create_volumes(struct starfish_multigrid_engine *engine, struct hierarchy *h, double rhs_factor)
{
    const struct starfish_flux_grid *finest = &h->grid[0];
    struct volumes *volumes = engine->state;

    volumes->planes = h->plane;
    h->plane = NULL;
    volumes->rhs_factor = rhs_factor;
    volumes->singular = engine->singular = starfish_flux_grid_is_singular(finest);
    volumes->volume = volumes->norm = 1;
    for (int d = 0; d < 3; d++) {
        double length = 0, squares = 0;
        for (size_t i = 0; i < finest->line[d].n; i++) {
            length += finest->line[d].weight[i];
            squares += finest->line[d].weight[i] * finest->line[d].weight[i];
        }
        volumes->volume *= length;
        volumes->norm *= sqrt(squares);
    }
    return volumes->singular || volumes->rhs_factor != 0
               ? starfish_vector_create(&volumes->integrals, engine->op.space, engine->options.precision)
               : STARFISH_SUCCESS;
}

/* ---- The engine -------------------------------------------------------------------------------------------------- */

static void describe_grids(struct hierarchy *h)
{
    for (int l = 0; l < h->levels; l++)
        describe_shape(h, l);
    h->made.spec = (struct starfish_hierarchy_spec){.kind = &starfish_flux_kind,
                                                    .levels = h->levels,
                                                    .unknowns_per_task = UNKNOWNS_PER_TASK,
                                                    .tail_on_cores = TAIL_ON_CORES,
                                                    .tail_on_either = TAIL_ON_CORES,
                                                    .levels_in_tail = h->choice.planes,
                                                    .runs = h->runs};
    h->made.shape = h->made.high_shape = h->shape;
    h->made.shape_size = sizeof h->shape[0];
}

/* Where tasks compute a plane they read the right-hand side, and the couplings of that plane and of the one above. */
static starfish_status check_windows(const struct starfish_multigrid_engine *engine, const struct hierarchy *h)
{
    for (int l = 0; l < engine->graph.levels; l++) {
        const struct starfish_halo_window *window = &h->grid[l].window;
        const size_t depth = starfish_space_depth(&engine->graph.level[l].space);
        STARFISH_FAIL_IF(
            window->context && window->depth < window->planes && window->depth <= depth, STARFISH_ERROR_RUNTIME,
            "grid %d: tasks read %zu planes beside a part, of whose couplings there are %zu", l, depth, window->depth);
    }
    return STARFISH_SUCCESS;
}

static starfish_status complete(struct starfish_multigrid_engine *engine, struct hierarchy *h)
{
    if (engine->mixed)
        STARFISH_TRY(
            starfish_multigrid_keep_high(engine, h->made.level[0].table, starfish_flux_table_size(&h->shape[0])));
    STARFISH_TRY(starfish_multigrid_engine_complete(engine, &h->made));
    return check_windows(engine, h);
}

/* Tables, and before them what they will take; those of planes have to be there to know. Right-hand sides as integrals
 * are a vector more. */
static starfish_status make_tables(struct starfish_multigrid_engine *engine, struct hierarchy *h)
{
    describe_grids(h);
    if (!h->choice.planes)
        STARFISH_TRY(starfish_multigrid_engine_measure(engine, &h->made, 1));
    for (int l = 0; l < h->levels && (h->choice.planes || !engine->measured); l++)
        STARFISH_TRY(make_table(h, l, starfish_cycle_precision(&engine->options)));
    return h->choice.planes ? starfish_multigrid_engine_measure(engine, &h->made, 1) : STARFISH_SUCCESS;
}

static starfish_status allocate_planes(struct hierarchy *h)
{
    h->plane = calloc((size_t)h->levels, 3 * sizeof *h->plane);
    return STARFISH_OR_FAIL(h->plane, STARFISH_ERROR_MEMORY, "out of memory for hierarchies of planes");
}

static starfish_status create(struct starfish_multigrid_engine *engine, const void *problem,
                              const struct starfish_runs *runs)
{
    const struct starfish_stencil_faces *faces = problem;
    struct hierarchy *h = calloc(1, sizeof *h);
    engine->state = calloc(1, sizeof(struct volumes));
    starfish_status status =
        STARFISH_OR_FAIL(h && engine->state, STARFISH_ERROR_MEMORY, "out of memory for a hierarchy");
    status = starfish_halo_window_agree(&faces->window, status);
    if (status != STARFISH_SUCCESS || !h) {
        free(h);
        return status;
    }
    h->runs = runs;
    status = coarsen_all(h, &engine->options, faces);
    if (status == STARFISH_SUCCESS && h->choice.planes)
        status = allocate_planes(h);
    STARFISH_THEN(status, make_tables(engine, h));
    if (status == STARFISH_SUCCESS && !engine->measured)
        status = complete(engine, h);
    if (status == STARFISH_SUCCESS && !engine->measured)
        status = create_volumes(engine, h, faces->problem.rhs_factor);
    free_hierarchy(h);
    return status;
}

const struct starfish_multigrid_hooks starfish_stencil_hooks = {
    .check = check, .create = create, .prepare = prepare, .finish = finish, .destroy = destroy};

starfish_status starfish_stencil_plan_create(starfish_context *context, const struct starfish_stencil_problem *problem,
                                             const struct starfish_multigrid_options *options, starfish_plan **result)
{
    STARFISH_OWN_ARITHMETIC;
    struct starfish_stencil_faces own = {.face = {NULL}};

    STARFISH_NEED(context, "context");
    STARFISH_NEED(result, "plan");
    *result = NULL;
    STARFISH_TRY(starfish_problem_take(problem, &own.problem, sizeof own.problem));
    return starfish_multigrid_plan_create(context, &starfish_stencil_hooks, &own, options, result);
}

starfish_status starfish_stencil_memory(starfish_context *context, const struct starfish_stencil_problem *problem,
                                        const struct starfish_multigrid_options *options,
                                        struct starfish_memory *memory)
{
    STARFISH_OWN_ARITHMETIC;
    struct starfish_stencil_faces own = {.face = {NULL}};

    STARFISH_NEED(memory, "memory");
    STARFISH_TRY(starfish_problem_take(problem, &own.problem, sizeof own.problem));
    return starfish_multigrid_engine_create(context, &starfish_stencil_hooks, &own, options, NULL, NULL, memory);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shares of fine grids.
 *
 * The models tell what a sweep of the finest grid takes on a worker of each kind. Parts save the time of the others'
 * work, and cost an exchange of halos for every task that follows another: a task's start, the transfer's, and the
 * bytes of the planes over the link. So a grid is shared where it is large enough to win more than that, and coarser
 * ones stay in one place with all that is below them. Nothing here is timed: it happens once per plan. */
#include "tasks/shares.h"

#include "base/real.h"
#include "base/sizes.h"
#include "scheduler/runtime/balance.h"
#include "scheduler/runtime/ranks.h"
#include "tasks/visits.h"

#include <math.h>

/* Cores must promise so much: what models know of them is less sure than what they know of GPUs, which all are alike.
 */
static const double worth_of_cores = 1.08;

enum {
    UNKNOWNS_PER_GPU = 1 << 24, /* that are worth a part where no times are known */
    UNKNOWNS_OF_TAIL = 1 << 22, /* and that are not worth several */
    EXCHANGES = 2,              /* for a sweep's work, of which a cycle has several with and without reading beyond */
    LEAST_ROWS = 2 * STARFISH_HIERARCHY_MOST_DEPTH + 1,
};

/* ---- What tasks read beyond their parts -------------------------------------------------------------------------- */

static void rows_of(const struct starfish_hierarchy_spec *spec, int level, size_t n[2])
{
    starfish_grid_extent(spec->kind, spec->grid[level].shape, n);
}

int starfish_hierarchy_runs_along_columns(const struct starfish_hierarchy_spec *spec, int level)
{
    int sweep[STARFISH_GRID_MOST_SWEEPS], any = 0;
    const int sweeps = starfish_grid_sweeps(spec->kind, &spec->smoothing, spec->grid[level].shape, 0, sweep);

    for (int i = 0; i < sweeps; i++)
        any = any || starfish_grid_runs_along_columns(spec->kind, sweep[i]);
    return any;
}

size_t starfish_hierarchy_first_row(const struct starfish_hierarchy_spec *spec, const struct starfish_runs *runs,
                                    int level, size_t part)
{
    size_t n[2], finest[2];

    rows_of(spec, 0, finest);
    rows_of(spec, level, n);
    return (runs->first[part] * n[1] + finest[1] / 2) / finest[1];
}

/* The parts of a level, whose rows are read by tasks on it, and on the finer and the coarser grid. */
struct reading {
    const struct starfish_hierarchy_spec *spec;
    const struct starfish_runs *runs;
    int level;
    size_t rows, depth; /* of the level; found so far */
};

static struct starfish_grid_step step_on(const struct reading *r, int level, int of, size_t part)
{
    size_t n[2];

    rows_of(r->spec, of, n);
    return (struct starfish_grid_step){.shape = r->spec->grid[level].shape,
                                       .coarse_shape =
                                           level + 1 < r->spec->levels ? r->spec->grid[level + 1].shape : NULL,
                                       .at = {0, n[0], starfish_hierarchy_first_row(r->spec, r->runs, of, part),
                                              starfish_hierarchy_first_row(r->spec, r->runs, of, part + 1)}};
}

static void look_at_reach(struct reading *r, size_t part, const struct starfish_reach *reach)
{
    const ptrdiff_t y0 = (ptrdiff_t)starfish_hierarchy_first_row(r->spec, r->runs, r->level, part);
    const ptrdiff_t y1 = (ptrdiff_t)starfish_hierarchy_first_row(r->spec, r->runs, r->level, part + 1);
    const ptrdiff_t from = reach->y0 < 0 && !reach->wraps ? 0 : reach->y0;
    const ptrdiff_t to = reach->y1 > (ptrdiff_t)r->rows && !reach->wraps ? (ptrdiff_t)r->rows : reach->y1;

    if (reach->x0 == reach->x1)
        return;
    if (y0 - from > (ptrdiff_t)r->depth)
        r->depth = (size_t)(y0 - from);
    if (to - y1 > (ptrdiff_t)r->depth)
        r->depth = (size_t)(to - y1);
}

static void look(struct reading *r, size_t part, const struct starfish_grid_step *step,
                 enum starfish_grid_operation operation, enum starfish_grid_input input)
{
    const struct starfish_reach reach = starfish_grid_reach(r->spec->kind, operation, step, input);

    look_at_reach(r, part, &reach);
}

/* Sweeps of a grid, of inputs of that grid or of the next coarser one. */
static void look_at_sweeps(struct reading *r, size_t part, int level, enum starfish_grid_input input)
{
    for (int reverse = 0; reverse < 2; reverse++) {
        int sweep[STARFISH_GRID_MOST_SWEEPS];
        const int sweeps =
            starfish_grid_sweeps(r->spec->kind, &r->spec->smoothing, r->spec->grid[level].shape, reverse, sweep);
        for (int i = 0; i < sweeps; i++) {
            struct starfish_grid_step step = step_on(r, level, level, part);
            step.sweep = sweep[i];
            look(r, part, &step, STARFISH_GRID_SMOOTH, input);
        }
    }
}

/* Rows of the level that `extent` has beyond a part. */
static void look_at_extent(struct reading *r, size_t part, const struct starfish_extent *extent)
{
    const struct starfish_reach reach = {extent->x0, extent->x1, extent->y0, extent->y1, 0};

    look_at_reach(r, part, &reach);
}

static struct starfish_visited visited_of(const struct reading *r, int level, size_t part)
{
    const struct starfish_grid_step fine = step_on(r, level, level, part), coarse = step_on(r, level, level + 1, part);

    return (struct starfish_visited){.kind = r->spec->kind,
                                     .smoothing = &r->spec->smoothing,
                                     .shape = fine.shape,
                                     .coarse_shape = fine.coarse_shape,
                                     .at = fine.at,
                                     .coarse_at = coarse.at,
                                     .on_ranks = starfish_runs_are_on_ranks(r->runs),
                                     .slow = starfish_runs_are_slow(r->runs, fine.at.x1)};
}

/* What tasks of several operations read of the level: those on it, and those on the finer one. */
static void look_at_visits(struct reading *r, size_t part)
{
    struct starfish_visit visit;

    for (int zero = 0; zero < 2 && r->level + 1 < r->spec->levels; zero++) {
        const struct starfish_visited here = visited_of(r, r->level, part);
        if (starfish_visit_down(&here, zero, &visit)) {
            look_at_extent(r, part, &visit.f);
            look_at_extent(r, part, &visit.u);
        }
        if (starfish_visit_up(&here, &visit)) {
            look_at_extent(r, part, &visit.u);
            look_at_extent(r, part, &visit.f);
        }
    }
    if (r->level == 0)
        return;
    const struct starfish_visited finer = visited_of(r, r->level - 1, part);
    if (starfish_visit_up(&finer, &visit))
        look_at_extent(r, part, &visit.coarse);
}

size_t starfish_hierarchy_depth(const struct starfish_hierarchy_spec *spec, const struct starfish_runs *runs, int level)
{
    struct reading r = {.spec = spec, .runs = runs, .level = level};
    size_t n[2];

    rows_of(spec, level, n);
    r.rows = n[1];
    for (size_t part = 0; part < runs->parts; part++) {
        const struct starfish_grid_step here = step_on(&r, level, level, part);
        for (enum starfish_grid_input input = STARFISH_GRID_U; input <= STARFISH_GRID_F; input++) {
            look_at_sweeps(&r, part, level, input);
            look(&r, part, &here, STARFISH_GRID_RESIDUAL, input);
            if (level + 1 < spec->levels) {
                const struct starfish_grid_step down = step_on(&r, level, level + 1, part);
                look(&r, part, &down, STARFISH_GRID_RESTRICT, input);
            }
        }
        look_at_visits(&r, part);
        if (level > 0) {
            const struct starfish_grid_step up = step_on(&r, level - 1, level - 1, part);
            look(&r, part, &up, STARFISH_GRID_PROLONG, STARFISH_GRID_COARSE);
            look_at_sweeps(&r, part, level - 1, STARFISH_GRID_COARSE);
        }
    }
    return r.depth;
}

size_t starfish_hierarchy_rows_here(const struct starfish_context *context, const struct starfish_hierarchy_spec *spec,
                                    int level, size_t *parts)
{
    const struct starfish_runs *runs = spec->runs;
    size_t n[2], rows = 0;

    rows_of(spec, level, n);
    *parts = runs ? runs->parts : 0;
    if (!runs || !starfish_runs_are_on_ranks(runs))
        return n[1];
    *parts = 0;
    for (size_t p = 0; p < runs->parts; p++)
        if (runs->owner[p].rank == starfish_context_rank(context)) {
            rows += starfish_hierarchy_first_row(spec, runs, level, p + 1) -
                    starfish_hierarchy_first_row(spec, runs, level, p);
            ++*parts;
        }
    return rows;
}

int starfish_hierarchy_wraps(const struct starfish_hierarchy_spec *spec)
{
    size_t n[2];

    rows_of(spec, 0, n);
    const struct starfish_grid_step whole = {.shape = spec->grid[0].shape, .at = {0, n[0], 0, n[1]}};
    return starfish_grid_reach(spec->kind, STARFISH_GRID_RESIDUAL, &whole, STARFISH_GRID_U).wraps;
}

/* ---- What can be shared ------------------------------------------------------------------------------------------ */

/* NULL, or why not. */
static const char *why_not_apart(const struct starfish_hierarchy_spec *spec)
{
    if (spec->levels_in_tail)
        return "sweeps by planes take whole grids";
    if (starfish_hierarchy_runs_along_columns(spec, 0))
        return "the smoother has lines across rows: choose jacobi, chebyshev, gauss-seidel or line-x";
    return starfish_hierarchy_wraps(spec) && !(spec->kind->sharing && spec->kind->sharing->has_ghosts)
               ? "its last direction is periodic"
               : NULL;
}

/* ---- What it takes ----------------------------------------------------------------------------------------------- */

/* Who may have a part, and what a sweep of all of the finest grid takes on one of each kind; NaN: not known. */
struct sharers {
    size_t workers[STARFISH_WORKER_KINDS];
    double seconds[STARFISH_WORKER_KINDS];
};

/* By the models, of tasks on vectors that have no memory and never get any. */
static starfish_status ask_models(struct starfish_context *context, const struct starfish_hierarchy_spec *spec,
                                  double seconds[STARFISH_WORKER_KINDS])
{
    static const struct starfish_tiling one = {{1, 1}, 1};
    const struct starfish_grid_setting setting = {.kind = spec->kind, .precision = spec->precision};
    struct starfish_space space;
    struct starfish_vector vector[3];
    int sweep[STARFISH_GRID_MOST_SWEEPS];
    size_t n[2];

    rows_of(spec, 0, n);
    STARFISH_TRY(starfish_space_tiles(&space, context, n, &one));
    for (int v = 0; v < 3; v++)
        STARFISH_TRY(starfish_vector_over(&vector[v], &space, spec->precision, -1, NULL, "a vector without memory"));
    starfish_grid_sweeps(spec->kind, &spec->smoothing, spec->grid[0].shape, 0, sweep);
    const struct starfish_grid_task task = {
        .operation = STARFISH_GRID_SMOOTH,
        .step = {.shape = spec->grid[0].shape, .at = {0, n[0], 0, n[1]}, .sweep = sweep[0], .damping = 1},
        .u = &vector[0],
        .f = &vector[1],
        .result = &vector[2]};
    const starfish_status status = starfish_grid_expect(context, &setting, &task, seconds);
    for (int v = 0; v < 3; v++)
        starfish_vector_destroy(&vector[v]);
    starfish_space_destroy(&space);
    return status;
}

/* Of the finest grid's halo, for a sweep. */
static double exchange_seconds(struct starfish_context *context, const struct starfish_hierarchy_spec *spec,
                               int with_cores)
{
    size_t n[2];

    rows_of(spec, 0, n);
    return EXCHANGES *
           (STARFISH_EXCHANGE_LATENCY +
            starfish_context_copy_seconds(context, with_cores, 2 * n[0] * starfish_real_size(spec->precision)));
}

/* A sweep shared by so many of each kind. */
static double shared_seconds(const struct sharers *s, size_t gpus, size_t cores)
{
    const double cores_speed = cores > 0 ? (double)cores / s->seconds[STARFISH_CPU] : 0;

    return 1 / ((double)gpus / s->seconds[STARFISH_GPU] + cores_speed);
}

/* ---- The choice -------------------------------------------------------------------------------------------------- */

/* Sets how many of each kind have a part: GPUs none where one has everything. */
static void choose(struct starfish_context *context, const struct starfish_hierarchy_spec *spec, struct sharers *s,
                   size_t parts[STARFISH_WORKER_KINDS])
{
    const size_t gpus = starfish_smaller(s->workers[STARFISH_GPU], STARFISH_KRYLOV_MOST_PARTS);
    const size_t cores = starfish_smaller(s->workers[STARFISH_CPU], STARFISH_KRYLOV_MOST_PARTS - gpus);
    size_t n[2];

    rows_of(spec, 0, n);
    parts[STARFISH_GPU] = parts[STARFISH_CPU] = 0;
    if (n[1] / LEAST_ROWS < gpus + cores)
        return;
    if (spec->sharing == STARFISH_SHARING_GPUS || spec->sharing == STARFISH_SHARING_ALL) {
        parts[STARFISH_GPU] = gpus;
        parts[STARFISH_CPU] = spec->sharing == STARFISH_SHARING_ALL ? cores : 0;
        return;
    }
    if (isnan(s->seconds[STARFISH_GPU])) {
        parts[STARFISH_GPU] = gpus > 1 && n[0] * n[1] / gpus >= UNKNOWNS_PER_GPU ? gpus : 0;
        return;
    }
    double best = s->seconds[STARFISH_GPU];
    const double together = shared_seconds(s, gpus, 0) + exchange_seconds(context, spec, 0);
    if (gpus > 1 && together < best) {
        best = together;
        parts[STARFISH_GPU] = gpus;
    }
    if (cores == 0 || isnan(s->seconds[STARFISH_CPU]))
        return;
    if (worth_of_cores * (shared_seconds(s, gpus, cores) + exchange_seconds(context, spec, 1)) < best) {
        parts[STARFISH_GPU] = gpus;
        parts[STARFISH_CPU] = cores;
    }
}

/* Rows in proportion to the speeds of their owners, cores' first; where times are not known, all alike. */
static starfish_status cut(const struct starfish_hierarchy_spec *spec, const struct sharers *s,
                           const size_t parts[STARFISH_WORKER_KINDS], struct starfish_shares *shares)
{
    const int known = !isnan(s->seconds[STARFISH_CPU]) && !isnan(s->seconds[STARFISH_GPU]);
    const size_t cores = parts[STARFISH_CPU], all = cores + parts[STARFISH_GPU];
    const double gpu = known ? s->seconds[STARFISH_CPU] / s->seconds[STARFISH_GPU] : 1; /* a core has speed 1 */
    const double sum = (double)cores + gpu * (double)parts[STARFISH_GPU];
    double speed = 0;
    size_t n[2];

    rows_of(spec, 0, n);
    for (size_t p = 0; p < all; p++) {
        const struct starfish_owner owner = {0, p < cores ? STARFISH_CORES : (int)(p - cores)};
        const size_t first = starfish_runs_end(&shares->runs);
        speed += p < cores ? 1 : gpu;
        const size_t wanted = (size_t)(speed / sum * (double)n[1] + 0.5);
        const size_t least = first + LEAST_ROWS, most = n[1] - (all - 1 - p) * LEAST_ROWS;
        const size_t end = wanted < least ? least : wanted > most ? most : wanted;
        STARFISH_TRY(starfish_runs_add(&shares->runs, 1, end - first, owner));
    }
    return STARFISH_SUCCESS;
}

/* As many parts, a run of them for each owner. */
static starfish_status cut_as_asked(const struct starfish_context *context, const struct starfish_hierarchy_spec *spec,
                                    struct starfish_shares *shares)
{
    const size_t gpus = spec->sharing == STARFISH_SHARING_ALONE ? starfish_smaller(context->workers_of[STARFISH_GPU], 1)
                                                                : context->workers_of[STARFISH_GPU];
    const size_t cores = gpus == 0 || spec->sharing == STARFISH_SHARING_ALL ? context->workers_of[STARFISH_CPU] : 0;
    size_t n[2];

    rows_of(spec, 0, n);
    if (spec->parts == 1 && n[1] < LEAST_ROWS) { /* one part is the whole, which needs no cut */
        *shares = (struct starfish_shares){.tail = 0};
        return STARFISH_SUCCESS;
    }
    STARFISH_REFUSE_IF(n[1] / LEAST_ROWS < spec->parts,
                       "options.parts is %zu, but needs %d rows or planes for each part, and there are %zu",
                       spec->parts, LEAST_ROWS, n[1]);
    STARFISH_TRY(starfish_runs_equally(&shares->runs, n[1], spec->parts));
    for (size_t p = 0; p < spec->parts; p++) {
        const size_t owner = gpus > 0 ? p * (gpus + (cores > 0)) / spec->parts : 0;
        shares->runs.owner[p] = (struct starfish_owner){0, owner < gpus ? (int)owner : STARFISH_CORES};
    }
    return STARFISH_SUCCESS;
}

static size_t finest_unknowns(const struct starfish_hierarchy_spec *spec)
{
    size_t n[2];

    rows_of(spec, 0, n);
    return n[0] * n[1];
}

/* The first grid that is not worth its exchanges, in unknowns: a sweep's time is in proportion. */
static size_t choose_tail(struct starfish_context *context, const struct starfish_hierarchy_spec *spec,
                          const struct sharers *s, const size_t parts[STARFISH_WORKER_KINDS])
{
    if (spec->tail > 0 || spec->tail_shared > 0)
        return spec->tail > 0 ? spec->tail : spec->tail_shared;
    if (isnan(s->seconds[STARFISH_GPU]) || (parts[STARFISH_CPU] > 0 && isnan(s->seconds[STARFISH_CPU])))
        return UNKNOWNS_OF_TAIL;
    const double saved = s->seconds[STARFISH_GPU] - shared_seconds(s, parts[STARFISH_GPU], parts[STARFISH_CPU]);
    const double needed = exchange_seconds(context, spec, parts[STARFISH_CPU] > 0);
    return saved > 0 ? (size_t)fmin((double)finest_unknowns(spec) * needed / saved, 1e18) : UNKNOWNS_OF_TAIL;
}

starfish_status starfish_hierarchy_share(struct starfish_context *context, const struct starfish_hierarchy_spec *spec,
                                         struct starfish_shares *shares)
{
    struct sharers s = {{context->workers_of[STARFISH_CPU], context->workers_of[STARFISH_GPU]},
                        {(double)NAN, (double)NAN}};
    size_t parts[STARFISH_WORKER_KINDS];

    *shares = (struct starfish_shares){.runs = {.apart = 1}};
    if (spec->runs || spec->index_levels > 0 || (spec->parts == 0 && spec->sharing == STARFISH_SHARING_ALONE))
        return STARFISH_SUCCESS;
    if (spec->parts == 0 && (s.workers[STARFISH_GPU] == 0 || context->workers == 1 || spec->slabs > 0))
        return STARFISH_SUCCESS;
    const char *why_not = why_not_apart(spec);
    if (why_not && spec->parts == 0)
        return STARFISH_SUCCESS;
    STARFISH_FAIL_IF(why_not, STARFISH_ERROR_UNSUPPORTED, "options.parts is %zu, but %s", spec->parts, why_not);
    shares->tail = spec->tail > 0 ? spec->tail : spec->tail_on_cores;
    if (spec->parts > 0)
        return cut_as_asked(context, spec, shares);
    STARFISH_TRY(ask_models(context, spec, s.seconds));
    choose(context, spec, &s, parts);
    if (parts[STARFISH_GPU] + parts[STARFISH_CPU] < 2)
        return STARFISH_SUCCESS;
    const size_t tail = choose_tail(context, spec, &s, parts), all = finest_unknowns(spec);
    shares->tail = spec->sharing != STARFISH_SHARING_AUTO && tail >= all ? all - 1 : tail; /* the finest is shared */
    return cut(spec, &s, parts, shares);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The grids of a problem, from the coarsest to the finest: meshes, spaces, matrices, smoothers, and the plan that owns
 * them. */
#include "fem/partition.h"
#include "fem/plan.h"
#include "fem/ranks.h"
#include "fem/rows.h"

#include "scheduler/runtime/memory.h"
#include "scheduler/runtime/ranks.h"
#include "sparse/inverse.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LEVELS = 17 };
/* Unknowns of a grid that is taken as alike to larger ones, and of one whose matrices ranks share. */
enum { LARGE = 200000 };

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
    int ahead[MOST_LEVELS];
    struct starfish_fem_deal deal;
};

/* ---- Meshes and spaces ------------------------------------------------------------------------------------------- */

/* Vertices, edges, faces and cells of a mesh become those of its refinement. */
static void refine_counts(int d, double count[4])
{
    double next[4] = {0};

    for (int k = 0; k <= d; k++)
        for (int of = k; of <= d; of++)
            next[k] += (double)starfish_refined_inside(d, k, of) * count[of];
    memcpy(count, next, sizeof next);
}

/* Systems promise memory that they have not got, and end the process that uses it. So a hierarchy that cannot fit is
 * refused before it is made: its meshes, and the matrices A of all levels, which a process that has no other ranks has
 * in f64 and packed, take more than the machine has. */
static starfish_status check_size(const struct building *b)
{
    enum { BYTES_OF_ENTRY = 20 };
    const struct starfish_refined *mesh = &b->mesh[0];
    const int d = mesh->d, is_q1 = b->problem->element == STARFISH_FEM_Q1;
    const double machine = (double)starfish_main_memory();
    const double row = starfish_context_ranks(b->plan->plan.context) > 1 ? 0 : BYTES_OF_ENTRY * pow(is_q1 ? 3 : 4, d);
    double count[4] = {(double)mesh->vertices}, nodes = 0, bytes = 0;

    for (int k = 1; k <= d; k++)
        count[k] = (double)(mesh->first[k + 1] - mesh->first[k]);
    for (int l = 0; l <= b->problem->refinements; l++) {
        nodes = count[0] + count[1] + count[2] + count[3];
        bytes += 24 * nodes + (double)(mesh->lattice * sizeof(int)) * count[d] + row * (is_q1 ? count[0] : nodes);
        refine_counts(d, count);
    }
    STARFISH_FAIL_IF(nodes > INT_MAX, STARFISH_ERROR_UNSUPPORTED,
                     "problem.refinements: %d refinements of %zu cells make %.3g nodes, more than 2^31",
                     b->problem->refinements, mesh->cells, nodes);
    STARFISH_FAIL_IF(machine > 0 && bytes > machine, STARFISH_ERROR_MEMORY,
                     "problem.refinements: %d refinements of %zu cells need more than %.3g GB, and this "
                     "machine has %.3g GB",
                     b->problem->refinements, mesh->cells, bytes / 1e9, machine / 1e9);
    return STARFISH_SUCCESS;
}

static starfish_status make_meshes(struct building *b)
{
    STARFISH_TRY(starfish_refined_begin(b->problem, &b->mesh[b->meshes++]));
    STARFISH_TRY(check_size(b));
    for (; b->meshes <= b->problem->refinements; b->meshes++)
        STARFISH_TRY(starfish_refined_next(b->problem, &b->mesh[b->meshes - 1], &b->mesh[b->meshes]));
    for (int l = 0; l < b->meshes; l++)
        STARFISH_TRY(starfish_fem_space_create(b->problem, &b->mesh[l], &b->space[l]));
    for (int l = 0; l < b->meshes; l++)
        STARFISH_TRY(
            starfish_fem_space_number(&b->space[l], b->plan->options.numbering, b->plan->options.seed + (size_t)l));
    return STARFISH_SUCCESS;
}

/* ---- Right-hand side --------------------------------------------------------------------------------------------- */

/* Of this rank's unknowns. */
static double square_of_load(const struct starfish_fem_plan *plan)
{
    double sum = 0;

    for (size_t i = plan->own[0]; i < plan->own[1]; i++)
        sum += plan->load[i] * plan->load[i];
    return sum;
}

static double load_at(const void *data, size_t i)
{
    return ((const struct starfish_fem_plan *)data)->load[i];
}

/* On components without given nodes a constant may be added to u: the mean is taken off f. What rounding errors then
 * leave of a constant f is none. */
static starfish_status remove_means(struct starfish_fem_plan *plan)
{
    double *mean, square;

    STARFISH_TRY(starfish_fem_means(plan, load_at, plan, &mean));
    for (size_t k = 0; k < plan->floating.count; k++)
        plan->removed = fabs(mean[k]) > fabs(plan->removed) ? mean[k] : plan->removed;
    for (size_t i = plan->own[0]; i < plan->own[1]; i++)
        if (plan->floating.of[i] >= 0)
            plan->load[i] -= mean[plan->floating.of[i]] * plan->volume[i];
    free(mean);
    square = square_of_load(plan);
    STARFISH_TRY(starfish_fem_sum(plan, &square, 1));
    for (size_t i = plan->own[0]; sqrt(square) <= 1e-13 * plan->load_norm && i < plan->own[1]; i++)
        plan->load[i] = 0;
    return STARFISH_SUCCESS;
}

static starfish_status make_load(struct building *b)
{
    struct starfish_fem_plan *plan = b->plan;

    STARFISH_TRY(starfish_fem_floating_find(&b->space[0], &plan->floating));
    const int singular = plan->floating.count > 0;
    plan->load = calloc(plan->space.unknowns + 1, sizeof *plan->load);
    plan->volume = singular ? calloc(plan->space.unknowns + 1, sizeof *plan->volume) : NULL;
    return STARFISH_OR_FAIL(plan->load && (plan->volume || !singular), STARFISH_ERROR_MEMORY,
                            "out of memory for the right-hand side");
}

static starfish_status find_nonzeros(struct starfish_fem_plan *plan)
{
    double nonzeros = 0;

    for (size_t i = plan->own[0]; i < plan->own[1]; i++)
        nonzeros += plan->load[i] != 0;
    STARFISH_TRY(starfish_fem_sum(plan, &nonzeros, 1));
    plan->has_load = nonzeros > 0;
    return STARFISH_SUCCESS;
}

/* Norms, counts and the mean, of the unknowns of all ranks. */
static starfish_status finish_load(struct building *b)
{
    struct starfish_fem_plan *plan = b->plan;
    const struct starfish_fem_grid *grid = &b->grid[0];
    const size_t *own = plan->own;
    const struct starfish_csr *m = grid->m.start ? &grid->m : NULL;
    double sums[3] = {square_of_load(plan), (double)(grid->a.start[own[1]] - grid->a.start[own[0]]),
                      m ? (double)(m->start[own[1]] - m->start[own[0]]) : (double)(own[1] - own[0])};

    STARFISH_TRY(starfish_fem_sum(plan, sums, 3));
    plan->load_norm = sqrt(sums[0]);
    plan->nonzeros = (size_t)sums[1];
    plan->smoother_nonzeros = (size_t)sums[2];
    STARFISH_REFUSE_IF(!isfinite(plan->load_norm), "problem.rhs or its source is not finite");
    if (plan->volume)
        STARFISH_TRY(remove_means(plan));
    return find_nonzeros(plan);
}

/* ---- Smoothers --------------------------------------------------------------------------------------------------- */

/* Of a grid that ranks share, the rows of this one. */
static starfish_status make_smoother(struct building *b, const struct starfish_fem_rows *rows,
                                     struct starfish_fem_grid *grid)
{
    const struct starfish_fem_options *o = &b->plan->options;
    const double usual = b->problem->mesh->dimensions == 2 ? 0.1 : 0.05;
    const double drop = o->drop_tolerance > 0 ? o->drop_tolerance : usual;

    if (o->smoother == STARFISH_FEM_SPAI)
        return starfish_spai(b->plan->plan.context, &grid->a, o->pattern_power, rows->smoother, &grid->m);
    if (o->smoother == STARFISH_FEM_FSAI) {
        STARFISH_TRY(starfish_fsai(b->plan->plan.context, &grid->a, o->pattern_power, rows->smoother, &grid->m));
        starfish_csr_keep_rows(&grid->m, rows->own);
        return STARFISH_SUCCESS;
    }
    return o->smoother == STARFISH_FEM_SAINV ? starfish_sainv(b->plan->plan.context, &grid->a, drop, &grid->m)
                                             : STARFISH_SUCCESS;
}

/* The smoother's own damping, and less where some error would grow: where damping times the spectral radius comes near
 * 2. That is the same on all but the coarsest grids, so that large ones need not be asked. */
static starfish_status choose_damping(struct building *b, struct starfish_fem_grid *grid)
{
    static const double usual[STARFISH_FEM_SMOOTHERS] = {
        [STARFISH_FEM_JACOBI] = 0.5, [STARFISH_FEM_SPAI] = 1, [STARFISH_FEM_SAINV] = 0.5, [STARFISH_FEM_FSAI] = 1};
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

/* The rows that this rank makes, where ranks share the matrices of a grid. SAINV is made of the whole matrix. */
static starfish_status choose_rows(const struct building *b, int l, struct starfish_fem_rows *rows)
{
    const struct starfish_fem_options *o = &b->plan->options;
    const int power = o->smoother == STARFISH_FEM_JACOBI ? 0 : o->pattern_power;
    const int smoother = b->ahead[l] + (o->smoother == STARFISH_FEM_FSAI ? power : 0);
    const int rings[2] = {smoother + power, smoother};
    const int here = starfish_context_rank(b->plan->plan.context);
    size_t own[2], coarse[2];

    if (!b->plan->is_dealt || l + 1 >= b->cut.levels || b->grid[l].p.rows < LARGE || o->smoother == STARFISH_FEM_SAINV)
        return STARFISH_SUCCESS;
    starfish_fem_cut_of_rank(&b->cut, l, here, own);
    starfish_fem_cut_of_rank(&b->cut, l + 1, here, coarse);
    return starfish_fem_rows_choose(rows, &b->space[b->meshes - 1 - l], own, rings, &b->grid[l].p, coarse);
}

static starfish_status make_matrices(struct building *b, int l, struct starfish_fem_rows *rows)
{
    const int at = b->meshes - 1 - l; /* of meshes and spaces */
    struct starfish_fem_grid *grid = &b->grid[l];
    const struct starfish_fem_sums sums = {&grid->a, l == 0 ? b->plan->load : NULL, l == 0 ? b->plan->volume : NULL};

    if (l + 1 < b->levels)
        STARFISH_TRY(starfish_fem_prolongation(&b->space[at - 1], &b->space[at], &grid->p));
    STARFISH_TRY(choose_rows(b, l, rows));
    starfish_csr_keep_rows(&grid->p, rows->prolongation);
    STARFISH_TRY(starfish_fem_assemble(b->problem, &b->space[at], rows->matrix, &sums));
    const double start = starfish_now();
    STARFISH_TRY(make_smoother(b, rows, grid));
    STARFISH_TRY(choose_damping(b, grid));
    b->plan->smoother_seconds += starfish_now() - start;
    return STARFISH_SUCCESS;
}

static starfish_status make_grid(struct building *b, int l)
{
    struct starfish_fem_rows rows = {NULL};
    const starfish_status status = make_matrices(b, l, &rows);

    starfish_fem_rows_destroy(&rows);
    return status;
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

static size_t unknowns_of(const struct building *b, int l)
{
    return b->space[b->meshes - 1 - l].unknowns;
}

/* GPUs in turn, and cores. */
static void deal_here(struct building *b, size_t parts)
{
    const size_t gpus = starfish_context_workers_of(b->plan->plan.context, STARFISH_GPU);
    const size_t owners = gpus + (starfish_context_workers_of(b->plan->plan.context, STARFISH_CPU) > 0);

    b->deal.parts = parts;
    b->deal.has_gpus = gpus > 0;
    for (size_t p = 0; p < parts && owners > 0; p++)
        b->deal.owner[p] = (struct starfish_owner){0, p % owners < gpus ? (int)(p % owners) : STARFISH_CORES};
}

/* How many parts the finer grids may have, and whose they are. */
static starfish_status choose_parts(struct building *b)
{
    const struct starfish_fem_options *o = &b->plan->options;
    const size_t gpus = starfish_context_workers_of(b->plan->plan.context, STARFISH_GPU);
    const size_t many = gpus < STARFISH_FEM_MOST_PARTS ? gpus : STARFISH_FEM_MOST_PARTS;

    if (starfish_context_ranks(b->plan->plan.context) > 1)
        return starfish_fem_deal(b->plan->plan.context, (size_t)o->slabs, &b->deal);
    deal_here(b, o->slabs > 0 ? (size_t)o->slabs : many > 1 ? many : 1);
    return STARFISH_SUCCESS;
}

/* How many grids are cut: those whose parts are worth their halos, and the one below, which the tail collects. A
 * smoothing of 0.5 million rows takes an H200 about as long as the tasks and exchanges that it takes two; in mixed
 * precision it takes half of that. Where it is not worth it each rank has all grids for itself. */
static int count_cut(const struct building *b, int first_mesh)
{
    enum { FEW_OF_CORES = 4096, FEW_OF_GPU = 500000 }; /* rows of a part */
    const struct starfish_fem_options *o = &b->plan->options;
    const int asked = o->slabs > 0;
    const size_t parts = b->deal.parts, few = asked ? 1 : b->deal.has_gpus ? FEW_OF_GPU : FEW_OF_CORES;
    int levels = 0;

    if (b->deal.has_gpus && o->mixed && !asked)
        return 0;
    while (parts > 1 && levels + 1 < b->levels && b->meshes - 1 - levels >= first_mesh &&
           (unknowns_of(b, levels) >= parts * few || (levels > 0 && unknowns_of(b, levels - 1) >= parts * few)))
        levels++;
    return levels < 2 && !asked ? 0 : levels;
}

/* The coarsest mesh whose cells can be distributed evenly, or else the finest. */
static int find_dealt_mesh(const struct building *b)
{
    enum { CELLS_PER_PART = 64 };
    int at = 0;

    while (at + 1 < b->meshes && b->space[at].mesh->cells < CELLS_PER_PART * b->deal.parts)
        at++;
    return at;
}

static int has_empty_part(const size_t *first, size_t parts)
{
    for (size_t p = 0; p < parts; p++)
        if (first[p] == first[p + 1])
            return 1;
    return 0;
}

static int smoothing_steps(const struct building *b)
{
    const int steps = b->plan->options.smoothing_steps;

    return steps > 0 ? steps : b->plan->mesh.d == 2 ? 8 : 16;
}

/* Sweeps between two exchanges: as many as a smoothing has, or fewer where what is done twice were more than a
 * sixteenth of a part. A step of SPAI is two. */
static starfish_status choose_ahead(struct building *b, int l)
{
    const double most_extra = 1.0 / 16;
    const struct starfish_fem_options *o = &b->plan->options;
    const int sweeps = o->smoother == STARFISH_FEM_JACOBI ? 1 : 2, all = sweeps * smoothing_steps(b);
    double rim;

    if (o->pattern_power > 1)
        return STARFISH_SUCCESS;
    STARFISH_TRY(starfish_fem_partition_rim(&b->space[b->meshes - 1 - l], b->cut.parts, b->first[l], &rim));
    const int can = all * rim <= most_extra ? all : (int)(most_extra / rim) / sweeps * sweeps;
    b->ahead[l] = can < 2 ? 0 : can;
    return STARFISH_SUCCESS;
}

/* By the mesh, where the order of unknowns changes nothing but rounding errors; smoothers that depend on it keep it,
 * and have runs. Every part must have unknowns. */
static starfish_status cut_grids(struct building *b)
{
    const size_t parts = b->deal.parts;
    const int in_order =
        b->plan->options.smoother == STARFISH_FEM_SAINV || b->plan->options.smoother == STARFISH_FEM_FSAI;
    const int mesh = in_order ? 0 : find_dealt_mesh(b), levels = count_cut(b, mesh);
    unsigned char *part = NULL;
    starfish_status status = STARFISH_SUCCESS;

    b->cut = (struct starfish_fem_cut){.parts = parts, .first = b->first_of, .owner = b->deal.owner, .ahead = b->ahead};
    if (levels > 0 && !in_order)
        status = starfish_fem_partition(b->space[mesh].mesh, parts, &part);
    for (int l = 0; l < levels && status == STARFISH_SUCCESS; l++) {
        const int at = b->meshes - 1 - l;
        for (size_t p = 0; p <= parts; p++)
            b->first[l][p] = unknowns_of(b, l) * p / parts;
        if (part)
            status = starfish_fem_partition_order(part, at - mesh, parts, &b->space[at], b->first[l]);
        if (has_empty_part(b->first[l], parts))
            break;
        b->first_of[l] = b->first[l];
        b->cut.levels++;
    }
    for (int l = 0; part && l + 1 < b->cut.levels && status == STARFISH_SUCCESS; l++)
        status = choose_ahead(b, l);
    free(part);
    return status;
}

static int count_owners(const struct starfish_fem_deal *deal)
{
    int owners = 0;

    for (size_t p = 0; p < deal->parts; p++) {
        size_t first = 0;
        while (deal->owner[first].rank != deal->owner[p].rank || deal->owner[first].device != deal->owner[p].device)
            first++;
        owners += first == p;
    }
    return owners;
}

/* Before matrices are made. */
static starfish_status cut(struct building *b)
{
    struct starfish_fem_plan *plan = b->plan;

    STARFISH_TRY(choose_parts(b));
    STARFISH_TRY(starfish_ranks_agree(plan->plan.context, cut_grids(b)));
    plan->is_dealt = b->cut.levels > 0 && starfish_context_ranks(plan->plan.context) > 1;
    plan->own[1] = plan->space.unknowns;
    STARFISH_TRY(starfish_ranks_agree(plan->plan.context,
                                      starfish_fem_floating_label(&plan->floating, &b->space[b->meshes - 1])));
    if (plan->is_dealt)
        starfish_fem_cut_of_rank(&b->cut, 0, starfish_context_rank(plan->plan.context), plan->own);
    plan->plan.about.owners = b->cut.levels > 0 ? count_owners(&b->deal) : 1;
    return STARFISH_SUCCESS;
}

static starfish_status complete(struct building *b)
{
    static const struct starfish_multigrid_hooks hooks = {.prepare = NULL};
    const struct starfish_fem_options *o = &b->plan->options;
    const int steps = smoothing_steps(b);
    const int has_gpu = starfish_context_workers_of(b->plan->plan.context, STARFISH_GPU) > 0;
    const int automatic = o->format == STARFISH_SPARSE_AUTO;
    const starfish_sparse_format format = automatic ? STARFISH_SPARSE_SELL : o->format;
    struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
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
    options.mixed = o->mixed;
    options.cycle = o->cycle;
    options.before = options.after = steps;
    options.smoother = STARFISH_SMOOTHER_JACOBI;
    options.inner_cycles = 1;
    options.krylov = o->krylov;
    STARFISH_TRY(starfish_multigrid_engine_begin(b->plan->plan.context, &options, &hooks, &b->plan->multigrid));
    return starfish_fem_grids_complete(b->plan->multigrid, &grids);
}

/* Meshes so coarse that all their nodes are given are no grids. */
static starfish_status make_spaces(struct building *b)
{
    STARFISH_TRY(make_meshes(b));
    keep_finest(b);
    while (b->levels < b->meshes && b->space[b->meshes - 1 - b->levels].unknowns > 0)
        b->levels++;
    b->plan->plan.about.levels = b->meshes;
    return make_load(b);
}

/* From the coarsest grid up, so that spectral radii are known from small ones. */
static starfish_status make_grids(struct building *b)
{
    for (int l = b->levels - 1; l >= 0; l--)
        STARFISH_TRY(make_grid(b, l));
    return STARFISH_SUCCESS;
}

/* Each step may fail on one rank alone. */
static starfish_status build(struct building *b)
{
    const struct starfish_context *context = b->plan->plan.context;

    STARFISH_TRY(starfish_ranks_agree(context, make_spaces(b)));
    if (b->levels == 0)
        return STARFISH_SUCCESS;
    STARFISH_TRY(cut(b));
    STARFISH_TRY(starfish_ranks_agree(context, make_grids(b)));
    STARFISH_TRY(finish_load(b));
    return complete(b);
}

starfish_status starfish_fem_build(struct starfish_fem_plan *plan, const struct starfish_fem_problem *problem)
{
    struct building *b = calloc(1, sizeof *b);

    STARFISH_FAIL_IF(!b, STARFISH_ERROR_MEMORY, "out of memory for a hierarchy");
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
    return status;
}

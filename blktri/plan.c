/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Block cyclic reduction: the analysis of the last direction, the cut into tiles, the workers of modes and levels. */
#include "blktri/plan.h"

#include "base/options.h"
#include "base/real.h"
#include "base/sizes.h"
#include "blktri/share.h"
#include "codelets/cyclic_reduction.h"

#include <math.h>
#include <string.h>

/* ---- Slabs times blocks of modes --------------------------------------------------------------------------------- */

enum { ELEMENTS_PER_TASK = 32768, /* a task should be worth 100 us */ PIECES_AT_MOST = 16 };

static size_t clamp(size_t value, size_t low, size_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* Each core should have a few pieces. A GPU wants few, large ones: enough slabs for copies to overlap with work, few
 * blocks of modes. Shared work is cut for the GPU's sake, cores take what they can. */
static void choose_tiles(const size_t workers[STARFISH_WORKER_KINDS], const size_t n[3], size_t *slabs, size_t *blocks)
{
    const size_t cpus = workers[STARFISH_CPU], gpus = workers[STARFISH_GPU];
    const double elements = (double)n[0] * (double)n[1] * (double)n[2];
    /* There are as many tiles as pieces squared. */
    const size_t affordable = (size_t)fmin(fmax(sqrt(elements / ELEMENTS_PER_TASK), 1), PIECES_AT_MOST);
    *slabs = *blocks = 2 * cpus;
    if (gpus > 0) {
        *slabs = cpus > 0 ? 8 * gpus : 4 * gpus;
        *blocks = cpus > 0 ? 4 * gpus : gpus;
    }
    *slabs = clamp(*slabs, 1, affordable);
    *blocks = clamp(*blocks, 1, affordable);
}

starfish_status starfish_blktri_choose_cut(const size_t workers[STARFISH_WORKER_KINDS], const size_t n[3], int complex,
                                           size_t slabs, size_t blocks, struct starfish_runs *cut,
                                           struct starfish_runs *modes)
{
    const size_t most_slabs = starfish_smaller(n[2], STARFISH_MAX_TILED_SLABS);
    /* The parts of a complex number stay together. */
    const size_t most_blocks = complex ? 1 : starfish_smaller(n[0], STARFISH_MAX_MODE_BLOCKS);
    size_t good_slabs, good_blocks;
    STARFISH_REFUSE_ABOVE(most_slabs, "slabs", slabs);
    STARFISH_REFUSE_ABOVE(most_blocks, "mode_blocks", blocks);
    choose_tiles(workers, n, &good_slabs, &good_blocks);
    STARFISH_TRY(starfish_runs_equally(modes, n[0], blocks > 0 ? blocks : clamp(good_blocks, 1, most_blocks)));
    STARFISH_TRY(starfish_runs_equally(cut, n[2], slabs > 0 ? slabs : clamp(good_slabs, 1, most_slabs)));
    if (workers[STARFISH_CPU] == 0 && workers[STARFISH_GPU] > 1 && modes->parts > 1) {
        starfish_runs_deal(cut, 0, workers[STARFISH_GPU]);
        starfish_runs_deal(modes, 0, workers[STARFISH_GPU]);
    }
    return STARFISH_SUCCESS;
}

/* ---- The plan ---------------------------------------------------------------------------------------------------- */

int starfish_blktri_fractions_suit(const struct starfish_direction *z)
{
    return starfish_fractions_suit(z->lower, z->upper, z->n, z->periodic);
}

/* A step was seen to gain two to three digits, and spreads of 1e9 to 1e19 to leave from two to seven. */
int starfish_blktri_refinements(const struct starfish_direction *z)
{
    enum { LEAST = 4, MOST = 6 };
    const double digits = starfish_fractions_spread(z->lower, z->upper, z->n, z->periodic) / log(10);
    return starfish_blktri_fractions_suit(z) ? 0 : isfinite(digits) ? (int)fmin(MOST, fmax(LEAST, digits / 4)) : LEAST;
}

/* The algorithms that chains of tridiagonal systems have, by public name. */
static const enum starfish_tridiag_method chain_methods[STARFISH_ALGORITHMS] = {
    [STARFISH_ALGORITHM_AUTO] = STARFISH_TRIDIAG_AUTO,     [STARFISH_ALGORITHM_THOMAS] = STARFISH_TRIDIAG_THOMAS,
    [STARFISH_ALGORITHM_CR] = STARFISH_TRIDIAG_CR,         [STARFISH_ALGORITHM_PCR] = STARFISH_TRIDIAG_PCR,
    [STARFISH_ALGORITHM_CR_PCR] = STARFISH_TRIDIAG_CR_PCR,
};

static struct starfish_spectral_problem spectral_problem(const struct starfish_blktri_problem *p,
                                                         const struct starfish_blktri_options *o)
{
    return (struct starfish_spectral_problem){.precision = p->precision,
                                              .numbers = p->numbers,
                                              .direction = p->direction,
                                              .lambda = p->lambda,
                                              .singular = p->singular,
                                              .cut = &o->cut,
                                              .modes = &o->modes,
                                              .where = o->where,
                                              .subtrees = o->subtrees && !p->singular && !p->direction[2].weight_x,
                                              .chain_method = chain_methods[o->algorithm],
                                              .split = o->split};
}

starfish_status starfish_blktri_device_bytes(struct starfish_context *context,
                                             const struct starfish_blktri_problem *problem,
                                             const struct starfish_blktri_options *options, size_t *bytes)
{
    const int fractions = options->form == STARFISH_BLKTRI_FRACTIONS;
    const struct starfish_direction *z = starfish_blktri_reduced(problem->direction);
    const struct starfish_spectral_problem spectral = spectral_problem(problem, options);
    struct starfish_reduction *rows;
    STARFISH_TRY(
        starfish_reduction_dissect(&rows, z->lower, z->upper, z->n, z->periodic, fractions ? options->radix : 2));
    const starfish_status status = starfish_spectral_device_bytes(
        context, &spectral, rows, fractions ? STARFISH_FRACTION_FORM : STARFISH_PRODUCT_FORM, bytes);
    starfish_reduction_destroy(rows);
    return status;
}

static starfish_status check_algorithm(const struct starfish_context *context, const struct starfish_blktri_problem *p,
                                       const struct starfish_blktri_options *o)
{
    const struct starfish_direction *y = &p->direction[starfish_spectral_line_axis(p->direction)];
    const size_t longest = starfish_tridiag_chain_longest_cuda(
        y->periodic, starfish_tridiag_element_size(p->numbers, starfish_real_size(p->precision)));
    STARFISH_FAIL_IF(
        context->workers_of[STARFISH_GPU] > 0 && o->algorithm > STARFISH_ALGORITHM_THOMAS && y->n > longest,
        STARFISH_ERROR_UNSUPPORTED, "options.algorithm: lines of %zu unknowns do not fit a GPU's shared memory, %zu do",
        y->n, longest);
    return STARFISH_SUCCESS;
}

/* Slabs are the GPUs' where modes are shared: cores would have to wait for their link. */
static starfish_status cut_by_share(const size_t workers[STARFISH_WORKER_KINDS],
                                    const struct starfish_spectral_problem *p,
                                    const struct starfish_blktri_share *share, struct starfish_runs *cut,
                                    struct starfish_runs *modes)
{
    const size_t n[3] = {p->direction[0].n, p->direction[1].n, p->direction[2].n}, cores = share->modes_of_cores;
    const size_t alone[STARFISH_WORKER_KINDS] = {
        [STARFISH_CPU] = cores == 0 && share->where != STARFISH_ON_GPUS ? workers[STARFISH_CPU] : 0,
        [STARFISH_GPU] = share->where != STARFISH_ON_CORES ? workers[STARFISH_GPU] : 0};
    STARFISH_TRY(starfish_blktri_choose_cut(alone, n, p->numbers != STARFISH_TRIDIAG_REAL, 0, 0, cut, modes));
    if (cores == 0)
        return STARFISH_SUCCESS;
    modes->parts = 0;
    const size_t gpus = starfish_smaller(workers[STARFISH_GPU], n[0] - cores);
    STARFISH_TRY(starfish_runs_add(modes, gpus, n[0] - cores, (struct starfish_owner){0, STARFISH_GPUS}));
    starfish_runs_deal(cut, 0, workers[STARFISH_GPU]);
    starfish_runs_deal(modes, 0, gpus);
    return starfish_runs_add(modes, starfish_smaller(workers[STARFISH_CPU], cores), cores,
                             (struct starfish_owner){0, STARFISH_CORES});
}

/* The same number of slabs, as many for each subtree. */
static void align(const struct starfish_reduction *rows, struct starfish_runs *cut)
{
    size_t first[STARFISH_SUBTREES + 1];
    const size_t each = cut->parts / STARFISH_SUBTREES;
    if (each * STARFISH_SUBTREES != cut->parts || starfish_reduction_subtrees(rows, first) == 0)
        return;
    for (size_t slab = 0; slab < cut->parts; slab++) {
        const size_t t = slab / each;
        cut->first[slab] = first[t] + starfish_divided(first[t + 1] - first[t], each, slab % each);
    }
}

static starfish_status create_spectral(struct starfish_blktri_plan *plan, struct starfish_context *context,
                                       const struct starfish_spectral_problem *problem,
                                       const struct starfish_blktri_options *o)
{
    const struct starfish_reduction *rows = problem->fractions ? problem->fractions->rows : problem->product;
    struct starfish_spectral_problem own = *problem;
    struct starfish_blktri_share shared = {.where = problem->where, .split = problem->split};
    struct starfish_runs cut = {.parts = 0}, modes = {.parts = 0};
    starfish_status status = STARFISH_SUCCESS;
    if (o->share) {
        status = starfish_blktri_choose_share(context, problem, &shared);
        STARFISH_THEN(status, cut_by_share(context->workers_of, problem, &shared, &cut, &modes));
    } else {
        status = starfish_runs_copy(&cut, problem->cut);
        STARFISH_THEN(status, starfish_runs_copy(&modes, problem->modes));
    }
    if (status == STARFISH_SUCCESS) {
        own.cut = &cut;
        own.modes = &modes;
        own.split = shared.split;
        own.where = plan->where = shared.where;
        own.subtrees = problem->subtrees && own.split < 0 && own.where != STARFISH_ON_CORES;
        if (own.subtrees && rows)
            align(rows, &cut);
        status = starfish_spectral_create(&plan->spectral, context, &own);
    }
    starfish_runs_free(&cut);
    starfish_runs_free(&modes);
    return status;
}

starfish_status starfish_blktri_plan_create(struct starfish_blktri_plan *plan, struct starfish_context *context,
                                            const struct starfish_blktri_problem *p,
                                            const struct starfish_blktri_options *o)
{
    const struct starfish_direction *z = starfish_blktri_reduced(p->direction);
    struct starfish_spectral_problem problem = spectral_problem(p, o);
    struct starfish_reduction *product = NULL;
    struct starfish_fractions *fractions = NULL;
    memset(plan, 0, sizeof *plan);
    STARFISH_TRY(check_algorithm(context, p, o));
    if (o->form == STARFISH_BLKTRI_FRACTIONS)
        STARFISH_TRY(starfish_fractions_create(&fractions, z->lower, z->diag, z->upper, z->n, z->periodic, p->singular,
                                               o->radix));
    else
        STARFISH_TRY(starfish_reduction_create(&product, z->lower, z->diag, z->upper, z->n, z->periodic, p->singular));
    problem.product = product;
    problem.fractions = fractions;
    const starfish_status status = create_spectral(plan, context, &problem, o);
    starfish_reduction_destroy(product);
    starfish_fractions_destroy(fractions);
    if (status != STARFISH_SUCCESS)
        plan->spectral.context = NULL; /* nothing is left to destroy */
    return status;
}

void starfish_blktri_plan_destroy(struct starfish_blktri_plan *plan)
{
    if (plan->spectral.context)
        starfish_spectral_destroy(&plan->spectral);
    plan->spectral.context = NULL;
}

/* ---- Solving ----------------------------------------------------------------------------------------------------- */

static struct starfish_step_info step_of(const struct starfish_progress *progress, int step)
{
    const struct starfish_tasks_done *done = progress->step[step].done;
    return (struct starfish_step_info){.seconds = starfish_interval_seconds(progress->step[step].span),
                                       .busy_seconds =
                                           done[STARFISH_CPU].busy_seconds + done[STARFISH_GPU].busy_seconds,
                                       .tasks = {done[STARFISH_CPU].tasks, done[STARFISH_GPU].tasks}};
}

void starfish_blktri_fill_levels(const struct starfish_blktri_plan *plan, const struct starfish_progress *progress,
                                 struct starfish_poisson_phases *phases)
{
    _Static_assert((int)STARFISH_MAX_LEVELS <= (int)STARFISH_MAX_REDUCTION_LEVELS &&
                       2 * (int)STARFISH_MAX_LEVELS <= (int)STARFISH_PROGRESS_STEPS,
                   "every level has a place");
    phases->levels = plan->spectral.levels;
    for (size_t l = 0; l < phases->levels; l++) {
        phases->level[l].separators = plan->spectral.level[l].rows;
        phases->level[l].reduction = step_of(progress, starfish_reduction_step(l, 0));
        phases->level[l].substitution = step_of(progress, starfish_reduction_step(l, 1));
    }
}

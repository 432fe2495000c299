/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fallback of `auto` if no other method applies: elimination of the whole matrix with partial pivoting, in f64 on one
 * core. For small problems; directions need neither symmetry nor sign conditions. The direction with most rows varies
 * slowest; if it is periodic, in the order 0, n - 1, 1, n - 2, ..., so that entries stay within a band. */
#include "poisson/methods.h"

#include "codelets/band.h"

#include <stdlib.h>

enum { STEPS = 3 }; /* of refinement: what rounding errors are left is tested */
#define MOST_BYTES 1e9
#define MOST_WORK 1e10 /* n width^2, a quarter of the operations */

struct state {
    struct starfish_band band;
    struct starfish_runs cut;
};

/* ---- Shape ------------------------------------------------------------------------------------------------------- */

static int slowest_of(const struct starfish_poisson_plan *plan)
{
    int slowest = 2;
    for (int d = 1; d >= 0; d--)
        slowest = plan->n[d] > plan->n[slowest] ? d : slowest;
    return slowest;
}

static size_t unknowns_of(const struct starfish_poisson_plan *plan)
{
    return plan->n[0] * plan->n[1] * plan->n[2];
}

static size_t width_of(const struct starfish_poisson_plan *plan)
{
    const int slowest = slowest_of(plan);
    const size_t all = unknowns_of(plan), block = all / plan->n[slowest];
    const size_t width = plan->direction[slowest].periodic ? 2 * block : block;
    return width < all ? width : all - 1;
}

static starfish_status can(const struct starfish_poisson_plan *plan)
{
    const size_t n = unknowns_of(plan), width = width_of(plan);
    if (starfish_poisson_is_complex(plan) || plan->base.context->workers_of[STARFISH_CPU] == 0)
        return starfish_fail(STARFISH_ERROR_UNSUPPORTED, "elimination is for real numbers, on cores");
    if (starfish_band_bytes(n, width) > MOST_BYTES || (double)n * (double)width * (double)width > MOST_WORK)
        return starfish_fail(STARFISH_ERROR_UNSUPPORTED, "elimination of %zu unknowns in a band of %zu takes too long",
                             n, width);
    return STARFISH_SUCCESS;
}

/* ---- The matrix -------------------------------------------------------------------------------------------------- */

static size_t index_of(const size_t n[3], const size_t at[3])
{
    return (at[2] * n[1] + at[1]) * n[0] + at[0];
}

static size_t place_of(const struct starfish_poisson_plan *plan, const size_t at[3])
{
    const int slowest = slowest_of(plan);
    const size_t k = at[slowest], n = plan->n[slowest];
    const size_t layer = !plan->direction[slowest].periodic ? k : 2 * k < n ? 2 * k : 2 * (n - 1 - k) + 1;
    size_t place = layer;
    for (int d = 2; d >= 0; d--)
        place = d == slowest ? place : place * plan->n[d] + at[d];
    return place;
}

/* Couplings to both sides; beyond the ends of a direction that is not periodic they are zero. */
static void add_direction(struct starfish_band *band, const struct starfish_poisson_plan *plan, const size_t at[3],
                          int d)
{
    const struct starfish_direction *direction = &plan->direction[d];
    const size_t row = index_of(plan->n, at), k = at[d], n = direction->n;
    size_t before[3] = {at[0], at[1], at[2]}, after[3] = {at[0], at[1], at[2]};
    before[d] = k > 0 ? k - 1 : n - 1;
    after[d] = k + 1 < n ? k + 1 : 0;
    starfish_band_add(band, row, row, direction->diag[k]);
    if (direction->lower[k] != 0)
        starfish_band_add(band, row, index_of(plan->n, before), direction->lower[k]);
    if (direction->upper[k] != 0)
        starfish_band_add(band, row, index_of(plan->n, after), direction->upper[k]);
}

typedef void visit(struct starfish_band *band, const struct starfish_poisson_plan *plan, const size_t at[3]);

static void fill_place(struct starfish_band *band, const struct starfish_poisson_plan *plan, const size_t at[3])
{
    const size_t i = index_of(plan->n, at);
    band->place[i] = place_of(plan, at);
    if (!band->weight)
        return;
    band->weight[i] = 1;
    for (int d = 0; d < 3; d++)
        band->weight[i] *= plan->direction[d].weight[at[d]];
}

static void fill_row(struct starfish_band *band, const struct starfish_poisson_plan *plan, const size_t at[3])
{
    const size_t row = index_of(plan->n, at);
    starfish_band_add(band, row, row, plan->lambda);
    for (int d = 0; d < 3; d++)
        add_direction(band, plan, at, d);
}

static void for_each(struct starfish_band *band, const struct starfish_poisson_plan *plan, visit *fill)
{
    for (size_t z = 0; z < plan->n[2]; z++)
        for (size_t y = 0; y < plan->n[1]; y++)
            for (size_t x = 0; x < plan->n[0]; x++)
                fill(band, plan, (const size_t[]){x, y, z});
}

/* ---- The row ----------------------------------------------------------------------------------------------------- */

static void destroy(struct starfish_poisson_plan *plan)
{
    struct state *state = plan->state;
    starfish_band_destroy(&state->band);
    starfish_runs_free(&state->cut);
    free(state);
    plan->state = NULL;
}

static starfish_status create(struct starfish_poisson_plan *plan)
{
    struct state *state = plan->state = calloc(1, sizeof *state);
    STARFISH_FAIL_IF(!state, STARFISH_ERROR_MEMORY, "out of memory for a plan");
    starfish_status status = starfish_band_create(&state->band, unknowns_of(plan), width_of(plan), plan->singular);
    STARFISH_THEN(status, starfish_runs_equally(&state->cut, plan->n[2], 1));
    if (status == STARFISH_SUCCESS) {
        state->band.precision = plan->options.precision;
        for_each(&state->band, plan, fill_place);
        for_each(&state->band, plan, fill_row);
        status = starfish_band_factorise(&state->band);
    }
    if (status != STARFISH_SUCCESS)
        destroy(plan);
    plan->only_cut = &state->cut;
    plan->only_graph = &state->band;
    plan->losses.steps = STEPS;
    plan->where = STARFISH_ON_CORES;
    return status;
}

static starfish_status submit(void *graph, struct starfish_progress *progress, const struct starfish_direct_data *data)
{
    return starfish_submit_band(progress, STARFISH_PHASE_MODES, graph, data->rhs[0], data->solution->piece[0],
                                data->removed);
}

static starfish_status memory_of(const struct starfish_poisson_plan *plan, struct starfish_memory *memory)
{
    memory->main_bytes = (size_t)starfish_band_bytes(unknowns_of(plan), width_of(plan));
    return STARFISH_SUCCESS;
}

const struct starfish_method_row starfish_elimination_method = {
    .id = STARFISH_METHOD_ELIMINATION,
    .summary = "elimination of the whole matrix with partial pivoting",
    .direct = 1,
    .can = can,
    .create = create,
    .destroy = destroy,
    .memory = memory_of,
    .submit = submit,
};

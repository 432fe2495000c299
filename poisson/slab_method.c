/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The method slab: transforms in x and y, or a change of basis in y, then tridiagonal systems in z that are cut at the
 * slabs' boundaries (docs/algorithms.md). */
#include "poisson/slab.h"

#include "poisson/estimate.h"
#include "scheduler/runtime/ranks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BASIS_AT_MOST = 2048 };
#define SCALING_AT_MOST 1e6
#define PINNED_AT_MOST 3e2 /* by which errors of the mean grow (635: 1,000 units, which no refinement brings back), */
#define PINNED_MORE 1e2    /* and from which on other methods are better, by far, */
#define PINNED_SECONDS 1e8 /* but not where they lose more than that (blktri_method.c) */

/* ---- What it can, and its cost ----------------------------------------------------------------------------------- */

/* Of rows k and k + 1, in the symmetric form. */
static double coupling_above(const struct starfish_direction *z, size_t k)
{
    return fmax(fabs(z->weight[k] * z->upper[k]), fabs(z->weight[k + 1] * z->lower[k + 1]));
}

/* In a singular problem the line of constants is solved with the last equation left out (constant_line.h), which so
 * takes up the mean of all others. How much larger that makes what is summed up along the line, which rounding errors
 * are of: fluxes of a constant right-hand side through the faces between rows, which all go out at the last row, over
 * those of one without a mean, each divided by the face's coupling. About 2 on smooth grids. */
static double pinned_loss(const struct starfish_poisson_plan *plan)
{
    const struct starfish_direction *z = &plan->direction[2];
    double below = 0, above = 0, pinned = 0, least = 0, all = 0;
    for (size_t k = 0; k < z->n; k++)
        all += fabs(z->weight[k]);
    for (size_t k = 0; k + 1 < z->n; k++) {
        const double coupling = coupling_above(z, k);
        below += fabs(z->weight[k]);
        pinned += coupling > 0 ? below / coupling : 0;
        least += coupling > 0 && below <= all / 2 ? below / coupling : 0;
    }
    for (size_t k = z->n; k-- > 1;) {
        const double coupling = coupling_above(z, k - 1);
        above += fabs(z->weight[k]);
        least += coupling > 0 && above < all / 2 ? above / coupling : 0;
    }
    return plan->singular && least > 0 ? pinned / least : 1;
}

static starfish_status check_pinned(const struct starfish_poisson_plan *plan)
{
    const double loss = pinned_loss(plan);
    return STARFISH_OR_FAIL(
        loss <= PINNED_AT_MOST, STARFISH_ERROR_UNSUPPORTED,
        "method slab would lose digits of the mean: rounding errors grow by %.2g, since the last row "
        "of %s has little weight or weak couplings",
        loss, plan->name[2]);
}

/* Of complex problems it does those with a real second direction and without a constant mode. */
static starfish_status can(const struct starfish_poisson_plan *plan)
{
    const struct starfish_direction *y = &plan->direction[1];
    STARFISH_TRY(starfish_poisson_check_transform_x(plan));
    STARFISH_FAIL_IF(y->imaginary, STARFISH_ERROR_UNSUPPORTED,
                     "%s is complex: it has no basis of eigenvectors, which method slab needs", plan->name[1]);
    if (starfish_poisson_is_complex(plan) && plan->singular)
        return starfish_fail(STARFISH_ERROR_UNSUPPORTED, "method slab cannot do a singular problem in complex numbers");
    STARFISH_TRY(check_pinned(plan));
    return y->has_transform ? STARFISH_SUCCESS
                            : starfish_check_symmetrizable(plan->name[1], y->lower, y->upper, y->n, y->periodic);
}

static double cost(const struct starfish_poisson_plan *plan, char *why, size_t size)
{
    const int has_gpu = plan->base.context->workers_of[STARFISH_GPU] > 0, complex = starfish_poisson_is_complex(plan);
    if (pinned_loss(plan) > PINNED_MORE) {
        snprintf(why, size, "the last row of %s has little weight or weak couplings, which the mean loses digits by",
                 plan->name[2]);
        return PINNED_SECONDS;
    }
    if (plan->in_plane) {
        snprintf(why, size, "two dimensions: %s is transformed", plan->name[0]);
        return 0;
    }
    if (plan->direction[1].has_transform) {
        snprintf(why, size, "%s can be transformed: fewest operations", plan->name[1]);
        return 0;
    }
    if (plan->n[1] > BASIS_AT_MOST) {
        snprintf(why, size, "%s has %zu unknowns: a basis of eigenvectors is for %d at most", plan->name[1], plan->n[1],
                 BASIS_AT_MOST);
        return HUGE_VAL;
    }
    if (has_gpu && complex) {
        snprintf(why, size, "complex numbers: matrix products of two columns in %s do not fill a GPU", plan->name[1]);
        return HUGE_VAL;
    }
    if (has_gpu) {
        snprintf(why, size, "%s has a basis of eigenvectors: matrix products", plan->name[1]);
        return 0;
    }
    starfish_poisson_describe_estimate(plan, why, size);
    return starfish_poisson_estimate(plan).basis;
}

/* ---- Its state --------------------------------------------------------------------------------------------------- */

#define SCALING_REFINED 1e3 /* errors of some rows grow by it */

/* A basis of a strongly stretched direction, or of one that scaling makes symmetric, loses digits, which one step of
 * refinement brings back. Lines are eliminated with row sums where their signs allow. */
static void state_losses(struct starfish_poisson_plan *plan, const struct starfish_basis *basis)
{
    plan->losses.diagonals = plan->direction[2].signs == 0 ? STARFISH_MOST_REFINEMENTS : basis->n > 0;
    plan->losses.like_data = plan->direction[2].signs != 0;
    plan->losses.steps =
        basis->n > 0 && (basis->scaling > SCALING_REFINED || starfish_basis_error(basis, 0) >= STARFISH_BASIS_REFINE);
}

/* Scaling makes a basis symmetric, and its squares are what rounding errors of some rows are multiplied with. */
static starfish_status check_basis(const struct starfish_poisson_plan *plan, const struct starfish_basis *basis)
{
    if (plan->options.method == STARFISH_METHOD_AUTO && !plan->last_resort && basis->n > 0 &&
        basis->scaling > SCALING_AT_MOST)
        return starfish_fail(STARFISH_ERROR_NOT_SYMMETRIZABLE, "%s has a basis with a scaling of %.3g", plan->name[1],
                             basis->scaling);
    return STARFISH_SUCCESS;
}

static starfish_status create_space(struct starfish_poisson_plan *plan, struct starfish_slab_state *state)
{
    const struct starfish_basis *basis = &state->space.planes.basis.basis;
    const struct starfish_slab_description description = {.context = plan->base.context,
                                                          .precision = plan->options.precision,
                                                          .direction = plan->direction,
                                                          .lambda = plan->lambda,
                                                          .singular = plan->singular,
                                                          .count = plan->count,
                                                          .max_planes = state->fit.planes};
    const starfish_status status = starfish_slab_space_create(&state->space, &description);
    if (status == STARFISH_ERROR_NOT_SYMMETRIZABLE)
        return starfish_fail(status, "%s: %s", plan->name[1], starfish_error_message());
    STARFISH_TRY(status);
    state_losses(plan, basis);
    return check_basis(plan, basis);
}

static void destroy(struct starfish_poisson_plan *plan)
{
    struct starfish_slab_state *state = plan->state;
    starfish_slab_destroy_graphs(plan);
    starfish_slab_space_destroy(&state->space);
    free(state);
    plan->state = NULL;
}

/* Streams take turns with memory in their own way on each rank: several ranks have none. */
static starfish_status find_fit(const struct starfish_poisson_plan *plan, struct starfish_slab_fit *fit)
{
    STARFISH_TRY(starfish_slab_find_fit(plan, fit));
    if (starfish_context_ranks(plan->base.context) == 1 || fit->fits != STARFISH_SLAB_STREAMED)
        return STARFISH_SUCCESS;
    STARFISH_FAIL_IF(plan->base.context->workers_of[STARFISH_CPU] == 0, STARFISH_ERROR_MEMORY,
                     "the memory of a rank's GPUs does not hold its planes, and there are no cores");
    fit->fits = STARFISH_SLAB_ON_CORES;
    return STARFISH_SUCCESS;
}

static starfish_status create(struct starfish_poisson_plan *plan)
{
    const struct starfish_runs *cut;
    struct starfish_slab_state *state = plan->state = calloc(1, sizeof *state);
    if (!state)
        return starfish_ranks_agree(plan->base.context,
                                    starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a plan"));
    starfish_status status = find_fit(plan, &state->fit);
    STARFISH_THEN(status, create_space(plan, state));
    status = starfish_ranks_agree(plan->base.context, status);
    STARFISH_THEN(status, starfish_slab_cut_for(plan, STARFISH_PINNED, STARFISH_LONE, &cut));
    if (status != STARFISH_SUCCESS)
        destroy(plan);
    return status;
}

/* ---- Solving ----------------------------------------------------------------------------------------------------- */

/* The one task of cores does, which reads the right-hand side once. */
static int moves_boundary(const void *graph)
{
    return ((const struct starfish_slab_graph *)graph)->whole != NULL;
}

const struct starfish_method_row starfish_slab_method = {
    .id = STARFISH_METHOD_SLAB,
    .summary = "transforms or a change of basis in x and y, tridiagonal systems in z cut at slabs' boundaries",
    .direct = 1,
    .many = 1,
    .rows = 1,
    .ranks = 1,
    .can = can,
    .cost = cost,
    .create = create,
    .destroy = destroy,
    .cut = starfish_slab_cut_for,
    .graph_of = starfish_slab_graph_of,
    .stages = starfish_slab_stages,
    .moves_boundary = moves_boundary,
    .submit = starfish_graph_slab,
    .memory = starfish_slab_report_memory,
    .watch = starfish_slab_watch,
};

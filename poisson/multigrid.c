/* The method multigrid: directions become lines of couplings, whose products with the volumes of unknowns are a
 * seven-point problem.
 *
 * Rows lower, diag, upper of a direction, times weights w that make them symmetric, are couplings w lower between
 * successive unknowns and what the rows sum to on the diagonal, which in a definite problem has the sign of the
 * diagonal. Equations are multiplied by the product of all three weights, and by -1 where off-diagonal entries are
 * positive. */
#include "scheduler/space.h"
#include "poisson/plan.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* A direction's coupling (n + 1), extra and weight (n each). */
struct line {
    double *coupling, *extra, *weight;
};

/* ---- Lines ------------------------------------------------------------------------------------------------------- */

/* Do the couplings of a face from its two sides agree? */
static int agree(double a, double b)
{
    return fabs(a - b) <= 1e-10 * (fabs(a) + fabs(b));
}

static starfish_status refuse(const char *name, size_t row, const char *why)
{
    return starfish_fail(STARFISH_ERROR_UNSUPPORTED, "method multigrid cannot do %s: row %zu %s", name, row, why);
}

/* sign: -1 where off-diagonal entries are positive, so that couplings are. */
static starfish_status fill_coupling(const struct starfish_direction *d, const char *name, double sign,
                                     struct line *line)
{
    for (size_t k = 0; k < d->n; k++) {
        const size_t before = k > 0 ? k - 1 : d->n - 1;
        if (k == 0 && (!d->periodic || d->n == 1))
            continue;
        line->coupling[k] = -sign * d->weight[k] * d->lower[k];
        if (!agree(line->coupling[k], -sign * d->weight[before] * d->upper[before]))
            return refuse(name, k, "is coupled to the one before in another way than that to it");
        if (line->coupling[k] < 0)
            return refuse(name, k, "has an off-diagonal entry of another sign");
    }
    line->coupling[d->n] = line->coupling[0];
    return STARFISH_SUCCESS;
}

static starfish_status fill_extra(const struct starfish_direction *d, const char *name, double sign, struct line *line)
{
    for (size_t k = 0; k < d->n; k++) {
        const double sum = d->lower[k] + d->diag[k] + d->upper[k];
        const double all = fabs(d->lower[k]) + fabs(d->diag[k]) + fabs(d->upper[k]);
        line->weight[k] = d->weight[k];
        line->extra[k] = fabs(sum) > 4 * DBL_EPSILON * all ? sign * d->weight[k] * sum : 0;
        if (line->extra[k] < 0)
            return refuse(name, k, "makes the operator indefinite");
    }
    return STARFISH_SUCCESS;
}

static starfish_status make_line(const struct starfish_direction *d, const char *name, double sign, struct line *line)
{
    line->coupling = calloc(d->n + 1, sizeof(double));
    line->extra = calloc(d->n, sizeof(double));
    line->weight = calloc(d->n, sizeof(double));
    if (!line->coupling || !line->extra || !line->weight)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for %s of %zu unknowns", name, d->n);
    STARFISH_TRY(fill_coupling(d, name, sign, line));
    return fill_extra(d, name, sign, line);
}

/* -1 where the first off-diagonal entry is positive, as in the Laplacian. */
static double sign_of(const struct starfish_poisson_plan *plan)
{
    for (int d = 0; d < 3; d++)
        for (size_t k = 0; k + 1 < plan->n[d]; k++)
            if (plan->direction[d].upper[k] != 0)
                return plan->direction[d].upper[k] > 0 ? -1 : 1;
    return plan->direction[2].diag[0] > 0 ? 1 : -1;
}

/* ---- The plan ---------------------------------------------------------------------------------------------------- */

static double tolerance_of(const struct starfish_poisson_plan *plan)
{
    const int single = plan->options.precision == STARFISH_F32;
    double n = 1;

    if (plan->options.tolerance > 0)
        return plan->options.tolerance;
    for (int d = 0; d < 3; d++)
        n = fmax(n, (double)plan->n[d]);
    return fmax(single ? 1e-6 : 1e-10, n * n * (single ? (double)FLT_EPSILON : DBL_EPSILON));
}

/* A first direction of one unknown goes last: memory is the same, and rows are long. */
static void describe(const struct starfish_poisson_plan *plan, const struct line line[3],
                     struct starfish_stencil_problem *problem)
{
    const int shift = plan->n[0] == 1;

    for (int d = 0; d < 3; d++) {
        const int from = (d + shift) % 3;
        const starfish_end end = plan->direction[from].periodic ? STARFISH_PERIODIC : STARFISH_NEUMANN;
        problem->n[d] = plan->n[from];
        problem->ends[d][0] = problem->ends[d][1] = end;
        problem->line[d] = (struct starfish_stencil_line){line[from].coupling, line[from].extra, line[from].weight};
    }
}

static starfish_status create(struct starfish_poisson_plan *plan, const char *const names[3], double lambda,
                              struct line line[3])
{
    struct starfish_multigrid_options options = STARFISH_MULTIGRID_OPTIONS_DEFAULTS;
    const double sign = sign_of(plan);
    struct starfish_stencil_problem problem = {.reaction = sign * lambda, .rhs_factor = sign};

    if (problem.reaction < 0)
        return starfish_fail(STARFISH_ERROR_UNSUPPORTED,
                             "method multigrid cannot do lambda = %g, which may make the operator indefinite", lambda);
    for (int d = 0; d < 3; d++)
        STARFISH_TRY(make_line(&plan->direction[d], names[d], sign, &line[d]));
    describe(plan, line, &problem);
    options.precision = plan->options.precision;
    options.inner = plan->options.mixed ? STARFISH_F32 : plan->options.precision;
    options.inner_cycles = 1;
    options.before = options.after = 1;
    options.conjugate_gradients = 1;
    options.tolerance = tolerance_of(plan);
    options.blocks = plan->options.slabs < STARFISH_SPACE_MOST_PARTS ? plan->options.slabs : STARFISH_SPACE_MOST_PARTS;
    return starfish_stencil_plan_create(plan->context, &problem, &options, &plan->multigrid);
}

starfish_status starfish_poisson_create_multigrid(struct starfish_poisson_plan *plan, const char *const names[3],
                                                  double lambda)
{
    struct line line[3] = {{NULL, NULL, NULL}, {NULL, NULL, NULL}, {NULL, NULL, NULL}};
    size_t blocks;

    if (plan->numbers == STARFISH_TRIDIAG_COMPLEX_LINES)
        return starfish_fail(STARFISH_ERROR_UNSUPPORTED, "method multigrid cannot do %s, which is complex", names[1]);
    if (plan->numbers != STARFISH_TRIDIAG_REAL && plan->singular)
        return starfish_fail(STARFISH_ERROR_UNSUPPORTED,
                             "method multigrid cannot do a singular problem in complex numbers");
    STARFISH_TRY(starfish_poisson_choose_cut(plan, STARFISH_PINNED, STARFISH_LONE, &plan->spectral.cut, &blocks));
    const starfish_status status = create(plan, names, lambda, line);
    for (int d = 0; d < 3; d++) {
        free(line[d].coupling);
        free(line[d].extra);
        free(line[d].weight);
    }
    return status;
}

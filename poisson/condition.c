/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Estimates the effect of rounding errors from the directions, before anything is solved, and chooses a plan's steps of
 * refinement from it. If all sums of eigenvalues have one sign, the search for the smallest sum is skipped. */
#include "poisson/condition.h"

#include "base/precision.h"
#include "poisson/accuracy.h"
#include "poisson/methods.h"
#include "poisson/null_space.h"

#include <float.h>
#include <math.h>

/* An iterative method has no need of eigenvalues: only cheap ones are looked at. */
enum { CHEAP_EIGENVALUES = 2048 };

/* ---- Eigenvalues ------------------------------------------------------------------------------------------------- */

static double sum_at(const struct starfish_spectra *s, double lambda, int top)
{
    double sum = lambda;
    for (int d = 0; d < 3; d++)
        sum += s->value[d][top ? s->n[d] - 1 : 0];
    return sum;
}

/* The smallest magnitude of `target` + an ascending array's element. */
static double nearest(const double *ascending, size_t n, double target)
{
    const size_t low = starfish_first_not_below(ascending, n, -target);
    const double above = low < n ? fabs(ascending[low] + target) : HUGE_VAL;
    return low > 0 ? fmin(above, fabs(ascending[low - 1] + target)) : above;
}

/* singular: the mode of the largest eigenvalues, which sum to zero, does not count. */
static double smallest_sum(const struct starfish_spectra *s, double lambda, int singular)
{
    const double top = sum_at(s, lambda, 1), bottom = sum_at(s, lambda, 0);
    double smallest = HUGE_VAL;
    if (!singular && (top < 0 || bottom > 0))
        return fmin(fabs(top), fabs(bottom));
    if (singular) {
        for (int d = 0; d < 3; d++)
            if (s->n[d] > 1)
                smallest = fmin(smallest, s->value[d][s->n[d] - 1] - s->value[d][s->n[d] - 2]);
        return smallest;
    }
    for (size_t i = 0; i < s->n[0]; i++)
        for (size_t j = 0; j < s->n[1]; j++)
            smallest = fmin(smallest, nearest(s->value[2], s->n[2], s->value[0][i] + s->value[1][j] + lambda));
    return smallest;
}

/* A direction's eigenvalue next to zero, of those that are not zero, in magnitude. */
static double lowest(const double *values, size_t n)
{
    const double zero = 1e-12 * fmax(fabs(values[0]), fabs(values[n - 1]));
    double low = 0;
    for (size_t k = 0; k < n; k++)
        if (fabs(values[k]) > zero && (low == 0 || fabs(values[k]) < low))
            low = fabs(values[k]);
    return low;
}

static double lowest_of_any(const struct starfish_spectra *s)
{
    double most = 0;
    for (int d = 0; d < 3; d++)
        most = fmax(most, lowest(s->value[d], s->n[d]));
    return most;
}

static void take_eigenvalues(const struct starfish_poisson_plan *plan, const struct starfish_spectra *s,
                             struct starfish_condition *condition)
{
    double magnitude = fabs(plan->lambda);
    for (int d = 0; d < 3; d++) /* both parts of a number, which are one mode of x, have equal ones */
        magnitude += fmax(fabs(s->value[d][0]), fabs(s->value[d][s->n[d] - 1]));
    condition->known = 1;
    condition->smallest = fmax(smallest_sum(s, plan->lambda, plan->singular), DBL_EPSILON * magnitude);
    condition->stiffest = lowest_of_any(s);
    condition->indefinite = !plan->singular && sum_at(s, plan->lambda, 1) > 0 && sum_at(s, plan->lambda, 0) < 0;
}

int starfish_poisson_wants_eigenvalues(const struct starfish_poisson_plan *plan)
{
    for (int d = 0; d < 3; d++)
        if (!plan->method->direct && !plan->direction[d].has_transform && plan->n[d] > CHEAP_EIGENVALUES)
            return 0;
    return 1;
}

/* Eigenvalues of the operator are sums of the directions', whose real parts lie on one side of zero or tell nothing. */
static double least_real_part(const struct starfish_spectra *s, double lambda)
{
    double low = lambda, high = lambda;
    for (int d = 0; d < 3; d++) {
        low += s->real[d][0];
        high += s->real[d][1];
    }
    return fmax(0, fmax(low, -high));
}

/* ---- Scaling ----------------------------------------------------------------------------------------------------- */

static double ratio(double least, double most)
{
    return least > 0 && most < HUGE_VAL ? most / least : most > 0 ? HUGE_VAL : 1;
}

/* Rows of zeros are none: what other directions have there counts. */
static void find_scaling(const struct starfish_direction *d, struct starfish_condition *condition)
{
    double least_weight = HUGE_VAL, most_weight = 0, least_row = HUGE_VAL, most_row = 0;
    for (size_t k = 0; k < d->n; k++) {
        const double row = starfish_row_size(d, k);
        least_weight = fmin(least_weight, fabs(d->weight[k]));
        most_weight = fmax(most_weight, fabs(d->weight[k]));
        if (row > 0) {
            least_row = fmin(least_row, row);
            most_row = fmax(most_row, row);
        }
    }
    condition->scaling *= ratio(least_weight, most_weight);
    condition->rows = fmax(condition->rows, ratio(least_row, most_row));
}

void starfish_poisson_find_condition(const struct starfish_poisson_plan *plan, const struct starfish_spectra *spectra,
                                     struct starfish_condition *condition)
{
    *condition = (struct starfish_condition){.scaling = 1, .rows = 1, .largest = fabs(plan->lambda)};
    for (int d = 0; d < 3; d++) {
        if (!plan->direction[d].weight_x) /* of lines that are eliminated, and whose rows x is as large in */
            find_scaling(&plan->direction[d], condition);
        condition->largest += starfish_largest_row(&plan->direction[d]);
        condition->dropped += plan->direction[d].dropped;
    }
    if (spectra->known)
        take_eigenvalues(plan, spectra, condition);
    else if (spectra->looked_for)
        condition->least = least_real_part(spectra, plan->lambda);
}

/* ---- Refinement -------------------------------------------------------------------------------------------------- */

/* Units of rounding times the condition, by precision: from which on a step of refinement is worth its time, and from
 * which on a second one is, which says how many digits there are. Uniform grids come there in f32 with some 1,400
 * unknowns in a direction, and in f64 not at all. */
struct limits {
    double one, two, layer; /* two steps: anywhere, in a layer */
};
static const struct limits limits[] = {[STARFISH_F32] = {0.1, 0.1, 0.02}, [STARFISH_F64] = {1e-3, 0.02, 1e-5}};
#define LAYER 1e3   /* squared ratio of lengths: all modes of a direction are that much above the smallest sum */
#define SCALING 1e6 /* of weights, for any method: one step; and two */
#define HARD_SCALING 1e8
#define DIAGONALS_SCALING 1e3 /* for methods that eliminate with diagonals */
#define PRODUCT_SCALING 1e2   /* of weights or rows, for the product form, which loses digits earlier */
#define UNITS_LEFT 1e3 /* of rounding, that steps of refinement may leave where a method loses more than the data */

static double lost(const struct starfish_poisson_plan *plan)
{
    return starfish_epsilon(plan->options.precision) * plan->condition.largest / plan->condition.smallest;
}

static int is_layer(const struct starfish_poisson_plan *plan)
{
    return plan->condition.known && plan->condition.stiffest > LAYER * plan->condition.smallest;
}

/* A method that loses little more than the rounding of its right-hand side has nothing to gain by a step: right-hand
 * sides whose solution it gets wrong by the ratio of eigenvalues, those of high frequencies alone, lose as much as they
 * are rounded. In f32 the slab method is then right to some units of rounding, whatever the ratio. A step makes the
 * residual small, so there is one where that is asked for. */
static int loses_as_rounding_does(const struct starfish_poisson_plan *plan)
{
    return plan->options.precision == STARFISH_F32 && !plan->options.check_residual && plan->losses.like_data &&
           starfish_is_semidefinite(plan->direction, plan->lambda) && !is_layer(plan);
}

static int for_condition(const struct starfish_poisson_plan *plan)
{
    const struct limits *limit = &limits[plan->options.precision];
    if (!plan->condition.known || loses_as_rounding_does(plan))
        return 0;
    return lost(plan) > (is_layer(plan) ? limit->layer : limit->two) ? 2 : lost(plan) > limit->one;
}

/* Smooth grids of as many rows have no larger ratios of rows to eigenvalues, nor do mildly stretched ones. */
static int is_ordinary(const struct starfish_poisson_plan *plan)
{
    double n = 0;
    for (int d = 0; d < 3; d++)
        n = fmax(n, (double)plan->n[d]);
    return plan->condition.largest <= starfish_ordinary_rows(n) * plan->condition.smallest;
}

/* Steps until an elimination with diagonals leaves no more than UNITS_LEFT, where no eigenvalue is below `smallest`. A
 * step was seen to leave up to 26 times the share `lost` of an error, by the product form on a GPU; on cores eight
 * times. */
static int steps_of_diagonals(const struct starfish_poisson_plan *plan, double smallest)
{
    const double unit = starfish_epsilon(plan->options.precision),
                 share = 30 * unit * plan->condition.largest / smallest;
    int steps = 0;
    for (double left = share; left > UNITS_LEFT * unit && steps < plan->losses.diagonals; left *= share)
        steps++;
    return steps;
}

static int for_diagonals(const struct starfish_poisson_plan *plan)
{
    return !plan->condition.known || is_ordinary(plan) ? 0 : steps_of_diagonals(plan, plan->condition.smallest);
}

/* Eliminations without pivoting may lose digits in a layer, and where eigenvalues of both signs meet. */
static int for_signs(const struct starfish_poisson_plan *plan)
{
    const int any_sign = plan->options.precision == STARFISH_F64 && !plan->direction[1].imaginary &&
                         plan->losses.pivots && !starfish_is_semidefinite(plan->direction, plan->lambda);
    return any_sign || (plan->condition.known && plan->condition.indefinite);
}

static int for_scaling(const struct starfish_poisson_plan *plan)
{
    const double scaling = plan->condition.scaling;
    if (scaling > HARD_SCALING)
        return plan->losses.diagonals > 1 ? 3 : 2;
    return scaling > (plan->losses.diagonals ? DIAGONALS_SCALING : SCALING);
}

static int for_chains(const struct starfish_poisson_plan *plan)
{
    const struct starfish_condition *c = &plan->condition;
    return plan->losses.chains && (c->scaling > PRODUCT_SCALING || c->rows > PRODUCT_SCALING);
}

/* Eigenvalues that need not be real. */
static int for_asymmetry(const struct starfish_poisson_plan *plan)
{
    if (plan->condition.known || starfish_poisson_is_complex(plan))
        return 0;
    const int least = plan->losses.diagonals > 1 ? 2 : 1;
    const int steps = plan->condition.least > 0 ? steps_of_diagonals(plan, plan->condition.least) : 0;
    return steps > least ? steps : least;
}

/* Of a basis or chains themselves; residuals of complex lines have no more digits than their solutions. */
int starfish_poisson_refinements_of_tables(const struct starfish_poisson_plan *plan)
{
    return plan->options.precision == STARFISH_F64 && !plan->direction[1].imaginary ? plan->losses.steps : 0;
}

int starfish_poisson_wanted_refinements(const struct starfish_poisson_plan *plan)
{
    static int (*const rule[])(const struct starfish_poisson_plan *) = {
        for_condition, for_diagonals, is_layer,      for_signs,
        for_scaling,   for_chains,    for_asymmetry, starfish_poisson_refinements_of_tables,
    };
    int steps = 0;
    for (size_t r = 0; r < sizeof rule / sizeof rule[0]; r++) {
        const int wanted = rule[r](plan);
        steps = wanted > steps ? wanted : steps;
    }
    return steps;
}

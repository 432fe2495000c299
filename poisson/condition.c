/* How far rounding errors may reach, from what is known of the directions before anything is solved, and the steps of
 * refinement that a plan chooses by it. The search for the smallest sum is skipped where all sums have one sign. */
#include "poisson/condition.h"

#include "poisson/methods.h"

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
    condition->largest = magnitude;
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
        const double row = fabs(d->lower[k]) + fabs(d->diag[k]) + fabs(d->upper[k]);
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
    *condition = (struct starfish_condition){.scaling = 1, .rows = 1};
    for (int d = 0; d < 3; d++)
        find_scaling(&plan->direction[d], condition);
    if (spectra->known)
        take_eigenvalues(plan, spectra, condition);
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
#define PRODUCT_SCALING 1e2 /* of weights or rows, for the product form, which loses digits earlier */

/* In a layer, and where eigenvalues of both signs meet, eliminations without pivoting may lose digits that the problem
 * does not: one step brings them back. */
static int steps_by_condition(const struct starfish_poisson_plan *plan)
{
    const struct starfish_condition *c = &plan->condition;
    const struct limits *limit = &limits[plan->options.precision];
    const double unit = plan->options.precision == STARFISH_F32 ? (double)FLT_EPSILON : DBL_EPSILON;
    const double lost = unit * c->largest / c->smallest;
    const int layer = c->stiffest > LAYER * c->smallest;
    if (lost > (layer ? limit->layer : limit->two))
        return 2;
    return layer || c->indefinite || lost > limit->one;
}

int starfish_poisson_wanted_refinements(const struct starfish_poisson_plan *plan)
{
    const struct starfish_condition *c = &plan->condition;
    const int product = plan->method->id == STARFISH_METHOD_BLKTRI_PRODUCT;
    const int scaled = c->scaling > SCALING || (product && (c->scaling > PRODUCT_SCALING || c->rows > PRODUCT_SCALING));
    if (c->scaling > HARD_SCALING)
        return 2;
    if (!c->known)
        return scaled || !starfish_poisson_is_complex(plan);
    const int steps = steps_by_condition(plan);
    return steps > scaled ? steps : scaled;
}

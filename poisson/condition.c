/* How far rounding errors may reach, from what is known of the directions before anything is solved, and the steps of
 * refinement that a plan chooses by it. Eigenvalues take as long as when singular modes are searched for; the search
 * for the smallest sum is skipped where all sums have one sign. */
#include "poisson/condition.h"

#include "poisson/methods.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* An iterative method has no need of eigenvalues: only cheap ones are looked at. */
enum { CHEAP_EIGENVALUES = 2048 };

/* ---- Eigenvalues ------------------------------------------------------------------------------------------------- */

/* Of the directions, ascending. */
struct spectra {
    const double *values[3];
    size_t n[3];
    double lambda;
};

static double sum_at(const struct spectra *s, int top)
{
    double sum = s->lambda;
    for (int d = 0; d < 3; d++)
        sum += s->values[d][top ? s->n[d] - 1 : 0];
    return sum;
}

/* The smallest magnitude of `target` + an ascending array's element, the last one not counted where `skip`. */
static double nearest(const double *ascending, size_t n, double target, int skip)
{
    const size_t count = skip ? n - 1 : n;
    size_t low = 0, high = count; /* the first that makes the sum positive */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (ascending[middle] + target < 0)
            low = middle + 1;
        else
            high = middle;
    }
    const double above = low < count ? fabs(ascending[low] + target) : HUGE_VAL;
    return low > 0 ? fmin(above, fabs(ascending[low - 1] + target)) : above;
}

/* singular: the mode of the largest eigenvalues, which sum to zero, does not count. */
static double smallest_sum(const struct spectra *s, int singular)
{
    const double top = sum_at(s, 1), bottom = sum_at(s, 0);
    double smallest = HUGE_VAL;
    if (!singular && (top < 0 || bottom > 0))
        return fmin(fabs(top), fabs(bottom));
    if (singular) {
        for (int d = 0; d < 3; d++)
            if (s->n[d] > 1)
                smallest = fmin(smallest, s->values[d][s->n[d] - 1] - s->values[d][s->n[d] - 2]);
        return smallest;
    }
    for (size_t i = 0; i < s->n[0]; i++)
        for (size_t j = 0; j < s->n[1]; j++)
            smallest = fmin(smallest, nearest(s->values[2], s->n[2], s->values[0][i] + s->values[1][j] + s->lambda, 0));
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

static double lowest_of_any(const struct spectra *s)
{
    double most = 0;
    for (int d = 0; d < 3; d++)
        most = fmax(most, lowest(s->values[d], s->n[d]));
    return most;
}

static starfish_status find_eigenvalues(const struct starfish_poisson_plan *plan, double *values,
                                        struct starfish_condition *condition)
{
    struct spectra s = {.lambda = plan->lambda};
    double magnitude = fabs(plan->lambda);
    condition->known = 1;
    for (int d = 0; d < 3 && condition->known; values += plan->n[d], d++) {
        s.n[d] = plan->n[d];
        s.values[d] = values;
        double error;
        STARFISH_TRY(starfish_direction_spectrum(&plan->direction[d], values, &error, &condition->known));
        if (condition->known)
            magnitude += fmax(fabs(values[0]), fabs(values[s.n[d] - 1]));
    }
    if (!condition->known)
        return STARFISH_SUCCESS;
    if (starfish_poisson_is_complex(plan))
        s.n[0] = 1; /* both parts of a number are one mode */
    condition->largest = magnitude;
    condition->smallest = fmax(smallest_sum(&s, plan->singular), DBL_EPSILON * magnitude);
    condition->stiffest = lowest_of_any(&s);
    condition->indefinite = !plan->singular && sum_at(&s, 1) > 0 && sum_at(&s, 0) < 0;
    return STARFISH_SUCCESS;
}

static int eigenvalues_are_cheap(const struct starfish_poisson_plan *plan)
{
    for (int d = 0; d < 3; d++)
        if (!plan->direction[d].has_transform && plan->n[d] > CHEAP_EIGENVALUES)
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

starfish_status starfish_poisson_find_condition(const struct starfish_poisson_plan *plan,
                                                struct starfish_condition *condition)
{
    *condition = (struct starfish_condition){.scaling = 1, .rows = 1};
    for (int d = 0; d < 3; d++)
        find_scaling(&plan->direction[d], condition);
    if (!plan->method->direct && !eigenvalues_are_cheap(plan))
        return STARFISH_SUCCESS;
    double *values = malloc((plan->n[0] + plan->n[1] + plan->n[2]) * sizeof *values);
    if (!values)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for eigenvalues");
    const starfish_status status = find_eigenvalues(plan, values, condition);
    free(values);
    return status;
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

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rejects numbers of a problem that the plan's precision cannot represent: they would become infinite, or zero. */
#include "poisson/condition.h"

#include "base/c_locale.h"
#include "base/options.h"
#include "base/precision.h"
#include "poisson/methods.h"

#include <float.h>
#include <math.h>

/* Below the range where it is not zero and would become so. */
static int is_out_of(starfish_precision precision, double value)
{
    const double least = precision == STARFISH_F32 ? (double)FLT_MIN : 0;
    return !(fabs(value) <= starfish_largest_number(precision)) || (value != 0 && fabs(value) < least);
}

/* The lines of an axis by the names of their members. */
enum { LINES = 3 };
static const char *const line_names[LINES] = {"lower", "diag", "upper"};

static const double *line_of(const struct starfish_direction *direction, int line)
{
    return line == 0 ? direction->lower : line == 1 ? direction->diag : direction->upper;
}

static const double *imaginary_line_of(const struct starfish_direction *direction, int line)
{
    return direction->imaginary ? direction->imaginary + (size_t)line * direction->n : NULL;
}

/* Real parts, or imaginary ones by `part`; NULL: the array is absent. */
static starfish_status check_line(const struct starfish_poisson_plan *plan, int d, int line, const char *part,
                                  const double *values)
{
    for (size_t k = 0; values && k < plan->n[d]; k++)
        STARFISH_REFUSE_IF(is_out_of(plan->options.precision, values[k]),
                           "%s: %s%s[%zu] of its matrix is %g, which is beyond what %s holds", plan->name[d], part,
                           line_names[line], k, values[k], starfish_precision_names[plan->options.precision]);
    return STARFISH_SUCCESS;
}

/* Diagonals of all directions and lambda are added. GPUs have reciprocals of such sums only where they are normal
 * numbers. */
static starfish_status check_diagonal(const struct starfish_poisson_plan *plan)
{
    const starfish_precision precision = plan->options.precision;
    const int on_gpus = plan->base.context->workers_of[STARFISH_GPU] > 0;
    const double most = on_gpus ? 1 / starfish_least_normal(precision) : starfish_largest_number(precision);
    double sum = fabs(plan->lambda);
    char lambda[48] = "";

    for (int d = 0; d < 3; d++) {
        double largest = 0;
        for (size_t k = 0; k < plan->n[d]; k++)
            largest = fmax(largest, fabs(plan->direction[d].diag[k]));
        sum += largest;
    }
    if (sum <= most)
        return STARFISH_SUCCESS;
    if (plan->lambda != 0)
        starfish_print(lambda, sizeof lambda, "lambda is %g, too large: it and ", plan->lambda);
    return starfish_fail(STARFISH_ERROR_ARGUMENT, "%sthe diagonals of the matrix must add up to %.2g at most in %s",
                         lambda, most, starfish_precision_names[precision]);
}

starfish_status starfish_poisson_check_range(const struct starfish_poisson_plan *plan)
{
    for (int d = 0; d < 3; d++)
        for (int l = 0; l < LINES; l++) {
            STARFISH_TRY(check_line(plan, d, l, "", line_of(&plan->direction[d], l)));
            STARFISH_TRY(check_line(plan, d, l, "the imaginary part of ", imaginary_line_of(&plan->direction[d], l)));
        }
    STARFISH_REFUSE_IF(is_out_of(plan->options.precision, plan->lambda), "lambda is %g, which is beyond what %s holds",
                       plan->lambda, starfish_precision_names[plan->options.precision]);
    return check_diagonal(plan);
}

/* The largest entry counts: small ones beside it only couple weakly. */
starfish_status starfish_poisson_check_squares(const struct starfish_poisson_plan *plan)
{
    enum { MARGIN = 64 }; /* sums of three axes, and what is left of a reciprocal */
    const double least = MARGIN * sqrt(starfish_least_normal(plan->options.precision));
    double largest = 0;
    int axis = 0, line = 0;
    size_t row = 0;

    for (int d = 0; d < 3; d++)
        for (int l = 0; l < LINES; l++)
            for (size_t k = 0; k < plan->n[d]; k++) {
                const double *const imaginary = imaginary_line_of(&plan->direction[d], l);
                const double size = hypot(line_of(&plan->direction[d], l)[k], imaginary ? imaginary[k] : 0);
                if (size <= largest)
                    continue;
                largest = size;
                axis = d, line = l, row = k;
            }
    return STARFISH_OR_FAIL(
        largest == 0 || (largest >= least && largest <= 1 / least), STARFISH_ERROR_ARGUMENT,
        "%s: %s[%zu] of its matrix is %g; method %s multiplies such numbers in %s, where they must be "
        "within %.0e and %.0e",
        plan->name[axis], line_names[line], row, largest, starfish_method_list[plan->method->id],
        starfish_precision_names[plan->options.precision], least, 1 / least);
}

/* Numbers of a problem that the plan's precision has no value for: they would become infinite, or zero. */
#include "poisson/condition.h"

#include "base/precision.h"

#include <float.h>
#include <math.h>

/* Below the range where it is not zero and would become so. */
static int is_out_of(starfish_precision precision, double value)
{
    const double least = precision == STARFISH_F32 ? (double)FLT_MIN : 0;
    return !(fabs(value) <= starfish_largest_number(precision)) || (value != 0 && fabs(value) < least);
}

static starfish_status check_line(const struct starfish_poisson_plan *plan, int d, const char *member,
                                  const double *values)
{
    const char *precision = plan->options.precision == STARFISH_F32 ? "f32" : "f64";
    for (size_t k = 0; k < plan->n[d]; k++)
        if (is_out_of(plan->options.precision, values[k]))
            return starfish_fail(STARFISH_ERROR_ARGUMENT,
                                 "%s: %s[%zu] of its matrix is %g, which is beyond what %s holds", plan->name[d],
                                 member, k, values[k], precision);
    return STARFISH_SUCCESS;
}

starfish_status starfish_poisson_check_range(const struct starfish_poisson_plan *plan)
{
    for (int d = 0; d < 3; d++) {
        const struct starfish_direction *direction = &plan->direction[d];
        STARFISH_TRY(check_line(plan, d, "lower", direction->lower));
        STARFISH_TRY(check_line(plan, d, "diag", direction->diag));
        STARFISH_TRY(check_line(plan, d, "upper", direction->upper));
    }
    if (is_out_of(plan->options.precision, plan->lambda))
        return starfish_fail(STARFISH_ERROR_ARGUMENT, "lambda is %g, which is beyond what %s holds", plan->lambda,
                             plan->options.precision == STARFISH_F32 ? "f32" : "f64");
    return STARFISH_SUCCESS;
}

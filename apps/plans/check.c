/* Is the answer right? The library has judged it (starfish_job_wait_accuracy); what is left is the known solution,
 * where a file has one. */
#include "apps/plans/problem.h"

#include "base/status.h"

#include <math.h>

/* A singular problem's solution is known up to a constant: take the one that fits best. */
static double error_against_exact(const struct problem_run *run)
{
    const struct starfish_values *exact = &run->problem.exact;
    double low = INFINITY, high = -INFINITY;
    size_t count = starfish_array_count(&run->solution);
    if (!exact->given)
        return NAN;
    for (size_t i = 0; i < count; ++i) {
        double wanted = exact->array.data ? starfish_array_get(&exact->array, i) : exact->constant;
        double difference = starfish_array_get(&run->solution, i) - wanted;
        low = fmin(low, difference);
        high = fmax(high, difference);
    }
    return run->about.singular ? 0.5 * (high - low) : fmax(fabs(low), fabs(high));
}

starfish_status problem_check_result(struct problem_run *run)
{
    size_t bad = starfish_array_first_nonfinite(&run->solution);
    if (bad < starfish_array_count(&run->solution))
        return starfish_fail(STARFISH_ERROR_NUMERICAL, "%s: the solution is not finite", run->problem.path);
    run->error = error_against_exact(run);
    return STARFISH_SUCCESS;
}

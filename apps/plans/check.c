/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Check of the solution. The library applies its acceptance test (starfish_job_finish); this file compares with the
 * known solution, if a file contains one. */
#include "apps/plans/problem.h"

#include "base/status.h"
#include "scheduler/runtime/ranks.h"

#include <math.h>

/* A singular problem's solution is known up to a constant: take the one that fits best. */
static starfish_status find_error(const struct problem_run *run, double *error)
{
    const struct starfish_values *exact = &run->problem.exact;
    double low = INFINITY, high = -INFINITY;
    size_t count = starfish_array_count(&run->solution);
    *error = NAN;
    if (!exact->given)
        return STARFISH_SUCCESS;
    for (size_t i = 0; i < count; ++i) {
        double wanted = exact->array.data ? starfish_array_get(&exact->array, i) : exact->constant;
        double difference = starfish_array_get(&run->solution, i) - wanted;
        low = fmin(low, difference);
        high = fmax(high, difference);
    }
    double range[] = {-low, high};
    STARFISH_TRY(starfish_ranks_maximum(run->context, range, 2));
    *error = run->about.singular ? 0.5 * (range[1] + range[0]) : fmax(fabs(range[0]), fabs(range[1]));
    return STARFISH_SUCCESS;
}

starfish_status problem_check_result(struct problem_run *run)
{
    starfish_status status = STARFISH_SUCCESS;
    size_t bad = starfish_array_first_nonfinite(&run->solution);
    if (bad < starfish_array_count(&run->solution))
        status = starfish_fail(STARFISH_ERROR_NUMERICAL, "%s: the solution is not finite", run->problem.path);
    STARFISH_TRY(starfish_ranks_agree(run->context, status));
    return find_error(run, &run->error);
}

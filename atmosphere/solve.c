/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One solve of a flat domain, by the plan's engine (multigrid/solve.h), with the rules by which its solution is
 * accepted. */
#include "atmosphere/plan.h"

#include "atmosphere/options.h"
#include "multigrid/solve.h"

#include <math.h>

const struct starfish_acceptance starfish_atmosphere_acceptance = {.excused = 1 << STARFISH_ENDED_STALLED |
                                                                              1 << STARFISH_ENDED_CANCELLED,
                                                                   .diverged_above = 1,
                                                                   .of_nan = STARFISH_DIVERGED,
                                                                   .explains_divergence = 1};

static starfish_status take(struct starfish_job *job)
{
    return starfish_multigrid_job_take(job, ((struct starfish_atmosphere_plan *)job->plan)->engine);
}

static starfish_status accept(struct starfish_job *job, starfish_status status)
{
    const struct starfish_atmosphere_options *options = &((const struct starfish_atmosphere_plan *)job->plan)->options;
    const double size = ((const struct starfish_multigrid_job *)job)->solve.size;
    struct starfish_result *result = &job->result;
    struct starfish_failure failure = {.status = STARFISH_SUCCESS};
    const struct starfish_evidence evidence = {.end = starfish_ending_of_outcome(result->outcome),
                                               .iterations = result->iterations,
                                               .asked = options->tolerance,
                                               .reached = result->residual,
                                               .rounding =
                                                   starfish_rounding(options->precision, size, result->rhs_norm),
                                               .failure = &failure};

    starfish_failure_keep(&failure, status);
    status = starfish_accept(&starfish_atmosphere_acceptance, &evidence, result);
    if (size == 0)
        result->rounding = (double)NAN;
    return status;
}

const struct starfish_kind starfish_kind_atmosphere = {.name = "atmosphere",
                                                       .options = &starfish_atmosphere_option_table,
                                                       .problems = starfish_atmosphere_problems,
                                                       .plan_bytes = sizeof(struct starfish_atmosphere_plan),
                                                       .job_bytes = sizeof(struct starfish_multigrid_job),
                                                       .options_at = offsetof(struct starfish_atmosphere_plan, options),
                                                       .on_ranks = 1,
                                                       .check = starfish_atmosphere_check_plan,
                                                       .create = starfish_atmosphere_create_plan,
                                                       .release = starfish_atmosphere_release,
                                                       .take = take,
                                                       .run = starfish_multigrid_job_run,
                                                       .accept = accept};

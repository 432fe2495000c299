/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory use of plans: the method computes it, before the plan's creation or after; it is compared with the available
 * memory */
#include "poisson/methods.h"

#include "base/arithmetic.h"
#include "poisson/options.h"
#include "scheduler/runtime/memory.h"

#include <stdio.h>

starfish_status starfish_poisson_report_memory(const struct starfish_plan *base, struct starfish_memory *memory)
{
    const struct starfish_poisson_plan *plan = (const struct starfish_poisson_plan *)base;
    *memory = (struct starfish_memory){.main_bytes = 0};
    STARFISH_TRY(plan->method->memory(plan, memory));
    starfish_memory_complete(plan->base.context, plan->state != NULL, memory);
    return STARFISH_SUCCESS;
}

starfish_status starfish_poisson_check_memory(const struct starfish_poisson_plan *plan)
{
    struct starfish_memory memory;
    char what[64];
    STARFISH_TRY(starfish_poisson_report_memory(&plan->base, &memory));
    snprintf(what, sizeof what, "method %s", starfish_method_list[plan->method->id]);
    return starfish_memory_check(what, &memory);
}

starfish_status starfish_poisson_memory(starfish_context *context, const struct starfish_poisson_problem *problem,
                                        const struct starfish_poisson_options *options, struct starfish_memory *memory)
{
    STARFISH_OWN_ARITHMETIC;
    return starfish_plan_measure(context, &starfish_kind_poisson, &starfish_poisson_problem_table, problem, options,
                                 memory);
}

starfish_status starfish_separable2d_memory(starfish_context *context, const struct starfish_axis *x,
                                            const struct starfish_axis *y, double lambda,
                                            const struct starfish_poisson_options *options,
                                            struct starfish_memory *memory)
{
    STARFISH_OWN_ARITHMETIC;
    struct starfish_separable2d_problem problem;
    STARFISH_TRY(starfish_separable2d_take(context, x, y, lambda, &problem));
    return starfish_plan_measure(context, &starfish_kind_poisson, &starfish_separable2d_problem_table, &problem,
                                 options, memory);
}

/* A fixed number of cycles. The public options of problem files have a tolerance alone; those of multigrid's own plans
 * have the number of cycles too, which is what is set here. */
#include "apps/plans/cycles.h"

#include "multigrid/plan.h"
#include "poisson/methods.h"

void cycles_fix(starfish_poisson_plan *plan, size_t cycles)
{
    struct starfish_multigrid_options *options = &starfish_poisson_multigrid_plan(plan)->options;

    options->tolerance = options->absolute = 0;
    options->most_cycles = (int)cycles;
}

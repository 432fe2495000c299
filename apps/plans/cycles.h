/* A fixed number of multigrid's cycles for the equations of a problem file. */
#ifndef STARFISH_APPS_PLANS_CYCLES_H
#define STARFISH_APPS_PLANS_CYCLES_H

#include <starfish/poisson.h>

/* The plan's solves take exactly so many steps of conjugate gradients, each with a cycle, and look at no residual: so
 * that what is measured does not depend on the right-hand side, and in a simulation, where no residual is computed, has
 * an end. For plans of method multigrid. */
void cycles_fix(starfish_poisson_plan *plan, size_t cycles);

#endif

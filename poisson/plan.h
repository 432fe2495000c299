/* What a plan of the separable solvers holds. */
#ifndef STARFISH_POISSON_PLAN_H
#define STARFISH_POISSON_PLAN_H

#include "poisson/direction.h"
#include "tasks/spectral.h"
#include <starfish/poisson.h>

struct starfish_poisson_plan {
    struct starfish_context *context;
    struct starfish_poisson_options options;
    starfish_method method; /* SLAB or BLKTRI */
    char reason[160];
    double seconds;
    size_t n[3];
    struct starfish_direction direction[3];
    int singular;
    struct starfish_spectral spectral;
    /* Tiles are shared by all solves with the plan: one solve's tasks are submitted as a whole before the next one's, so
     * that the runtime's implicit dependencies put them one after the other. */
    pthread_mutex_t submission;
};

#endif

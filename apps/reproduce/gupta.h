/* What the files of `reproduce gupta-...` share. */
#ifndef STARFISH_APPS_REPRODUCE_GUPTA_H
#define STARFISH_APPS_REPRODUCE_GUPTA_H

#include "apps/command.h"
#include "apps/plans/diffusion_run.h"
#include "apps/reproduce/reproduce.h"

enum { PAPER_N = 512, PLACES = 2, PRECISIONS = 3, PHASE_METHODS = 6 };

struct gupta {
    struct bench bench; /* first */
    size_t n;
    const char *precision;
    starfish_status (*measure)(struct gupta *g);
    struct starfish_diffusion_info known[PHASE_METHODS][PRECISIONS]; /* of two phases, by the GPU; else all zero */
};

/* Tables 2, 3 and 4, what is counted (gupta_counts.c). */
starfish_status gupta_count_kernels(struct gupta *g);
starfish_status gupta_count_launches(struct gupta *g);
starfish_status gupta_list_characteristics(struct gupta *g);
/* Equation 25: operations of m steps of DIPCG2. */
double gupta_operations(double unknowns, double vectors, double steps);

#endif

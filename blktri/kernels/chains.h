/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Turning a rational function, given by its roots, into a chain of first-order steps. */
#ifndef STARFISH_BLKTRI_CHAINS_H
#define STARFISH_BLKTRI_CHAINS_H

#include "base/status.h"

#include <stddef.h>

struct starfish_step {
    double mu, keep, gain;
};

/* One chain: `count` steps from `first` on in the level's list, on scale times the input. */
struct starfish_chain {
    size_t first, count;
    double scale;
};

/* A growing list of steps. */
struct starfish_step_list {
    size_t count, capacity;
    struct starfish_step *step;
};

/* Append the chain of
 *     sign * exp(log_factor) * product over numerator roots nu of (T + nu) / product over denominator roots mu of (T +
 * mu)
 * Both lists ascending, numerators fewer or as many as denominators; a root in both is left out. log_factor belongs to
 * the unpaired solves: it is spread over them evenly, or becomes the chain's scale when there are none. */
starfish_status starfish_chain_append(struct starfish_step_list *list, struct starfish_chain *chain,
                                      const double *denominator, size_t denominators, const double *numerator,
                                      size_t numerators, double log_factor, double sign);

#endif

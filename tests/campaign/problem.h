/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Random separable problems, small enough for a dense oracle: every kind of axis, ends, scales, asymmetry, decoupled
 * rows and bad scaling. A problem is a function of a seed and an index, so that each can be repeated alone. */
#ifndef STARFISH_TESTS_CAMPAIGN_PROBLEM_H
#define STARFISH_TESTS_CAMPAIGN_PROBLEM_H

#include <starfish/starfish.h>

#include <stdint.h>
#include <stdio.h>

enum { CAMPAIGN_LONGEST = 12, CAMPAIGN_UNKNOWNS = 120 };

/* A generator of its own for every problem: splitmix64. */
struct campaign_random {
    uint64_t state;
};
struct campaign_random campaign_random_of(uint64_t seed, uint64_t index);
double campaign_uniform(struct campaign_random *random, double low, double high);
size_t campaign_below(struct campaign_random *random, size_t end);

/* The arrays that an axis points to; of a stretched one `lower` holds the coordinates. */
struct campaign_axis_memory {
    double lower[CAMPAIGN_LONGEST + 2], diag[CAMPAIGN_LONGEST], upper[CAMPAIGN_LONGEST];
};

struct campaign_problem {
    uint64_t seed, index;
    int in_two; /* axis[0] is a single row of zeros, the other two are what the 2D plan gets */
    struct starfish_axis axis[3];
    struct campaign_axis_memory memory[3];
    const char *kind[3]; /* in words */
    double lambda;
    starfish_precision precision;
    size_t slabs;
    struct campaign_random rest; /* for the right-hand side */
};

/* Points into itself: not to be copied. */
void campaign_problem_create(struct campaign_problem *problem, uint64_t seed, uint64_t index);
size_t campaign_unknowns(const struct campaign_problem *problem);
/* One JSON object on one line, all numbers with 17 digits. */
void campaign_problem_print(FILE *stream, const struct campaign_problem *problem);

#endif

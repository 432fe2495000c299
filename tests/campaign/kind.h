/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A kind of solve beyond a right-hand side and its solution in two packed arrays of reals: a row of the table in
 * kinds.c. A trial of a kind is a function of a seed and an index, as campaign problems are. */
#ifndef STARFISH_TESTS_CAMPAIGN_KIND_H
#define STARFISH_TESTS_CAMPAIGN_KIND_H

#include "oracle.h"

#include <stdint.h>
#include <string.h>

enum campaign_held {
    CAMPAIGN_HELD, /* right, within the bound */
    CAMPAIGN_KIND_REFUSED,
    CAMPAIGN_UNUSABLE, /* no answer to compare with */
    CAMPAIGN_BEYOND,   /* called solved with an error above the bound */
    CAMPAIGN_TOUCHED,  /* something was written that is not an unknown's, or a ghost is wrong */
    CAMPAIGN_HELDS
};

struct campaign_trial {
    uint64_t seed, index;
    enum campaign_held held;
    starfish_precision precision;
    double error, bound; /* relative to the largest unknown */
    char what[160];      /* method or algorithm, and the message of a refusal */
    uint64_t bits;       /* fingerprint of the solution; 0: there is none */
};

struct campaign_kind {
    const char *name;
    void (*run)(starfish_context *context, const struct campaign_kind *kind, struct campaign_trial *trial);
    /* Of kinds of Poisson solves (dressed.c). */
    int complex_numbers, boundary, strides, ghosts, many, multigrid;
    /* Of kinds of batches (batches.c): matrices of any kind, which the plan is to check. */
    int any_matrix;
};

/* Adds reals to a fingerprint (FNV-1a on words): recordings have it, so it must stay as it is. */
static inline void campaign_add_bits(uint64_t *bits, const double *real, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t word;
        memcpy(&word, &real[i], sizeof word);
        *bits = (*bits ^ word) * UINT64_C(1099511628211);
    }
}

void campaign_run_dressed(starfish_context *context, const struct campaign_kind *kind, struct campaign_trial *trial);
void campaign_run_batch(starfish_context *context, const struct campaign_kind *kind, struct campaign_trial *trial);
void campaign_run_q1(starfish_context *context, const struct campaign_kind *kind, struct campaign_trial *trial);
void campaign_run_complex_lines(starfish_context *context, const struct campaign_kind *kind,
                                struct campaign_trial *trial);

#endif

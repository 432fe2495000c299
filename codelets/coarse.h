/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tasks: sums of a vector over domains, and the small matrix of deflation (krylov/kernels/coarse.h). */
#ifndef STARFISH_CODELETS_COARSE_H
#define STARFISH_CODELETS_COARSE_H

#include "codelets/vectors.h"
#include "krylov/kernels/coarse.h"

/* The cells of one part by domains. */
struct starfish_chunks {
    size_t chunks;
    struct starfish_coefficient_table cell_begin, cell, term_begin, term; /* ints */
    struct starfish_coefficient_table factor;                             /* reals */
    struct starfish_coefficient_table domain_begin;                       /* ints: chunks of each domain */
    struct starfish_coefficient_table sums;                               /* results */
};

struct starfish_coarse_matrix {
    size_t domains, unknowns, band, entries;
    enum starfish_coarse_form form;
    int one_each;                                    /* one part, and one chunk for each domain */
    struct starfish_coefficient_table matrix, place; /* doubles; ints */
    struct starfish_coefficient_table rhs, solution; /* results */
};

/* What the sums of a part take, with or without (A Z)' y. */
struct starfish_cost starfish_chunks_cost(starfish_precision precision, const struct starfish_chunks *chunks,
                                          int has_terms);

/* sums = Z' r - (A Z)' y of a part; y may be NULL. */
starfish_status starfish_submit_chunk_sums(const struct starfish_algebra *algebra, size_t part,
                                           const struct starfish_chunks *chunks, const struct starfish_vector *r,
                                           const struct starfish_vector *y);
/* solution = E^-1 of the sums of all parts. Of a band a core's task, else where part 0 of the space belongs; on ranks
 * each that has parts computes it for itself. */
starfish_status starfish_submit_coarse_solve(const struct starfish_algebra *algebra, const struct starfish_space *space,
                                             const struct starfish_coarse_matrix *matrix,
                                             const struct starfish_chunks *chunks);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The small matrix of deflation, E = Z' A Z, from the couplings between domains. */
#ifndef STARFISH_KRYLOV_COARSE_MATRIX_H
#define STARFISH_KRYLOV_COARSE_MATRIX_H

#include "codelets/cells.h"
#include "codelets/coarse.h"
#include "krylov/dissection.h"
#include "scheduler/runtime/halo_window.h"

struct starfish_deflation_spec {
    const struct starfish_space *space;
    const struct starfish_halo_window
        *window;                  /* planes of which `matrix` and `domain` are there, a depth of 1 at least */
    starfish_precision precision; /* of the vectors */
    const struct starfish_cell_operator *op;   /* of the iteration; must stay */
    const struct starfish_cell_matrix *matrix; /* stored, in f64 */
    const int *domain;                         /* of each cell, 0 .. domains - 1, every one of which has cells */
    size_t domains;
    int singular; /* constants are in the null space */
    enum starfish_coarse_form form;
};
/* Bytes that the inverse of E, its halves or its factor may take: of 8192 vectors densely, of blocks 36 per direction
 * in 3D as a factor. */
#define STARFISH_DEFLATION_MOST_BYTES ((size_t)1 << 29)

/* Errors: those of starfish_deflation_create; starfish_deflation_destroy releases what there is. */
starfish_status starfish_coarse_matrix_create(const struct starfish_deflation_spec *spec,
                                              const struct starfish_domain_graph *graph,
                                              struct starfish_coarse_matrix *matrix);
/* Its bytes (starfish_deflation_count). */
starfish_status starfish_coarse_matrix_count(const struct starfish_deflation_spec *spec,
                                             const struct starfish_domain_graph *graph, size_t *bytes);

#endif

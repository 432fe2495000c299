/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The small matrix of deflation, E = Z' A Z, from the couplings between domains. */
#ifndef STARFISH_KRYLOV_COARSE_MATRIX_H
#define STARFISH_KRYLOV_COARSE_MATRIX_H

#include "krylov/deflation.h"
#include "krylov/dissection.h"

/* Errors: those of starfish_deflation_create; starfish_deflation_destroy releases what there is. */
starfish_status starfish_coarse_matrix_create(const struct starfish_deflation_spec *spec,
                                              const struct starfish_domain_graph *graph,
                                              struct starfish_coarse_matrix *matrix);
/* Its bytes (starfish_deflation_count). */
starfish_status starfish_coarse_matrix_count(const struct starfish_deflation_spec *spec,
                                             const struct starfish_domain_graph *graph, size_t *bytes);

#endif

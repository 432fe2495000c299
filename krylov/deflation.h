/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Deflation by vectors that are constant on domains of cells (krylov/kernels/coarse.h): Q = Z E^-1 Z', E = Z' A Z, and
 * the steps of conjugate gradients with the preconditioner P' M^-1 + Q, P = I - A Q, begun with Q b (A-DEF2 of Tang,
 * Nabben, Vuik, Erlangga, J. Sci. Comput. 39 (2009), 340-370): mathematically the deflated iteration of Gupta et al.,
 * and accurate where that stagnates. A singular problem's constants are in the space of Z, whose last domain is left
 * out of E for that. */
#ifndef STARFISH_KRYLOV_DEFLATION_H
#define STARFISH_KRYLOV_DEFLATION_H

#include "krylov/coarse_matrix.h"

struct starfish_cells_deflation {
    const struct starfish_space *space;
    const struct starfish_cell_operator *op;
    struct starfish_coefficient_table domain; /* of each cell; ints */
    struct starfish_chunks chunks[STARFISH_KRYLOV_MOST_PARTS];
    struct starfish_coarse_matrix coarse;
};

/* Each of the window's ranks has A Z for its own parts, and all of E. Collective among them. Errors: ARGUMENT (E takes
 * more bytes than that, which is found before it has any), MEMORY, NUMERICAL (E is not positive). */
starfish_status starfish_deflation_create(struct starfish_cells_deflation *deflation,
                                          const struct starfish_deflation_spec *spec);
/* Bytes of E's inverse, its halves or its factor, with what tasks read and write besides. Space and precision do
 * not matter. Collective. Errors: as of starfish_deflation_create, but NUMERICAL. */
starfish_status starfish_deflation_count(const struct starfish_deflation_spec *spec, size_t *bytes);
/* Nothing where there is none. */
void starfish_deflation_destroy(struct starfish_cells_deflation *deflation);

/* Submit: the coarse solution is E^-1 (Z' r - (A Z)' y); y NULL: 0. */
starfish_status starfish_deflation_solve(const struct starfish_cells_deflation *deflation,
                                         const struct starfish_algebra *algebra, const struct starfish_vector *r,
                                         const struct starfish_vector *y);
/* Submit: q = u + Z times the coarse solution; u NULL: 0; sums NULL, or of f q. */
starfish_status starfish_deflation_prolong(const struct starfish_cells_deflation *deflation,
                                           const struct starfish_algebra *algebra, const struct starfish_vector *u,
                                           const struct starfish_vector *f, const struct starfish_vector *q,
                                           const struct starfish_sums *sums);

/* ---- Domains ----------------------------------------------------------------------------------------------------- */

/* Runs of ceil(cells / vectors) consecutive cells; boxes of ceil(n / vectors) cells per direction; cells with the same
 * number of `regions`, which are those of a rank's own planes, of `plane` cells each. Fill domain of the cells in the
 * window, and say how many domains there are in all. The last one is collective. Errors: MEMORY. */
size_t starfish_domains_stripes(const struct starfish_halo_window *window, const size_t n[3], size_t vectors,
                                int *domain);
size_t starfish_domains_blocks(const struct starfish_halo_window *window, const size_t n[3], size_t vectors,
                               int *domain);
starfish_status starfish_domains_regions(const struct starfish_halo_window *window, size_t plane,
                                         const long long *regions, int *domain, size_t *domains);

#endif

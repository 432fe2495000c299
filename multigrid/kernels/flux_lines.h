/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How flux_lines_cpu.c cuts its work and where it keeps what: shared with flux_lines.c, which says what memory that
 * takes. */
#ifndef STARFISH_MULTIGRID_FLUX_LINES_H
#define STARFISH_MULTIGRID_FLUX_LINES_H

#include "multigrid/kernels/flux.h"

/* Arrays of a row per unknown of a line: upper, rhs and border, and for lines in x lower and diag; rows that there are
 * one of; rows of the grid. */
enum { FLUX_LINES_ARRAYS = 3, FLUX_LINES_ARRAYS_X = 5, FLUX_LINES_LOOSE_ROWS = 5, FLUX_LINES_GRID_ROWS = 5 };

/* Lines that pass through the cache together, and the distance of rows of one unknown of each. */
size_t starfish_flux_lines_width(const struct starfish_flux_lines *lines, size_t real_size);
size_t starfish_flux_lines_pitch(const struct starfish_flux_lines *lines, size_t real_size);

#endif

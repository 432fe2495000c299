/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Four-colour Gauss-Seidel on the CPU (band.h), row by row: both colours of a row are computed, each keeps its own.
 * Bound by memory. */
#include "multigrid/kernels/band_row.h"

/* Rows pass through a piece of the stack. */
enum { PIECE = 512 };

/* A row of v, which starts as u. Both colours are computed for all unknowns, which vectorises, and kept for their
 * own. */
STARFISH_ALWAYS_INLINE void colour_row(const struct starfish_band_colours *a, size_t j, size_t odd, real *v)
{
    const size_t nx = a->matrix.nx;
    const real damping = (real)a->damping;
    struct row row = row_of(&a->matrix, a->u, a->f, j);
    real piece[PIECE], diag[PIECE];

    row.u[1] = v; /* the other colour is new already; the rows beside are of the other parity */
    for (size_t x = 0; x < nx; x += PIECE) {
        const size_t end = nx - x < PIECE ? nx : x + PIECE;
        residual_row(&row, nx, x, end, piece, 1, diag);
        for (size_t i = x + (x + odd) % 2; i < end; i += 2)
            v[i] += damping * piece[i - x] / diag[i - x];
    }
}

/* The same where u is zero, so that only the row itself couples. */
static void colour_first_row(const struct starfish_band_colours *a, size_t j, size_t odd, real *v)
{
    const size_t nx = a->matrix.nx;
    const real damping = (real)a->damping;
    const struct row row = row_of(&a->matrix, NULL, a->f, j);

    for (size_t i = odd; i < nx; i += 2) {
        const real west = i > 0 ? row.band[STARFISH_BAND_W][i] * v[i - 1] : 0;
        const real east = i + 1 < nx ? row.band[STARFISH_BAND_E][i] * v[i + 1] : 0;
        v[i] = damping * (row.f[i] - west - east) / diagonal(&row, i);
    }
}

STARFISH_CLONES
static void colours(const struct starfish_band_colours *a)
{
    const size_t nx = a->matrix.nx;

    for (size_t j = a->at.y0; j < a->at.y1; j++) {
        real *v = (real *)a->v + j * nx;
        if (a->u)
            memcpy(v, (const real *)a->u + j * nx, nx * sizeof(real));
        else
            memset(v, 0, nx * sizeof(real));
        for (size_t odd = 0; odd < 2 && j % 2 == a->parity; odd++)
            if (a->u)
                colour_row(a, j, odd, v);
            else
                colour_first_row(a, j, odd, v);
    }
}

void REAL_NAME(starfish_band_colours_cpu)(const struct starfish_band_colours *a)
{
    colours(a);
}

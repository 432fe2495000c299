/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One row of a seven-point matrix and of what it is applied to, on the CPU: what the files flux_*_cpu.c share.
 *
 * Along a row the couplings of tensor form in y and z are scalars times one array, so that a row is five rows of
 * values, f, and three short arrays that stay in the cache. */
#ifndef STARFISH_MULTIGRID_FLUX_ROW_H
#define STARFISH_MULTIGRID_FLUX_ROW_H

#include "multigrid/kernels/flux.h"

#include "base/clones.h"
#include "base/real.h"

enum { FLUX_SOUTH, FLUX_NORTH, FLUX_BELOW, FLUX_ABOVE, FLUX_SIDES };

/* Of a matrix in stored form: couplings in x, a rest that is not 0, couplings in y, and in z. */
enum { FLUX_STORED = 1, FLUX_REST = 2, FLUX_ROWS = 4, FLUX_PLANES = 8 };
enum { FLUX_SOLID = FLUX_STORED | FLUX_ROWS | FLUX_PLANES, FLUX_FLAT = FLUX_STORED | FLUX_PLANES };
/* The usual forms, for which there are loops of their own. */
enum flux_form { FLUX_TENSOR_FORM, FLUX_SOLID_FORM, FLUX_SOLID_REST_FORM, FLUX_FLAT_FORM, FLUX_OTHER_FORM, FLUX_FORMS };

/* The matrix. A neighbour counts as keep * its value: 0 in decoupled directions. In tensor form a side that is
 * decoupled is in the rest. */
struct flux_row {
    size_t nx;
    int stored; /* 0: tensor form; else what there is of the stored one */
    enum flux_form form;
    int periodic, is_last; /* is_last: of the grid */
    real keep_x, keep_y, keep_z;
    /* tensor form: couplings in x are across * x_coupling, those of the sides and the rest are times x_weight */
    real across, side[FLUX_SIDES], rest;
    const real *x_coupling, *x_extra, *x_weight;
    /* stored form */
    const real *x_face, *side_face[FLUX_SIDES], *rest_of;
};
/* Fills what its form has; the rest is not read, and clearing it would take as long as a short row. */
void REAL_NAME(starfish_flux_row)(const struct starfish_flux_matrix *matrix, size_t j, ptrdiff_t plane,
                                  struct flux_row *row);

/* Values that it is applied to. Where a side is missing it is the middle row, to which the coupling is 0. */
struct flux_values {
    const real *middle, *side[FLUX_SIDES];
};

/* Planes k may be ghosts of a periodic direction of n (-n .. 2 n - 1): the plane of the grid that one stands for. */
static inline size_t flux_plane(size_t n, ptrdiff_t k)
{
    return k < 0 ? (size_t)(k + (ptrdiff_t)n) : (size_t)k < n ? (size_t)k : (size_t)k - n;
}

/* (axis and transfer: three of them) The rows beside row (j,k) at `side`: its place, whether there is one, and whether
 * it is at the other end. */
struct flux_neighbour {
    size_t j;
    ptrdiff_t k;
    int missing, wrapped;
};
struct flux_neighbour REAL_NAME(starfish_flux_neighbour)(const struct starfish_flux_axis *axis, size_t j, ptrdiff_t k,
                                                         int side);

/* The values of row (j,k) of an array. */
struct flux_values REAL_NAME(starfish_flux_values)(const struct starfish_flux_matrix *matrix, const void *u, size_t j,
                                                   ptrdiff_t k);

/* Unknowns i = parity, parity + 2, .. of a row, or all. */
enum { FLUX_ALL = 2 };

/* out = values + damping * D^-1 (f - A values) at unknowns of the parity and values elsewhere. `out` may be the middle
 * row, but for all unknowns. */
void REAL_NAME(starfish_flux_row_relax)(const struct flux_row *row, const struct flux_values *values, const real *f,
                                        real damping, int parity, real *out);
/* The same where all values are zero. */
void REAL_NAME(starfish_flux_row_relax_zero)(const struct flux_row *row, const real *f, real damping, int parity,
                                             real *restrict out);
/* out = f - A values; f == NULL is zero. */
void REAL_NAME(starfish_flux_row_residual)(const struct flux_row *row, const struct flux_values *values, const real *f,
                                           real *out);
/* The inner product of two rows. */
double REAL_NAME(starfish_flux_row_product)(const real *u, const real *v, size_t count);

/* Of unknowns x0 .. x0 + count - 1 of a row: their entries in lines along `direction`, and f - A values. */
struct flux_system {
    real *lower, *diag, *upper, *rhs;
};
void REAL_NAME(starfish_flux_row_system)(const struct flux_row *row, const struct flux_values *values, const real *f,
                                         int direction, size_t x0, size_t count, const struct flux_system *out);

/* out = u + row (j,k) of P coarse; u == NULL is zero, out may be u. `combined` is a row of work space. */
void REAL_NAME(starfish_flux_row_prolong)(const struct starfish_flux_transfer *transfer, const void *coarse,
                                          const real *u, size_t j, ptrdiff_t k, real *combined, real *out);

/* Row (j,k) of f - A u, restricted, is added to the coarse rows that get some of it, of all of the coarse grid. */
void REAL_NAME(starfish_flux_row_restrict)(const struct starfish_flux_restrict *restrict_, size_t j, size_t k);

/* Rows are short and many, and processors see too late that one goes on in the next: ask for what comes after a row of
 * an array. */
enum { FLUX_AHEAD_BYTES = 3072, FLUX_CACHE_LINE = 64 };
static inline void flux_prefetch_after(const real *row, size_t nx)
{
    for (size_t byte = 0; row && byte < nx * sizeof(real); byte += FLUX_CACHE_LINE)
        __builtin_prefetch((const char *)row + FLUX_AHEAD_BYTES + byte);
}

/* Row `index` of the work space. Two reals before it and as many after it may be used. */
static inline real *flux_work_row(void *work, size_t nx, size_t index)
{
    return (real *)work + index * (nx + STARFISH_FLUX_WORK_PAD) + STARFISH_FLUX_WORK_PAD / 2;
}

#endif

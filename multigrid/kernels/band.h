/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Nine-band matrices on a grid of nx * ny unknowns, and what a smoother does with them: the contract of band_*.
 *
 * Unknown (i,j) is element i + nx * j of an array (x fastest). Row (i,j) of the matrix has one entry for each of its
 * neighbours (i + dx, j + dy), dx, dy = -1 .. 1; entries that lead out of the grid are zero, and an array is never read
 * where they lead. Every band is a pointer of its own, to the entry of unknown (0,0).
 *
 * In the place of the diagonal there is the row's sum r, of all entries of the row, so that with the entries a_k of the
 * neighbours (A u)_i = sum a_k (u_k - u_i) + r u_i,  and the diagonal is r - sum a_k. Without reaction r is zero inside
 * a grid, and what is left of the missing neighbours beside a Dirichlet end. With a diagonal that is rounded, and
 * products that are summed as they are, A u would be off by 6e-8 of (diagonal * u) in f32, which outweighs A u itself
 * where u is smooth on a fine grid. Here entries a_k that are rounded are but coefficients off by 6e-8, and differences
 * lose nothing.
 *
 * The matrices of this folder are symmetric, so that five bands are stored and the other four are the same memory seen
 * from the neighbour: W(i,j) = E(i-1,j), S = N of the row below, SW = NE of the neighbour below to the left, SE = NW of
 * the one below to the right (starfish_band_table_point). What a kernel moves are thus 5 reals of the matrix per
 * unknown and not 9; kernels do not know.
 *
 * All kernels work on a rectangle `at` of the grid. Arrays named u, f and v are of the whole grid; `result`, and the
 * correction of an update, are of the rectangle alone: element (i,j) at (i - at.x0) + (j - at.y0) * pitch. Rectangles
 * may be worked on at once when their results are apart. Bound by memory everywhere. CUDA functions launch on `stream`
 * and return a cudaError_t, 0 when the launch was accepted. */
#ifndef STARFISH_MULTIGRID_BAND_H
#define STARFISH_MULTIGRID_BAND_H

#include "krylov/kernels/vectors.h"

#include <stddef.h>

/* (dy + 1) * 3 + dx + 1 */
enum starfish_band {
    STARFISH_BAND_SW,
    STARFISH_BAND_S,
    STARFISH_BAND_SE,
    STARFISH_BAND_W,
    STARFISH_BAND_SUM, /* of the row, in the place of the diagonal */
    STARFISH_BAND_E,
    STARFISH_BAND_NW,
    STARFISH_BAND_N,
    STARFISH_BAND_NE,
    STARFISH_BANDS
};

/* The elements of a direction: of unknown i those before and after it are i and i + 1, so that there are one more than
 * unknowns. Outside of the grid they have width and inverse 0. */
struct starfish_band_axis {
    const void *width, *inverse; /* of widths: the coefficient over them */
};

/* How the entries of a matrix of f32 are stored in 16 bits, rounded. Then they are not those of the nine bands, of
 * which those between strong couplings would cancel to weak ones, but with the four corners of an element, u here, u_x,
 * u_y, u_xy, (A u)_i = sum X (u_x - u) + sum Y (u_y - u) + sum Q (u_xy - u_x - u_y + u) + r u over the edges in x, the
 * edges in y and the elements around the unknown: a rounded X, Y or Q is a coefficient that is off by as much, whatever
 * the aspect ratio, and the matrix stays as definite. X and Y are sums of an element's entries along and across its
 * edges, Q is the entry across. Three bands of 16 bits, X in the place of E, Y of N and Q of NE, and r in f32: 10 bytes
 * per unknown instead of 20. */
enum starfish_band_storage { STARFISH_BAND_REALS, STARFISH_BAND_F16, STARFISH_BAND_BF16 };

/* Bands, or, where band[0] is NULL and entries are reals, the tensor products S (x) M + M (x) S + reaction M (x) M of
 * 1D matrices of linear elements, stiffness S and mass M, x first. */
struct starfish_band_matrix {
    size_t nx, ny;
    const void *band[STARFISH_BANDS];
    struct starfish_band_axis axis[2];
    double reaction;
    enum starfish_band_storage storage;
    double scale;  /* of what is stored in 16 bits but r */
    int diagonals; /* the usual form after all: diagonals in the place of row sums, A u a sum of products */
};

/* A symmetric matrix as one table of reals: row sums and bands E, NW, N, NE, with as many zeros before each as the
 * other bands look back. Where band b of the five begins in it; b = 5 is the table's size. */
size_t starfish_band_table_start(size_t nx, size_t ny, size_t b);
struct starfish_band_matrix starfish_band_table_point(size_t nx, size_t ny, const void *table, size_t real_size);
/* The same of entries in 16 bits, from a table of f64 with r, X, Y and Q in the places of the bands: reals (f32) of its
 * table; its scale, a power of two that brings the largest entry near the largest number, 0 where weak entries X or Y
 * would not be normal numbers then; its bands. */
size_t starfish_band_packed_size(size_t nx, size_t ny);
double starfish_band_packed_scale(size_t nx, size_t ny, const double *table, enum starfish_band_storage storage);
void starfish_band_pack(size_t nx, size_t ny, const double *table, enum starfish_band_storage storage, double scale,
                        void *packed);
struct starfish_band_matrix starfish_band_packed_point(size_t nx, size_t ny, const void *packed,
                                                       enum starfish_band_storage storage, double scale);
/* The diagonal entry of unknown e of a matrix of row sums in f64. */
double starfish_band_diagonal(const struct starfish_band_matrix *matrix, size_t e);

/* result = f - A u, and `sums`, STARFISH_SUMS doubles that add up to the sum of its squares. Either may be NULL where
 * it is not wanted; u == NULL is zero, and so is f == NULL (result = -A u), but not both, nor without f diag. `diag`,
 * which may be NULL and lies as result does, gets the diagonal; with it `ahead`, which may be NULL, the entries of the
 * next unknowns in x, or in y where `along_y`. 8 words per unknown with result (5 bands, u, f, result), 7 without; 2
 * without u; one more with diag, without u 6. */
struct starfish_band_residual {
    struct starfish_band_matrix matrix;
    struct starfish_rectangle at;
    const void *u, *f;
    void *result, *diag, *ahead;
    int along_y;
    size_t pitch;
    double *sums;
};
void starfish_band_residual_cpu_f32(const struct starfish_band_residual *arguments);
void starfish_band_residual_cpu_f64(const struct starfish_band_residual *arguments);
void starfish_band_residual_cpu_f32_f16(const struct starfish_band_residual *arguments);
void starfish_band_residual_cpu_f32_bf16(const struct starfish_band_residual *arguments);
int starfish_band_residual_cuda_f32(const struct starfish_band_residual *arguments, struct CUstream_st *stream);
int starfish_band_residual_cuda_f64(const struct starfish_band_residual *arguments, struct CUstream_st *stream);
int starfish_band_residual_cuda_f32_f16(const struct starfish_band_residual *arguments, struct CUstream_st *stream);
int starfish_band_residual_cuda_f32_bf16(const struct starfish_band_residual *arguments, struct CUstream_st *stream);

/* v = u + damping * D^-1 (f - A u), D the diagonal; u == NULL is zero. v is not u. 8 words per unknown. */
struct starfish_band_jacobi {
    struct starfish_band_matrix matrix;
    struct starfish_rectangle at;
    double damping;
    const void *u, *f;
    void *v;
};
void starfish_band_jacobi_cpu_f32(const struct starfish_band_jacobi *arguments);
void starfish_band_jacobi_cpu_f64(const struct starfish_band_jacobi *arguments);
void starfish_band_jacobi_cpu_f32_f16(const struct starfish_band_jacobi *arguments);
void starfish_band_jacobi_cpu_f32_bf16(const struct starfish_band_jacobi *arguments);
int starfish_band_jacobi_cuda_f32(const struct starfish_band_jacobi *arguments, struct CUstream_st *stream);
int starfish_band_jacobi_cuda_f64(const struct starfish_band_jacobi *arguments, struct CUstream_st *stream);
int starfish_band_jacobi_cuda_f32_f16(const struct starfish_band_jacobi *arguments, struct CUstream_st *stream);
int starfish_band_jacobi_cuda_f32_bf16(const struct starfish_band_jacobi *arguments, struct CUstream_st *stream);

/* Half a four-colour Gauss-Seidel step (SOR): in rows j with j % 2 == parity, first the unknowns of even i, then those
 * of odd i are v = u + damping * D^-1 (f - A v), which have no neighbours of their own colour; other rows are v = u. u
 * == NULL is zero. v is not u. On rectangles of whole rows. 8 words per unknown of the rows of that parity, 2 of the
 * others. Not of entries in 16 bits. */
struct starfish_band_colours {
    struct starfish_band_matrix matrix;
    struct starfish_rectangle at;
    size_t parity;
    double damping;
    const void *u, *f;
    void *v;
};
void starfish_band_colours_cpu_f32(const struct starfish_band_colours *arguments);
void starfish_band_colours_cpu_f64(const struct starfish_band_colours *arguments);
int starfish_band_colours_cuda_f32(const struct starfish_band_colours *arguments, struct CUstream_st *stream);
int starfish_band_colours_cuda_f64(const struct starfish_band_colours *arguments, struct CUstream_st *stream);

/* Which lines a line step improves: in zebra steps even lines, or odd ones; the others are v = u. */
enum starfish_band_choice { STARFISH_BAND_ALL_LINES, STARFISH_BAND_EVEN_LINES, STARFISH_BAND_ODD_LINES };
#define STARFISH_BAND_CHOSEN(choice, line) ((choice) == STARFISH_BAND_ALL_LINES || (line) % 2 + 1 == (size_t)(choice))

/* v = u + damping * T^-1 (f - A u), T the tridiagonal matrices of the columns: on the CPU alone, where `at` is so many
 * whole columns that `work`, starfish_band_columns_work reals, stays in the cache. u == NULL is zero; v may be u. 8
 * words per unknown, 7 without u. */
struct starfish_band_columns {
    struct starfish_band_matrix matrix;
    struct starfish_rectangle at;
    enum starfish_band_choice
        choice; /* columns that are not chosen are solved for, too, side by side with the others */
    double damping;
    const void *u, *f;
    void *v, *work;
};
size_t starfish_band_columns_pitch(size_t width); /* reals between rows of the work space, whole cache lines */
size_t starfish_band_columns_work(size_t width, size_t height);
void starfish_band_columns_cpu_f32(const struct starfish_band_columns *arguments);
void starfish_band_columns_cpu_f64(const struct starfish_band_columns *arguments);
void starfish_band_columns_cpu_f32_f16(const struct starfish_band_columns *arguments);
void starfish_band_columns_cpu_f32_bf16(const struct starfish_band_columns *arguments);

/* u = inverse * f, for the few unknowns of a coarsest grid: `inverse` is symmetric, n * n reals. */
struct starfish_band_dense {
    size_t n;
    const void *inverse, *f;
    void *u;
};
void starfish_band_dense_cpu_f32(const struct starfish_band_dense *arguments);
void starfish_band_dense_cpu_f64(const struct starfish_band_dense *arguments);
int starfish_band_dense_cuda_f32(const struct starfish_band_dense *arguments, struct CUstream_st *stream);
int starfish_band_dense_cuda_f64(const struct starfish_band_dense *arguments, struct CUstream_st *stream);

#endif

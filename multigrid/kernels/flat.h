/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Matrices of flat domains, two-dimensional across times one-dimensional upwards, and what multigrid and conjugate
 * gradients do with them: the contract of flat_*.
 *
 * The grid has n[0] x n[1] columns of n[2] cells. Unknown (i,j,k) of an array is element i + n[0] * (k + n[2] * j): x
 * is fastest, then the height, so that a run of rows j is a run of memory that holds columns whole. Nothing of the size
 * of an array is stored of the matrix: a column T = (i,j) has two scalars and the couplings of its four faces, a layer
 * k has four numbers (Mueller, Scheichl, Vainikko, Parallel Comput. 50 (2015), 53-69, equation 15, in difference form):
 *
 *     (A u)_Tk = mass_T a_k u_Tk + lift_T (b_k (u_Tk - u_T,k-1) + c_k (u_Tk - u_T,k+1))
 *                + d_k (sum over the faces of T of coupling (u_Tk - u_Nk)),   N the column beyond the face.
 *
 * Where the two families of lines are not orthogonal, a corner couples two of the columns around it, by its number q:
 * where q > 0 the one in the south-west and the one in the north-east, else, by -q, the other two,
 *     d_k |q| (u_Tk - u_Nk) in either of them, N the other one.
 * Corners on the sides are 0, and no direction is periodic then.
 *
 * Where a direction is not periodic, u is 0 beyond the outer faces, and the coupling of an outer face is that to the
 * zero on the face itself. In a periodic direction of one column the couplings are 0. b of the lowest and c of the
 * highest layer are 0. M is the part of A inside of columns, tridiagonal, with the diagonal of A whole.
 *
 * Kernels work on the rows y0 .. y1-1 of arrays of the whole grid. Several runs of rows may be worked on at once. All
 * are bound by memory: what belongs to columns adds 4 / n[2] words per unknown. CPU functions keep some lines in
 * `work`, starfish_flat_work_cpu(matrix, size of a real) bytes for each run that is worked on at once; CUDA functions
 * need starfish_flat_work_cuda(...), little unless columns are longer than STARFISH_FLAT_MOST_HELD. CUDA functions
 * launch on `stream` and return a cudaError_t, 0 when the launch was accepted. The naive references are in flat_ref.h.
 */
#ifndef STARFISH_MULTIGRID_KERNELS_FLAT_H
#define STARFISH_MULTIGRID_KERNELS_FLAT_H

#include "krylov/kernels/vectors.h"

enum { STARFISH_FLAT_MOST_HELD = 256 }; /* cells of a column that a GPU keeps in registers */

struct starfish_flat_matrix {
    size_t n[3];                 /* cells in x, y and z */
    int periodic[2];             /* in x and y */
    const void *mass, *lift;     /* n[0] * n[1] reals, x fastest */
    const void *face_x, *face_y; /* (n[0] + 1) * n[1] and n[0] * (n[1] + 1): the faces below a column in x, and in y */
    const void *a, *b, *c, *d;   /* n[2] reals each */
    const void *corner;          /* (n[0] + 1) * (n[1] + 1) reals: the corners below columns in both; NULL: none */
    /* Where the tridiagonal parts of columns are of few types and eliminated already (flat_factors.h); types 0: not.
     * The type of each column, n[0] * n[1] reals, and the factors of each type. */
    size_t types;
    const void *type, *factors;
    size_t own[2]; /* columns own[0] .. own[1]-1 of a row count in sums; both 0: all do */
};

/* One direction of the transfers between a grid and the next coarser one, whose cells are pairs 2 I, 2 I + 1; an odd
 * last cell becomes a coarse one alone. fine == coarse: the direction is not coarsened. Fine i is interpolated as
 *     lower[i] * coarse (i-1)/2  +  upper[i] * coarse (i-1)/2 + 1,   (i-1)/2 rounded down, -1 for i = 0.
 * and an odd last cell, which is the centre of its coarse one, has the lower weight 0. Indices wrap where the
 * direction is periodic; else a coarse cell that is not there is 0. */
struct starfish_flat_transfer {
    size_t fine, coarse;
    int periodic;
    const void *lower, *upper; /* fine reals each; not read where the direction is not coarsened */
};

/* v = w + damping * M^-1 (f - A w), w = u + P coarse; coarse NULL: w = u; u NULL: zero. v is neither. With a colour
 * only columns with i + j even or odd, and v = w in the others (red-black block SOR by two of these). `sums`,
 * STARFISH_SUMS doubles that add up to the inner product of f and v over the rows, NULL where it is not wanted. 3 words
 * per unknown, 2 without u, and a quarter for coarse. */
enum starfish_flat_columns { STARFISH_FLAT_ALL, STARFISH_FLAT_EVEN, STARFISH_FLAT_ODD };
struct starfish_flat_smooth {
    struct starfish_flat_matrix matrix;
    struct starfish_flat_transfer transfer[2]; /* where there is a coarse */
    size_t y0, y1;
    enum starfish_flat_columns columns;
    double damping;
    const void *u, *f, *coarse;
    void *v, *work;
    double *sums;
    size_t sum_count; /* on cores: how many sums there are, 0: STARFISH_SUMS */
};
void starfish_flat_smooth_cpu_f32(const struct starfish_flat_smooth *arguments);
void starfish_flat_smooth_cpu_f64(const struct starfish_flat_smooth *arguments);
int starfish_flat_smooth_cuda_f32(const struct starfish_flat_smooth *arguments, struct CUstream_st *stream);
int starfish_flat_smooth_cuda_f64(const struct starfish_flat_smooth *arguments, struct CUstream_st *stream);

/* result = f - A w and `sums`, STARFISH_SUMS doubles that add up to the sum of its squares over the rows, or with
 * `energy` to the inner product of w and f - A w; either may be NULL where it is not wanted. w = u + factor * *scalar *
 * correction (scalar, where the kernel runs, NULL: 1), or u where correction is NULL or its factor 0; v = w where v is
 * not NULL. f and u may be NULL: zero, but f not where w is. result and v are none of the inputs. 3 words per unknown,
 * less 1 without result, 2 more with correction and v: so a step of conjugate gradients moves 10.
 *
 * With `lower`, which functions in f64 alone have, correction and result are f32, and the result is divided by
 * factor * *scalar, a power of two: so the residual that a correction leaves becomes the right-hand side of the next
 * one. 32 bytes per unknown. */
struct starfish_flat_residual {
    struct starfish_flat_matrix matrix;
    size_t y0, y1;
    const void *u, *f;
    void *result;
    double *sums;
    void *work;
    const void *correction;
    double factor;
    const double *scalar;
    void *v;
    int energy, lower;
    size_t sum_count; /* on cores: how many sums there are, 0: STARFISH_SUMS */
};
void starfish_flat_residual_cpu_f32(const struct starfish_flat_residual *arguments);
void starfish_flat_residual_cpu_f64(const struct starfish_flat_residual *arguments);
int starfish_flat_residual_cuda_f32(const struct starfish_flat_residual *arguments, struct CUstream_st *stream);
int starfish_flat_residual_cuda_f64(const struct starfish_flat_residual *arguments, struct CUstream_st *stream);

/* coarse = the sums of f - A u over the columns of each coarse one (equations are integrals over cells, so that this is
 * the cell average), on rows y0 .. y1-1 of the coarse grid; u NULL: zero. 2 words per fine unknown and a quarter. */
struct starfish_flat_restrict {
    struct starfish_flat_matrix matrix; /* of the fine grid */
    struct starfish_flat_transfer transfer[2];
    size_t y0, y1;
    const void *u, *f;
    void *coarse, *work;
};
void starfish_flat_restrict_cpu_f32(const struct starfish_flat_restrict *arguments);
void starfish_flat_restrict_cpu_f64(const struct starfish_flat_restrict *arguments);
int starfish_flat_restrict_cuda_f32(const struct starfish_flat_restrict *arguments, struct CUstream_st *stream);
int starfish_flat_restrict_cuda_f64(const struct starfish_flat_restrict *arguments, struct CUstream_st *stream);

/* v = u + P coarse on rows of the fine grid, linear in x and in y; u NULL: zero. v may be u. 2 words per unknown and a
 * quarter. */
struct starfish_flat_prolong {
    struct starfish_flat_transfer transfer[2];
    size_t layers, y0, y1;
    const void *coarse, *u;
    void *v, *work;
};
void starfish_flat_prolong_cpu_f32(const struct starfish_flat_prolong *arguments);
void starfish_flat_prolong_cpu_f64(const struct starfish_flat_prolong *arguments);
int starfish_flat_prolong_cuda_f32(const struct starfish_flat_prolong *arguments, struct CUstream_st *stream);
int starfish_flat_prolong_cuda_f64(const struct starfish_flat_prolong *arguments, struct CUstream_st *stream);

/* Between the cells [x0, x1) x [y0, y1) x [z0, z1) of an array of users, x fastest, then y, then z, and of one of a
 * grid of nx columns and nz layers: to the grid, or where `back` to the user's. The user's is given from its cell
 * (x0, first, z0) on: cell (i,j,k) at i - x0 + row * (j - first) + plane * (k - z0). With scales, times
 * column[i + columns * j] * layer[k]: values become integrals. 2 words per unknown. */
struct starfish_flat_arrange {
    size_t nx, nz, x0, x1, y0, y1, z0, z1, first, row, plane;
    int back;
    const double *column, *layer; /* both NULL: unchanged */
    size_t columns;
    const void *from;
    void *to;
};
void starfish_flat_arrange_cpu_f32(const struct starfish_flat_arrange *arguments);
void starfish_flat_arrange_cpu_f64(const struct starfish_flat_arrange *arguments);
int starfish_flat_arrange_cuda_f32(const struct starfish_flat_arrange *arguments, struct CUstream_st *stream);
int starfish_flat_arrange_cuda_f64(const struct starfish_flat_arrange *arguments, struct CUstream_st *stream);

/* On cores: lines of a piece of columns that pass through the cache together, twice; a line of the grid with what
 * pieces and neighbours add; and three rows. */
enum { STARFISH_FLAT_PIECE = 128, STARFISH_FLAT_RING = 3 };
static inline size_t starfish_flat_line(const struct starfish_flat_matrix *matrix)
{
    return matrix->n[0] + STARFISH_FLAT_PIECE + 2;
}
static inline size_t starfish_flat_work_cpu(const struct starfish_flat_matrix *matrix, size_t real_size)
{
    const size_t row = matrix->n[0] * matrix->n[2], lines = 2 * STARFISH_FLAT_PIECE * matrix->n[2];

    return (lines + starfish_flat_line(matrix) + STARFISH_FLAT_RING * row) * real_size;
}
size_t starfish_flat_work_cuda(const struct starfish_flat_matrix *matrix, size_t real_size);

#endif

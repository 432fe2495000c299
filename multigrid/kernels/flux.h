/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Seven-point matrices on a grid of nx * ny * nz unknowns and what multigrid does with them: the contract of flux_*.
 *
 * Unknown (i,j,k) is element i + nx * (j + ny * k) of an array. In difference form, which keeps row sums exactly (f32
 * works on fine grids), with lo and hi the couplings of its two faces in direction d:
 *
 *     (A u)_c = sum over d of  lo (u_c - u_below) + hi (u_c - u_above)   +   rest u_c .
 *
 * A face has one coupling, >= 0, so that A is symmetric: equations are integrated over control volumes. The diagonal D
 * is the sum of all six couplings and of the rest. A direction is
 *
 *     periodic   the neighbour of the last unknown is the first one. Where it has one unknown its couplings must be 0.
 *     open       the couplings of the two outer faces are 0; what Dirichlet data add is in the rest.
 *     decoupled  (either of these) neighbours' values are taken as 0, while the couplings stay in D: this is the
 *                matrix of all planes or of all lines at once.
 *
 * The matrix comes in one of two forms:
 *
 *     tensor     the coupling of a face in x is coupling_x[i] * weight_y[j] * weight_z[k], and so for y and z; the rest
 *                is extra_x[i] weight_y[j] weight_z[k] + weight_x[i] extra_y[j] weight_z[k]
 *                + weight_x[i] weight_y[j] extra_z[k] + lambda weight_x[i] weight_y[j] weight_z[k].
 *                Nothing of the matrix is read from memory.
 *     stored     4 words per unknown: the couplings of the faces BELOW it in x, y and z, and the rest. The face above
 *                is the neighbour's face below; in an open direction the faces below the first unknowns hold 0. The
 *                rest may be NULL for zeros, and so may the faces in y and in z where there is one unknown.
 *
 * Kernels work on a part: whole rows, y0 .. y1-1 of planes z0 .. z1-1. Arrays are of the whole grid, or of a part with
 * ghosts around it, shifted so that indices are those of the whole grid. Several parts may be worked on at the same
 * time. All kernels are bound by memory; words per unknown below are those of the tensor form,
 * and the stored form adds 4. CPU functions keep a few rows in `work`, starfish_flux_work(nx of the grid, the finer of
 * two) reals, one for each part that is worked on at the same time; CUDA functions do not read it. CUDA functions
 * launch on `stream` and return a cudaError_t, 0 when the launch was accepted, cudaErrorInvalidValue where a plane (for
 * lines, planes in y and z too) has 2^31 unknowns or more. The naive references are in flux_ref.h. */
#ifndef STARFISH_MULTIGRID_FLUX_H
#define STARFISH_MULTIGRID_FLUX_H

#include "multigrid/kernels/band.h"

struct starfish_flux_axis {
    size_t n;
    int periodic, decoupled;
    /* tensor form: n + 1 (coupling[i] is the face below i, the last one above n - 1, the first one again where
     * periodic), n and n reals */
    const void *coupling, *extra, *weight;
    int ghosts; /* z alone, periodic: beyond the ends values are at -1, -2, .. and n, n + 1, .., not at the other end */
};

struct starfish_flux_matrix {
    struct starfish_flux_axis axis[3]; /* x, y, z */
    double lambda;
    const void *face[3], *rest; /* stored form; face[0] == NULL: tensor form */
};

struct starfish_flux_part {
    size_t y0, y1, z0, z1;
};

enum { STARFISH_FLUX_WORK_ROWS = 12, STARFISH_FLUX_WORK_PAD = 16 };
static inline size_t starfish_flux_work(size_t nx)
{
    return STARFISH_FLUX_WORK_ROWS * (nx + STARFISH_FLUX_WORK_PAD);
}

/* One direction of the transfers between a grid and the next coarser one. fine == coarse: the direction is not
 * coarsened and the transfer is the identity. Otherwise coarse is fine / 2, rounded down or up, and
 *
 *     fine i is       lower[i] * coarse (i-1)/2  +  upper[i] * coarse (i-1)/2 + 1,   (i-1)/2 rounded down, -1 for i = 0
 *     coarse I gets   sum over t = 0 .. 3 of  gather[t][I] * fine 2 I - 1 + t.
 *
 * This covers coarse nodes at odd and at even fine ones as well as cells that are pairs of cells 2 I, 2 I + 1 (an odd
 * last cell becomes a coarse one alone). R = P^T is gather = {lower or upper of these four}, and R = sums of cells is
 * gather = {0, 1, 1, 0}. Indices wrap where the direction is periodic; where it is open, a weight that leads out of the
 * grid must be 0, and its element is not read. With an odd periodic size keep one coarse unknown more (rounded up):
 * then no fine unknown has its coarse one further away. */
struct starfish_flux_transfer {
    size_t fine, coarse;
    int periodic;
    const void *lower, *upper; /* fine reals each */
    const void *gather[4];     /* coarse reals each */
    int ghosts;                /* z alone, periodic: so do values of the coarse grid */
    int pairs; /* coarse I gets the sum of fine 2 I and 2 I + 1, or of the last alone: gather is {0, 1, 1, 0} */
};

/* v = w + damping * D^-1 (f - A w), w = u + P coarse, P by transfer[3]. coarse == NULL: w = u; u == NULL is zero. v is
 * neither. With an order the unknowns of one colour, i + j + k even or odd, go first, then those of the other with
 * their new values (red-black Gauss-Seidel, SOR). Unknowns of one colour that are neighbours, across the ends of a
 * periodic direction of odd size, are done at once, from what they were. Opposite orders before and after make a
 * symmetric cycle. 3 words per unknown, 2 without u, and an eighth for coarse, in any order: both colours are done in
 * one pass. */
enum starfish_flux_order { STARFISH_FLUX_AT_ONCE, STARFISH_FLUX_EVEN_FIRST, STARFISH_FLUX_ODD_FIRST };
/* On the CPU, with an order, parts of one array v may be swept together in three calls each: BEGIN does all that needs
 * nothing of the other parts' results; when all parts have begun, END_EVEN does the rest of the rows whose j + k is
 * even; and when all have done that, END_ODD that of the others. So no part reads a row that another one writes. */
enum starfish_flux_phase { STARFISH_FLUX_WHOLE, STARFISH_FLUX_BEGIN, STARFISH_FLUX_END_EVEN, STARFISH_FLUX_END_ODD };
struct starfish_flux_smooth {
    struct starfish_flux_matrix matrix;
    struct starfish_flux_part at;
    enum starfish_flux_order order;
    enum starfish_flux_phase phase;
    double damping;
    const void *u, *f;
    struct starfish_flux_transfer transfer[3];
    const void *coarse;
    void *v, *work;
};
void starfish_flux_smooth_cpu_f32(const struct starfish_flux_smooth *arguments);
void starfish_flux_smooth_cpu_f64(const struct starfish_flux_smooth *arguments);
int starfish_flux_smooth_cuda_f32(const struct starfish_flux_smooth *arguments, struct CUstream_st *stream);
int starfish_flux_smooth_cuda_f64(const struct starfish_flux_smooth *arguments, struct CUstream_st *stream);

/* result = f - A u and `sums`, STARFISH_SUMS doubles that add up to the sum of its squares over the part; either may be
 * NULL where it is not wanted. f == NULL is zero (result = -A u), u == NULL too, not both. result is neither, or f. 3
 * words per unknown, 2 without result. */
struct starfish_flux_residual {
    struct starfish_flux_matrix matrix;
    struct starfish_flux_part at;
    const void *u, *f;
    void *result;
    double *sums;
    void *work;
};
void starfish_flux_residual_cpu_f32(const struct starfish_flux_residual *arguments);
void starfish_flux_residual_cpu_f64(const struct starfish_flux_residual *arguments);
int starfish_flux_residual_cuda_f32(const struct starfish_flux_residual *arguments, struct CUstream_st *stream);
int starfish_flux_residual_cuda_f64(const struct starfish_flux_residual *arguments, struct CUstream_st *stream);

/* coarse = R (f - A u), R by transfer[3], on a part `at` of the coarse grid, without storing the residual; u == NULL is
 * zero. 2 words per fine unknown and an eighth, 1 less without u. */
struct starfish_flux_restrict {
    struct starfish_flux_matrix matrix; /* of the fine grid */
    struct starfish_flux_transfer transfer[3];
    struct starfish_flux_part at;
    const void *u, *f;
    void *coarse, *work;
};
void starfish_flux_restrict_cpu_f32(const struct starfish_flux_restrict *arguments);
void starfish_flux_restrict_cpu_f64(const struct starfish_flux_restrict *arguments);
int starfish_flux_restrict_cuda_f32(const struct starfish_flux_restrict *arguments, struct CUstream_st *stream);
int starfish_flux_restrict_cuda_f64(const struct starfish_flux_restrict *arguments, struct CUstream_st *stream);

/* v = u + P coarse on a part of the fine grid; u == NULL is zero, v may be u. 2 words per unknown and an eighth. */
struct starfish_flux_prolong {
    struct starfish_flux_transfer transfer[3];
    struct starfish_flux_part at;
    const void *coarse, *u;
    void *v, *work;
};
void starfish_flux_prolong_cpu_f32(const struct starfish_flux_prolong *arguments);
void starfish_flux_prolong_cpu_f64(const struct starfish_flux_prolong *arguments);
int starfish_flux_prolong_cuda_f32(const struct starfish_flux_prolong *arguments, struct CUstream_st *stream);
int starfish_flux_prolong_cuda_f64(const struct starfish_flux_prolong *arguments, struct CUstream_st *stream);

/* Lines along one direction (0, 1, 2 for x, y, z): v = u + damping * T^-1 (f - A u) with T the tridiagonal part of A
 * along the lines, cyclic where the direction is periodic; D whole. u == NULL is zero. The direction must not be
 * decoupled and a part holds lines whole. Either all lines at once, v not u; or those alone whose two other indices
 * have an even or an odd sum (zebra), and the other lines are v = u. v may be u for one colour, where no two lines of a
 * colour are neighbours (they are across the ends of periodic directions of odd size). Lines are solved without
 * interchanges: T is diagonally dominant. A cyclic T may not be singular. 3 words per unknown on the CPU, where lines
 * pass through the cache. `work`: starfish_flux_lines_work_...(these, size of a real) bytes. */
enum starfish_flux_lines_of { STARFISH_FLUX_ALL_LINES, STARFISH_FLUX_EVEN_LINES, STARFISH_FLUX_ODD_LINES };
struct starfish_flux_lines {
    struct starfish_flux_matrix matrix;
    struct starfish_flux_part at;
    int direction;
    enum starfish_flux_lines_of which;
    double damping;
    const void *u, *f;
    void *v, *work;
};
size_t starfish_flux_lines_work_cpu(const struct starfish_flux_lines *lines, size_t real_size);
size_t starfish_flux_lines_work_cuda(const struct starfish_flux_lines *lines, size_t real_size);
void starfish_flux_lines_cpu_f32(const struct starfish_flux_lines *arguments);
void starfish_flux_lines_cpu_f64(const struct starfish_flux_lines *arguments);
int starfish_flux_lines_cuda_f32(const struct starfish_flux_lines *arguments, struct CUstream_st *stream);
int starfish_flux_lines_cuda_f64(const struct starfish_flux_lines *arguments, struct CUstream_st *stream);

#endif

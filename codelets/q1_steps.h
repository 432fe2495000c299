/* What is done on one grid of Q1 multigrid, on pointers: kernels of multigrid/kernels and lines of tridiag put
 * together, on the CPU and on the GPU alike. Tasks of parts of a grid (q1.c) and the task of all small grids
 * (q1_tail.c) call them.
 *
 * A line step is u + damping * T^-1 (f - A u) with T the tridiagonal matrices of the lines in one direction. On the CPU
 * a few lines at a time pass through the cache: residual, solve, update; 8 words per unknown go to memory. On
 * the GPU each of the three is a kernel over all lines: 9 words for the residual and the diagonal, 5 for the lines, 3
 * for the update. */
#ifndef STARFISH_CODELETS_Q1_STEPS_H
#define STARFISH_CODELETS_Q1_STEPS_H

#include "base/place.h"
#include "multigrid/kernels/band.h"
#include "multigrid/kernels/transfer.h"
#include <starfish/types.h>

/* A grid, and how the next finer one is interpolated from it; its table is
 *     matrix, left and right of x, left and right of y, and the inverse if it is `coarsest` and solved by it,
 * the matrix as bands (starfish_band_table_start, or in 16 bits starfish_band_packed_size) or, where `tensor`, as
 * widths and inverse widths of the elements in x and in y, of which there are one more than unknowns. */
struct starfish_q1_shape {
    size_t n[2], stride[2], origin[2];
    int coarsest;
    enum starfish_band_storage storage; /* of struct starfish_band_matrix, as the next two */
    double scale;
    int diagonals;
    int tensor;
    double reaction;   /* of tensor products */
    double eigenvalue; /* an upper bound of those of D^-1 A; for Chebyshev's steps alone */
};
size_t starfish_q1_table_weights(const struct starfish_q1_shape *shape); /* where left of x begins */
size_t starfish_q1_table_inverse(const struct starfish_q1_shape *shape);
size_t starfish_q1_table_size(const struct starfish_q1_shape *shape);

/* Half a four-colour step: even rows, odd rows. */
enum starfish_q1_direction {
    STARFISH_Q1_LINES_X,
    STARFISH_Q1_LINES_Y,
    STARFISH_Q1_POINTS,
    STARFISH_Q1_ROWS_EVEN,
    STARFISH_Q1_ROWS_ODD
};

/* Bytes of work space for steps on a grid. */
size_t starfish_q1_work(starfish_precision precision, const struct starfish_q1_shape *shape, int gpu);

/* v = u improved by one step on whole lines of `at`; u == NULL is zero. v is not u. */
struct starfish_q1_smooth {
    struct starfish_q1_shape shape;
    enum starfish_q1_direction direction;
    struct starfish_rectangle at;
    double damping;
    const void *table, *u, *f;
    void *v;
};
/* All return a cudaError_t, 0 on the CPU. */
int starfish_q1_smooth_here(const struct starfish_place *place, const struct starfish_q1_smooth *step);

/* coarse = restricted f - A u on whole rows of the coarse grid; u == NULL is zero. */
struct starfish_q1_restrict {
    struct starfish_q1_shape fine, coarse;
    struct starfish_rectangle at;
    const void *fine_table, *coarse_table, *u, *f;
    void *result;
};
int starfish_q1_restrict_here(const struct starfish_place *place, const struct starfish_q1_restrict *step);

/* u += prolonged coarse, or = where zero, on a rectangle of the fine grid. */
struct starfish_q1_prolong {
    struct starfish_q1_shape fine, coarse;
    struct starfish_rectangle at;
    int zero;
    const void *coarse_table, *coarse_u;
    void *u;
};
int starfish_q1_prolong_here(const struct starfish_place *place, const struct starfish_q1_prolong *step);

/* result = f - A u on whole rows, and the sum of its squares, either NULL where it is not wanted. */
struct starfish_q1_residual {
    struct starfish_q1_shape shape;
    struct starfish_rectangle at;
    const void *table, *u, *f;
    void *result; /* an array of the whole grid */
    double *sums; /* STARFISH_SUMS */
};
int starfish_q1_residual_here(const struct starfish_place *place, const struct starfish_q1_residual *step);

/* v = u + scale * correction, arrays of the whole grid, v either of them or a third; correction NULL: v = u. */
int starfish_q1_update_here(const struct starfish_place *place, const struct starfish_q1_shape *shape,
                            struct starfish_rectangle at, double scale, const void *u, const void *correction, void *v);

/* sums: STARFISH_SUMS doubles that add up to the inner product of u and v. */
int starfish_q1_product_here(const struct starfish_place *place, const struct starfish_q1_shape *shape,
                             struct starfish_rectangle at, const void *u, const void *v, double *sums);

/* to = from. */
int starfish_q1_copy_here(const struct starfish_place *place, const struct starfish_q1_shape *shape,
                          struct starfish_rectangle at, const void *from, void *to);

/* u = inverse f on the coarsest grid. */
int starfish_q1_solve_here(const struct starfish_place *place, const struct starfish_q1_shape *shape, const void *table,
                           const void *f, void *u);

#endif

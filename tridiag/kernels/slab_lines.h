/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tridiagonal systems along z of a field that is cut into slabs: the contract of the kernels that let every slab be
 * eliminated and finished where it lies (substructuring; Wang 1981, ACM TOMS 7, 170).
 *
 * One lane, with z to the right. The last row of each slab is its separator:
 *
 *       slab before          this slab                     next slab
 *      o  o  o  o  S  |  o  o  o  o  o  o  S  |  o  o  o  o  o  o  S
 *                  v'   u(0)  interior     v    u_next(0)
 *
 *     ends      | one pass down the slab: two equations remain between v', v and u_next(0)     2 reals per lane
 *     reduced   | the second one of the next slab replaces u_next(0): v' - v - v_next - ...    1 unknown per slab
 *     solve     | v' and v are known, so that the interior is a system by itself               1 real per lane
 *
 * One pass suffices, since two equations hold for the rows up to any row k, and the next row updates both:
 *     before v' + pivot u(k) + upper[k] u(k+1) = rhs,          u(0) = head - head_own u(k) - head_before v'.
 * They begin with the first row itself and u(0) = 0 + 1 u(0). Elimination of u(k) from row k+1 and from the second
 * equation gives those of k+1. At the last row they are what the slab's neighbours need. So a slab is read twice and
 * written once, whatever its thickness, and only its ends and separators travel between memories. docs/algorithms.md
 * has all six coefficients in terms of the interior's inverse.
 *
 * A slab is `rows` consecutive planes of inner * outer lanes, its row k (counted from 0) of lane l at
 * data[k * plane + l]. Lane l = i + inner * j has the rows
 *     lower[k] u(k-1) + (diag[k] + weight[k] shift_inner[i] + shift_outer[j] + shift) u(k) + upper[k] u(k+1) = f(k),
 * where u(-1) is in the slab before and u(rows) in the next. The last row's unknown v is the slab's separator. The
 * rows - 1 before it (maybe none) are its interior; without them a slab says two things of each lane:
 *     lower v_before + diag v + upper[rows-1] u_next(0) = rhs               (the separator's own row)
 *     u(0) = head - head_own v - head_before v_before                       (what the slab before needs of it)
 * with v_before the separator before. `ends` computes rhs and head; the other four depend on the operator alone and
 * are `coefficients`. Over all slabs these are one tridiagonal system per lane, which `reduced` solves for the
 * separators; `solve` then has all that a slab needs for its interior.
 *
 * Arrays of one real per lane are cut where the reduced systems of different lanes are solved in different places: part
 * b is of the lanes with first_outer[b] <= j < first_outer[b+1]; its first element is lane inner * first_outer[b].
 *
 * Where couplings have one sign and rows sum to nothing of that sign, shift included, as in all discretisations of a
 * second difference, `row_sums` says that diag[k] is what row k sums to, lower[k] and upper[k] included, instead of its
 * diagonal. Then no kernel subtracts (Grassmann, Taksar and Heyman, Oper. Res. 33 (1985)): with
 *     sum = (row sum + shift) - lower g(k-1),      pivot = sum - upper,      g = sum / pivot = 1 + upper / pivot
 * every term of a sum has one sign. Else layers much thinner than they are wide lose all digits, since their shifts are
 * below the rounding of their diagonals. Coefficients `diag` and `head_before` are row sums then too:
 *     sum = lower + diag + upper[rows-1],          head_sum = 1 + head_own + head_before.
 *
 * All arrays are aligned to reals and to nothing more, and are where the kernel runs. No pivoting: stable when every
 * lane's matrix is diagonally dominant or definite. Entries of the operator that have no neighbour to belong to are not
 * looked at, or have no influence on results (without row_sums): lower[0] in the first slab of a line that is not
 * periodic, and upper of its last row.
 *
 * CUDA functions launch on `stream` and return a cudaError_t, 0 when the launch was accepted. They take up to 2^31
 * lanes. */
#ifndef STARFISH_TRIDIAG_KERNELS_SLAB_LINES_H
#define STARFISH_TRIDIAG_KERNELS_SLAB_LINES_H

#include <stddef.h>

struct CUstream_st; /* what a cudaStream_t points to */

enum { STARFISH_SLAB_MAX_PARTS = 32, STARFISH_SLAB_MAX_SLABS = 64 };

struct starfish_slab_lines {
    size_t rows;                      /* >= 1 */
    const void *lower, *diag, *upper; /* rows reals each */
    size_t inner, outer;              /* >= 1 */
    size_t plane; /* reals between planes: inner * outer, or more when these are lanes of larger ones */
    const void *shift_inner, *shift_outer; /* inner and outer reals; either may be NULL (zero) */
    const void *weight;                    /* rows reals; NULL: ones; on CUDA always NULL for whole periodic lines */
    double shift;
    int row_sums; /* diag are row sums, as above; entries that have no neighbour to belong to must be zero then */
    int parts;    /* 1 .. STARFISH_SLAB_MAX_PARTS */
    size_t first_outer[STARFISH_SLAB_MAX_PARTS + 1]; /* ascending, first_outer[0] = 0, first_outer[parts] = outer */
};

/* ---- What a slab says of its ends --------------------------------------------------------------------------------
 * Reads the data once and writes two reals per lane: bound by memory. */
struct starfish_slab_ends {
    struct starfish_slab_lines lines;
    const void *data; /* rows planes */
    void *rhs[STARFISH_SLAB_MAX_PARTS], *head[STARFISH_SLAB_MAX_PARTS];
};

void starfish_slab_ends_cpu_f32(const struct starfish_slab_ends *arguments);
void starfish_slab_ends_cpu_f64(const struct starfish_slab_ends *arguments);
int starfish_slab_ends_cuda_f32(const struct starfish_slab_ends *arguments, struct CUstream_st *stream);
int starfish_slab_ends_cuda_f64(const struct starfish_slab_ends *arguments, struct CUstream_st *stream);

/* The same for what does not depend on the data; for plans. */
struct starfish_slab_coefficients {
    struct starfish_slab_lines lines;
    void *lower[STARFISH_SLAB_MAX_PARTS], *diag[STARFISH_SLAB_MAX_PARTS];
    void *head_own[STARFISH_SLAB_MAX_PARTS], *head_before[STARFISH_SLAB_MAX_PARTS]; /* row_sums: head_sum */
};

void starfish_slab_coefficients_cpu_f32(const struct starfish_slab_coefficients *arguments);
void starfish_slab_coefficients_cpu_f64(const struct starfish_slab_coefficients *arguments);
int starfish_slab_coefficients_cuda_f32(const struct starfish_slab_coefficients *arguments, struct CUstream_st *stream);
int starfish_slab_coefficients_cuda_f64(const struct starfish_slab_coefficients *arguments, struct CUstream_st *stream);

/* ---- The system of the separators --------------------------------------------------------------------------------
 * Of `lanes` lanes, one part of each slab's arrays: overwrites rhs[s] with the separators of slab s. `upper` holds
 * upper[rows-1] of every slab. A periodic line's first slab comes after its last; one and two slabs will do.
 * `pinned_lane`: a lane whose matrix is singular and whose right-hand side is consistent, counted from the first lane
 * here; its last separator is set to zero. -1 when there is none.
 * Bound by memory: reads 6 reals per slab and lane, writes one, and keeps one (periodic: two) in the workspace. */
struct starfish_slab_reduced {
    size_t lanes;
    int slabs; /* 1 .. STARFISH_SLAB_MAX_SLABS */
    int periodic;
    int row_sums; /* diag and head_before are what coefficients with row_sums are */
    ptrdiff_t pinned_lane;
    const void *upper; /* slabs reals */
    void *rhs[STARFISH_SLAB_MAX_SLABS];
    const void *head[STARFISH_SLAB_MAX_SLABS];
    const void *lower[STARFISH_SLAB_MAX_SLABS], *diag[STARFISH_SLAB_MAX_SLABS];
    const void *head_own[STARFISH_SLAB_MAX_SLABS], *head_before[STARFISH_SLAB_MAX_SLABS];
    void *workspace; /* starfish_slab_reduced_workspace_...(...) bytes */
};

size_t starfish_slab_reduced_workspace_cpu(int slabs, size_t lanes, int periodic, size_t real_size);
size_t starfish_slab_reduced_workspace_cuda(int slabs, size_t lanes, int periodic, size_t real_size);

void starfish_slab_reduced_cpu_f32(const struct starfish_slab_reduced *arguments);
void starfish_slab_reduced_cpu_f64(const struct starfish_slab_reduced *arguments);
int starfish_slab_reduced_cuda_f32(const struct starfish_slab_reduced *arguments, struct CUstream_st *stream);
int starfish_slab_reduced_cuda_f64(const struct starfish_slab_reduced *arguments, struct CUstream_st *stream);

/* ---- The unknowns of a slab --------------------------------------------------------------------------------------
 * With the separators `own` (parts pointers), the interior is solved and the last plane of `out` becomes them.
 * Without (own[0] NULL) the slab is all that is left of the line, and every row is solved; `periodic` and `pinned_lane`
 * (as above: last unknown zero) are for that case alone. `before` are the separators before; before[0] NULL: zero, or
 * none. `out` is `data` or does not overlap it. Without separators there may be several problems of the same lines, at
 * most 65,535, each with its data and its solution `distance` reals behind those of the one before. Bound by memory:
 * one read and one write. */
struct starfish_slab_solve {
    struct starfish_slab_lines lines;
    const void *data; /* rows planes */
    void *out;        /* rows planes */
    const void *before[STARFISH_SLAB_MAX_PARTS], *own[STARFISH_SLAB_MAX_PARTS];
    int periodic;
    ptrdiff_t pinned_lane;
    void *workspace; /* starfish_slab_solve_workspace_...(...) bytes; may be NULL where that is 0 */
    size_t problems; /* 0: one */
    size_t distance;
};

static inline size_t starfish_slab_problems(const struct starfish_slab_solve *arguments)
{
    return arguments->problems > 0 ? arguments->problems : 1;
}

/* For one problem: on the CPU a block of lanes; on CUDA nothing, unless a lane is too long for the registers of a block
 * of threads. */
size_t starfish_slab_solve_workspace_cpu(size_t rows, size_t lanes, int periodic, size_t real_size);
size_t starfish_slab_solve_workspace_cuda(size_t rows, size_t lanes, int periodic, size_t real_size);

void starfish_slab_solve_cpu_f32(const struct starfish_slab_solve *arguments);
void starfish_slab_solve_cpu_f64(const struct starfish_slab_solve *arguments);
int starfish_slab_solve_cuda_f32(const struct starfish_slab_solve *arguments, struct CUstream_st *stream);
int starfish_slab_solve_cuda_f64(const struct starfish_slab_solve *arguments, struct CUstream_st *stream);

#endif

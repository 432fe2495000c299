/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs of rows (chunks) eliminated down to their last one by a thread each: what batch_tiled_cuda.cu is made of.
 *
 * In a chunk of K rows with unknowns x(0) .. x(K-2) and the separator s = x(K-1), y being the separator of the chunk
 * before, elimination from the top leaves
 *     e(i) y + x(i) + c(i) x(i+1) = d(i),  i < K-1,     and     a y + b s + u x' = r
 * for the separator, x' being the first unknown of the next chunk. Substituting upwards gives that chunk's view of its
 * first unknown, x(0) = D - E y - C s. So a chunk is for its neighbours two equations (struct Joint), whatever its
 * length, and joints of two adjacent chunks merge into one. Wang 1981; Goeddeke and Strzodka's reduction with a radix
 * of K; the same idea as Laszlo, Giles, Appleyard 2016, who keep both ends of a chunk and so twice the unknowns. */
#ifndef STARFISH_TRIDIAG_KERNELS_BATCH_CHUNK_CUH
#define STARFISH_TRIDIAG_KERNELS_BATCH_CHUNK_CUH

#include "base/reciprocal.cuh"
#include "tridiag/kernels/batch_row.h"
#include <cuda_runtime.h>

namespace starfish_batch_chunk
{

template <int Columns> struct Joint {
    real a, b, u, r[Columns]; /* the separator's row */
    real first_e, first_c;    /* E, C */
    real first_d[Columns];    /* D */
};

/* The separators' own system: a y(t-1) + b y(t) + c y(t+1) = r. */
template <int Columns> struct Reduced {
    real a, b, c, r[Columns];
};

/* Where elimination leaves a thread's rows: in registers, */
template <int Rows> struct KeptInRegisters {
    real kept_c[Rows], kept_e[Rows];

    __device__ __forceinline__ void keep_in(real *) {}
    __device__ __forceinline__ real &c(int i) { return kept_c[i]; }
    __device__ __forceinline__ real &e(int i) { return kept_e[i]; }
};

/* or, when they are more than these hold, in shared memory, neighbouring threads (of `Threads`) in neighbouring
 * banks. */
template <int Rows, int Threads> struct KeptInShared {
    real *first;

    __device__ __forceinline__ void keep_in(real *shared) { first = shared + threadIdx.x; }
    __device__ __forceinline__ real &c(int i) { return first[2 * i * Threads]; }
    __device__ __forceinline__ real &e(int i) { return first[(2 * i + 1) * Threads]; }
};

/* c and e are kept in `Kept`; row Rows-1 of all three is not used. */
template <int Rows, int Columns, typename Kept> struct Chunk {
    Kept kept;
    real d[Columns][Rows];

    /* `rows.row(i)` gives row i, and thereafter rows.rhs(q, i) its right-hand sides; i goes up. y is an unknown, or
     * `known` and `before`. */
    template <typename Source>
    __device__ __forceinline__ void eliminate(Source &&rows, bool known, const real (&before)[Columns],
                                              Joint<Columns> &joint)
    {
        real above_c = 0, above_e = known ? 0 : -1, above_d[Columns];
#pragma unroll
        for (int q = 0; q < Columns; q++)
            above_d[q] = known ? before[q] : real(0);
#pragma unroll
        for (int i = 0; i < Rows; i++) {
            const batch_row row = rows.row(i);
            const real pivot = row.diag - row.lower * above_c, e_below = -row.lower * above_e;
            real below[Columns];
#pragma unroll
            for (int q = 0; q < Columns; q++)
                below[q] = rows.rhs(q, i) - row.lower * above_d[q];
            if (i == Rows - 1) {
                joint.a = e_below;
                joint.b = pivot;
                joint.u = row.upper;
#pragma unroll
                for (int q = 0; q < Columns; q++)
                    joint.r[q] = below[q];
            } else {
                const real scale = reciprocal(pivot);
                kept.c(i) = above_c = row.upper * scale;
                kept.e(i) = above_e = e_below * scale;
#pragma unroll
                for (int q = 0; q < Columns; q++)
                    d[q][i] = above_d[q] = below[q] * scale;
            }
        }
        look_from_first(joint);
    }

    __device__ __forceinline__ void look_from_first(Joint<Columns> &joint)
    {
        joint.first_e = 0;
        joint.first_c = -1;
#pragma unroll
        for (int q = 0; q < Columns; q++)
            joint.first_d[q] = 0;
#pragma unroll
        for (int i = Rows - 2; i >= 0; i--) {
            const real c = kept.c(i);
            joint.first_e = kept.e(i) - c * joint.first_e;
            joint.first_c = -c * joint.first_c;
#pragma unroll
            for (int q = 0; q < Columns; q++)
                joint.first_d[q] = d[q][i] - c * joint.first_d[q];
        }
    }

    /* d becomes the solution of column q; x(Rows-1) is `separator`. */
    __device__ __forceinline__ void substitute(int q, real before, real separator)
    {
        d[q][Rows - 1] = separator;
#pragma unroll
        for (int i = Rows - 2; i >= 0; i--)
            d[q][i] = d[q][i] - kept.e(i) * before - kept.c(i) * d[q][i + 1];
    }
};

/* The separator's row once the next chunk's first unknown is replaced. */
template <int Columns>
__device__ __forceinline__ Reduced<Columns> join(const Joint<Columns> &own, real next_e, real next_c,
                                                 const real (&next_d)[Columns])
{
    Reduced<Columns> row;

    row.a = own.a;
    row.b = own.b - own.u * next_e;
    row.c = -own.u * next_c;
#pragma unroll
    for (int q = 0; q < Columns; q++)
        row.r[q] = own.r[q] - own.u * next_d[q];
    return row;
}

/* Two adjacent chunks as one: the separator between them, P - Q y - R s, is eliminated. */
template <int Columns>
__device__ __forceinline__ Joint<Columns> merge(const Joint<Columns> &upper, const Joint<Columns> &lower)
{
    const real scale = reciprocal(upper.b - upper.u * lower.first_e);
    const real q = scale * upper.a, r = -scale * upper.u * lower.first_c;
    Joint<Columns> both;

    both.a = -lower.a * q;
    both.b = lower.b - lower.a * r;
    both.u = lower.u;
    both.first_e = upper.first_e - upper.first_c * q;
    both.first_c = -upper.first_c * r;
#pragma unroll
    for (int j = 0; j < Columns; j++) {
        const real p = scale * (upper.r[j] - upper.u * lower.first_d[j]);
        both.r[j] = lower.r[j] - lower.a * p;
        both.first_d[j] = upper.first_d[j] - upper.first_c * p;
    }
    return both;
}

} // namespace starfish_batch_chunk

#endif

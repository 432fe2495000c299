/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Symmetric tridiagonal lines on the GPU, cut into chunks of E unknowns, a thread each: how a thread eliminates its
 * chunk, how a warp joins 32 chunks, and how parts of 32 chunks are joined.
 *
 *      thread 0     thread 1     thread 2           thread 31      thread 0 of the next warp
 *     o o o o J    o o o o J    o o o o J    ...   o o o o J   |   o o o o J    ...              a line, E = 5
 *     \_________________ a part: 32 chunks _________________/
 *
 *     1. each thread   J  -  J  -  J  - ... -  J  |  J  - ...     the insides are eliminated in registers
 *     2. each warp                             J  |      ...  J   all joints of a part but its last, by shuffles
 *     3. every warp                            J  -  J  - ...     one system of the parts' joints, solved by each
 *     4. back          the joints of a part from its own joint and the one before it, then the insides likewise
 *
 * The last unknown of a chunk is its *joint*. A thread eliminates the others, the inside, by T = L D L^T. With v = L^-1
 * e_0 the first entry of T^-1 d is the sum of v d / D and T^-1's corner the sum of v^2 / D: what the chunk means to the
 * joint before it comes with the same pass down, and there is one reciprocal per unknown. Joints are a tridiagonal
 * system of the same kind, 32 of them, a *part*, a warp's: of those the last is the part's joint, and the others are
 * eliminated by parallel cyclic reduction (Hockney 1965). The parts' joints are one more such system, which every warp
 * solves, so that none waits for the solution of another.
 *
 * A line thus takes a pass down and a pass up each chunk, and five steps of shuffles for either system of joints,
 * instead of a chain of n divisions. The price is v: some operations more per unknown, but no more divisions.
 *
 * Source of the cut into chunks: Wang, ACM Trans. Math. Softw. 7 (1981), 170-183. */
#ifndef STARFISH_MULTIGRID_LINE_CHUNK_CUH
#define STARFISH_MULTIGRID_LINE_CHUNK_CUH

#include "base/reciprocal.cuh"

constexpr unsigned EVERY_LANE = 0xffffffffu;

/* What is left of a chunk: its joint's own entry and right-hand side, its coupling to the joint before, and what that
 * one's entry and right-hand side lose. */
template <typename real> struct Joint {
    real couple, diagonal, rhs, before_diagonal, before_rhs;
};

/* A chunk, unknown by unknown. Inverse pivots stay in registers, right-hand sides y where the caller likes. The
 * coupling of the first unknown is that to the joint before. */
template <typename real, int E> struct Chunk {
    real inverse[E - 1];
    real first_lower, v, corner, corner_rhs;

    /* Step r of 0 .. E-1 in order, given y of the step before; y of step r. Step E-1 completes the joint instead. */
    __device__ __forceinline__ real eliminate(int r, real lower, real diagonal, real residual, real before,
                                              Joint<real> *joint)
    {
        if (r == 0) {
            first_lower = lower;
            v = 1;
            inverse[0] = reciprocal(diagonal);
            corner = inverse[0];
            corner_rhs = inverse[0] * residual;
            return residual;
        }
        const real m = lower * inverse[r - 1], pivot = diagonal - m * lower, y = residual - m * before;
        if (r == E - 1) {
            *joint = {-m * v * first_lower, pivot, y, first_lower * first_lower * corner, first_lower * corner_rhs};
            return y;
        }
        v *= -m;
        inverse[r] = reciprocal(pivot);
        corner += v * v * inverse[r];
        corner_rhs += v * inverse[r] * y;
        return y;
    }

    /* What the joint before adds to y, in order from unknown 0; lower is that of unknown r > 0. */
    __device__ __forceinline__ real know(real before) { return v = -first_lower * before; }
    __device__ __forceinline__ real know(int r, real lower) { return v *= -lower * inverse[r - 1]; }
    /* Unknown r of E-2 .. 0 in order, from the one after it and the coupling to it. */
    __device__ __forceinline__ real substitute(int r, real y, real after, real lower_after) const
    {
        return inverse[r] * (y - lower_after * after);
    }
};

/* A joint in terms of two others: x = rhs - before x_before - after x_after. */
template <typename real> struct Known {
    real before, after, rhs;
};

/* Parallel cyclic reduction of the first `count` lanes' joints: the others, and those before lane 0, are kept as
 * unknowns. */
template <typename real>
__device__ __forceinline__ Known<real> reduce_joints(const Joint<real> &own, const Joint<real> &next, unsigned count)
{
    const unsigned lane = threadIdx.x % 32;
    const real scale = reciprocal(own.diagonal - next.before_diagonal);
    Known<real> k = {own.couple * scale, next.couple * scale, (own.rhs - next.before_rhs) * scale};

    for (unsigned step = 1; step < count; step *= 2) {
        const Known<real> below = {__shfl_up_sync(EVERY_LANE, k.before, step),
                                   __shfl_up_sync(EVERY_LANE, k.after, step), __shfl_up_sync(EVERY_LANE, k.rhs, step)};
        const Known<real> above = {__shfl_down_sync(EVERY_LANE, k.before, step),
                                   __shfl_down_sync(EVERY_LANE, k.after, step),
                                   __shfl_down_sync(EVERY_LANE, k.rhs, step)};
        const bool low = lane >= step, high = lane + step < count;
        const real with_low = low ? k.before : real(0), with_high = high ? k.after : real(0);
        const real r = reciprocal(1 - with_low * below.after - with_high * above.before);
        k.rhs = r * (k.rhs - with_low * below.rhs - with_high * above.rhs);
        k.before = r * (low ? -with_low * below.before : k.before);
        k.after = r * (high ? -with_high * above.after : k.after);
    }
    return k;
}

template <typename real> __device__ __forceinline__ Joint<real> next_joint(const Joint<real> &own)
{
    return {__shfl_down_sync(EVERY_LANE, own.couple, 1), real(0), real(0),
            __shfl_down_sync(EVERY_LANE, own.before_diagonal, 1), __shfl_down_sync(EVERY_LANE, own.before_rhs, 1)};
}

/* A part: the joints of a warp's 32 chunks. Its own joint is that of the last lane, the inside are the others, known
 * but for the own and that before. What is left of the part is stored at *part, unless NULL, to be read when the warp
 * is through. */
template <typename real> __device__ __forceinline__ Known<real> reduce_part(const Joint<real> &own, Joint<real> *part)
{
    const unsigned lane = threadIdx.x % 32;
    const Known<real> known = reduce_joints(own, next_joint(own), 31);
    if (!part)
        return known;
    const Known<real> last = {__shfl_up_sync(EVERY_LANE, known.before, 1), __shfl_up_sync(EVERY_LANE, known.after, 1),
                              __shfl_up_sync(EVERY_LANE, known.rhs, 1)};

    if (lane == 31) {
        part->couple = -own.couple * last.before;
        part->diagonal = own.diagonal - own.couple * last.after;
        part->rhs = own.rhs - own.couple * last.rhs;
    }
    if (lane == 0) {
        part->before_diagonal = own.before_diagonal + own.couple * known.before;
        part->before_rhs = own.before_rhs + own.couple * known.rhs;
    }
    return known;
}

/* The joint of each thread's chunk, and that before it. */
template <typename real> struct Joined {
    real before, own;
};

/* The joints of part `which` of `parts`, whose joints lane p has that of part p, 32 at most. */
template <typename real>
__device__ __forceinline__ Joined<real> join_parts(const Known<real> &known, const Joint<real> &part, unsigned which,
                                                   unsigned parts)
{
    const unsigned lane = threadIdx.x % 32;
    Joint<real> next = next_joint(part);
    if (lane + 1 >= parts)
        next = {real(0), real(0), real(0), real(0), real(0)};
    const real solution = reduce_joints(part, next, parts).rhs;
    const real before = __shfl_sync(EVERY_LANE, solution, which > 0 ? which - 1 : 0);
    const Joined<real> of_part = {which > 0 ? before : real(0), __shfl_sync(EVERY_LANE, solution, which)};
    const real own = lane < 31 ? known.rhs - known.before * of_part.before - known.after * of_part.own : of_part.own;
    const real previous = __shfl_up_sync(EVERY_LANE, own, 1);
    return {lane == 0 ? of_part.before : previous, own};
}

/* The corrections of a thread's chunk, joined, in place of y. */
template <typename real, int E, typename Lower>
__device__ __forceinline__ void finish_chunk(Chunk<real, E> &chunk, const Joined<real> &joined, real *values,
                                             const Lower &lower)
{
    values[0] += chunk.know(joined.before);
#pragma unroll
    for (int r = 1; r < E - 1; r++)
        values[r] += chunk.know(r, lower(r));
    real x = values[E - 1] = joined.own;
#pragma unroll
    for (int r = E - 2; r >= 0; r--)
        x = values[r] = chunk.substitute(r, values[r], x, lower(r + 1));
}

#endif

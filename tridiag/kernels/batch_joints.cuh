/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The joints of a block's lines (batch_chunk.cuh), reduced in shared memory by a part of a warp each: runs of them one
 * after the other, the lanes' rows that remain by PCR through shuffles. */
#ifndef STARFISH_TRIDIAG_KERNELS_BATCH_JOINTS_CUH
#define STARFISH_TRIDIAG_KERNELS_BATCH_JOINTS_CUH

#include "tridiag/kernels/batch_tile.cuh"

namespace starfish_batch_tile
{

/* The joints of a block's lines in shared memory, one array per member; a lane's joints are `rows` adjacent ones, and
 * an odd distance between lanes keeps them in different banks. */
template <int Columns> struct SharedJoints {
    real *a, *b, *u, *e, *c, *r[Columns], *d[Columns];

    __device__ __forceinline__ SharedJoints(void *memory, int count)
    {
        real *next = static_cast<real *>(memory);
        real **const members[] = {&a, &b, &u, &e, &c};
        for (real **member : members) {
            *member = next;
            next += count;
        }
        for (int q = 0; q < Columns; q++) {
            r[q] = next + 2 * q * count;
            d[q] = next + (2 * q + 1) * count;
        }
    }
    /* Joint t of the lane that begins there. */
    __device__ __forceinline__ static int at(const Shape &shape, int line, int lane)
    {
        return line * shape.pitch + lane * (shape.rows | 1);
    }
    __device__ __forceinline__ void put(int i, const Joint<Columns> &joint) const
    {
        a[i] = joint.a;
        b[i] = joint.b;
        u[i] = joint.u;
        e[i] = joint.first_e;
        c[i] = joint.first_c;
#pragma unroll
        for (int q = 0; q < Columns; q++) {
            r[q][i] = joint.r[q];
            d[q][i] = joint.first_d[q];
        }
    }
    __device__ __forceinline__ Joint<Columns> get(int i) const
    {
        Joint<Columns> joint;
        joint.a = a[i];
        joint.b = b[i];
        joint.u = u[i];
        joint.first_e = e[i];
        joint.first_c = c[i];
#pragma unroll
        for (int q = 0; q < Columns; q++) {
            joint.r[q] = r[q][i];
            joint.first_d[q] = d[q][i];
        }
        return joint;
    }
    /* The separator's row of joint i; `next` is the joint after it, -1 when there is none. */
    __device__ __forceinline__ Reduced<Columns> row(int i, int next) const
    {
        Joint<Columns> own;
        real next_d[Columns];
        own.a = a[i];
        own.b = b[i];
        own.u = u[i];
#pragma unroll
        for (int q = 0; q < Columns; q++) {
            own.r[q] = r[q][i];
            next_d[q] = next < 0 ? real(0) : d[q][next];
        }
        return join<Columns>(own, next < 0 ? real(0) : e[next], next < 0 ? real(0) : c[next], next_d);
    }
};

/* PCR of one row per lane, `width` lanes a system. */
template <int Columns> __device__ __forceinline__ void reduce_lanes(Reduced<Columns> &row, int lane, int width)
{
    const unsigned all = 0xffffffffu;
    real scale = reciprocal(row.b), a = row.a * scale, c = row.c * scale, r[Columns];

#pragma unroll
    for (int q = 0; q < Columns; q++)
        r[q] = row.r[q] * scale;
    for (int s = 1; s < width; s *= 2) {
        const bool has_before = lane >= s, has_after = lane + s < width;
        real before_a = __shfl_up_sync(all, a, s, width), before_c = __shfl_up_sync(all, c, s, width);
        real after_a = __shfl_down_sync(all, a, s, width), after_c = __shfl_down_sync(all, c, s, width);
        const real left = has_before ? a : real(0), right = has_after ? c : real(0);
        scale = reciprocal(real(1) - left * before_c - right * after_a);
#pragma unroll
        for (int q = 0; q < Columns; q++) {
            const real before_r = __shfl_up_sync(all, r[q], s, width), after_r = __shfl_down_sync(all, r[q], s, width);
            r[q] = scale * (r[q] - left * before_r - right * after_r);
        }
        a = -scale * left * before_a;
        c = -scale * right * after_c;
    }
#pragma unroll
    for (int q = 0; q < Columns; q++)
        row.r[q] = r[q];
}

/* The lane's row of the lanes' system. */
template <int Columns>
__device__ __forceinline__ Reduced<Columns> join_lanes(const Joint<Columns> &joint, bool has_next, int width)
{
    const unsigned all = 0xffffffffu;
    real next_e = __shfl_down_sync(all, joint.first_e, 1, width);
    real next_c = __shfl_down_sync(all, joint.first_c, 1, width), next_d[Columns];

    next_e = has_next ? next_e : real(0);
    next_c = has_next ? next_c : real(0);
#pragma unroll
    for (int q = 0; q < Columns; q++) {
        next_d[q] = __shfl_down_sync(all, joint.first_d[q], 1, width);
        next_d[q] = has_next ? next_d[q] : real(0);
    }
    return join<Columns>(joint, next_e, next_c, next_d);
}

/* One line's joints by `lanes` lanes, each with `rows` of them, eliminated as in batch_chunk.cuh but in shared memory:
 * r becomes the separators. All lanes of the warp come here; `line` may be beyond the block's last. */
template <int Columns>
__device__ __forceinline__ void solve_joints(const SharedJoints<Columns> &shared, const Shape &shape, int line,
                                             int lane)
{
    const int rows = min(shape.rows, shape.chunks - lane * shape.rows); /* of this lane, 0 or less for none */
    const int first = shared.at(shape, line, lane), next_lane = first + (shape.rows | 1);
    const bool here = line < shape.lines, is_last = (lane + 1) * shape.rows >= shape.chunks;
    real above_c = 0, above_e = -1, above_d[Columns] = {};
    Joint<Columns> joint;

    /* Rows that are not there: y = 0. */
    joint.a = joint.u = joint.first_e = 0;
    joint.b = 1;
    joint.first_c = -1;
#pragma unroll
    for (int q = 0; q < Columns; q++)
        joint.r[q] = joint.first_d[q] = 0;
    for (int t = 0; t < rows && here; t++) {
        const int i = first + t;
        const bool last = t + 1 == rows;
        const Reduced<Columns> row = shared.row(i, !last ? i + 1 : is_last ? -1 : next_lane);
        const real pivot = row.b - row.a * above_c, scale = last ? real(1) : reciprocal(pivot);
        joint.a = -row.a * above_e;
        joint.b = pivot;
        joint.u = row.c;
        shared.a[i] = above_e = joint.a * scale;
        shared.b[i] = above_c = row.c * scale;
#pragma unroll
        for (int q = 0; q < Columns; q++) {
            joint.r[q] = row.r[q] - row.a * above_d[q];
            shared.r[q][i] = above_d[q] = joint.r[q] * scale;
        }
    }
    for (int i = first + rows - 2; i >= first && here; i--) {
        const real c = shared.b[i];
        joint.first_e = shared.a[i] - c * joint.first_e;
        joint.first_c = -c * joint.first_c;
#pragma unroll
        for (int q = 0; q < Columns; q++)
            joint.first_d[q] = shared.r[q][i] - c * joint.first_d[q];
    }
    Reduced<Columns> row = join_lanes<Columns>(joint, lane + 1 < shape.lanes, shape.lanes);
    reduce_lanes<Columns>(row, lane, shape.lanes);
#pragma unroll
    for (int q = 0; q < Columns; q++) {
        real before = __shfl_up_sync(0xffffffffu, row.r[q], 1, shape.lanes), x = row.r[q];
        before = lane > 0 ? before : real(0);
        if (here && rows > 0)
            shared.r[q][first + rows - 1] = x;
        for (int i = first + rows - 2; i >= first && here; i--) {
            shared.r[q][i] = x = shared.r[q][i] - shared.a[i] * before - shared.b[i] * x;
        }
    }
}

template <int Columns>
__device__ __forceinline__ void solve_all_joints(const SharedJoints<Columns> &shared, const Shape &shape)
{
    const int warps = (blockDim.x + WARP - 1) / WARP, per_warp = WARP / shape.lanes, lane = threadIdx.x % WARP;

    for (int line = threadIdx.x / WARP * per_warp; line < shape.lines; line += warps * per_warp)
        solve_joints<Columns>(shared, shape, line + lane / shape.lanes, lane % shape.lanes);
}

} // namespace starfish_batch_tile

#endif

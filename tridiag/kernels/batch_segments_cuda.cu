/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lines that are too long for one block, on CUDA, cut into segments, each a block's: reduce every segment to its joint,
 * solve the joints' system (a batch of shorter lines), then solve every segment with its two separators known.
 *
 * That reads everything twice, 9 reals per unknown, in 4 launches and 3 more whenever the joints' lines are too long
 * themselves. Bound by memory. */
#include "tridiag/kernels/batch_joints.cuh"

namespace starfish_batch_tile
{
namespace
{

enum { THREADS = 512 };

/* The joints of all segments, in global memory: member m of segment s of line l at [m][l * segments + s], the members
 * of the columns, r and D, after the others as [column][r, D]. */
enum { JOINT_A, JOINT_B, JOINT_U, JOINT_E, JOINT_C, JOINT_MEMBERS };

template <int Columns>
__device__ __forceinline__ Joint<Columns> joint_of_lane(const Joint<Columns> &joint, int distance)
{
    const unsigned all = 0xffffffffu;
    Joint<Columns> other;

    other.a = __shfl_down_sync(all, joint.a, distance);
    other.b = __shfl_down_sync(all, joint.b, distance);
    other.u = __shfl_down_sync(all, joint.u, distance);
    other.first_e = __shfl_down_sync(all, joint.first_e, distance);
    other.first_c = __shfl_down_sync(all, joint.first_c, distance);
#pragma unroll
    for (int q = 0; q < Columns; q++) {
        other.r[q] = __shfl_down_sync(all, joint.r[q], distance);
        other.first_d[q] = __shfl_down_sync(all, joint.first_d[q], distance);
    }
    return other;
}

template <int Columns, int Rows>
__device__ __forceinline__ void store_joint(const starfish_batch &b, const Shape &shape, size_t line,
                                            const Place<Rows> &place, const Joint<Columns> &joint, real *joints)
{
    const size_t member = b.lines * shape.segments, at = line * shape.segments + place.segment;

    if (place.column == 0) {
        joints[JOINT_A * member + at] = joint.a;
        joints[JOINT_B * member + at] = joint.b;
        joints[JOINT_U * member + at] = joint.u;
        joints[JOINT_E * member + at] = joint.first_e;
        joints[JOINT_C * member + at] = joint.first_c;
    }
#pragma unroll
    for (int q = 0; q < Columns; q++)
        if (place.column + q < b.columns) {
            joints[(JOINT_MEMBERS + 2 * (place.column + q)) * member + at] = joint.r[q];
            joints[(JOINT_MEMBERS + 2 * (place.column + q) + 1) * member + at] = joint.first_d[q];
        }
}

/* All joints of each line of a segment merged into one, by a warp per line; lanes * rows = chunks. */
template <int Columns, int Rows>
__device__ __forceinline__ void merge_joints(const starfish_batch &b, const Shape &shape, const Place<Rows> &place,
                                             const SharedJoints<Columns> &shared, real *joints)
{
    const int lane = threadIdx.x % WARP;
    const size_t first_line = place.line - place.line_here;

    for (int line = threadIdx.x / WARP; line < shape.lines && first_line + line < b.lines; line += blockDim.x / WARP) {
        const int first = shared.at(shape, line, lane % shape.lanes);
        Joint<Columns> joint = shared.get(first);
        for (int t = 1; t < shape.rows; t++)
            joint = merge<Columns>(joint, shared.get(first + t));
        for (int s = 1; s < shape.lanes; s *= 2)
            joint = merge<Columns>(joint, joint_of_lane<Columns>(joint, s)); /* of use in lanes that 2 s divides */
        if (lane == 0)
            store_joint<Columns>(b, shape, first_line + line, place, joint, joints);
    }
}

template <int Columns, Order order>
__global__ void __launch_bounds__(threads_of(order), lies_side_by_side(order) || Columns > 1 ? 1 : 2)
    reduce_segments(const __grid_constant__ starfish_batch b, const __grid_constant__ Shape shape, real *joints)
{
    extern __shared__ double2 memory[];
    real *tile = reinterpret_cast<real *>(memory);
    const SharedJoints<Columns> shared(tile + tile_reals(order), shape.lines * shape.pitch);
    const TilePlace<order> place(b, shape, Columns);
    const real no_separators[Columns] = {};
    TileChunk<Columns, order> chunk;
    Joint<Columns> joint;

    chunk.kept.keep_in(tile);
    eliminate<Columns, order>(b, place, false, no_separators, chunk, joint);
    if (threadIdx.x < shape.chunks * shape.lines)
        shared.put(place.joint, joint);
    __syncthreads();
    merge_joints<Columns>(b, shape, place, shared, joints);
}

/* The separators' rows from the joints: lower, diag, upper and the right-hand sides, each [line][segment]. */
__global__ void __launch_bounds__(THREADS)
    join_segments(const real *joints, real *rows, size_t lines, size_t segments, size_t columns)
{
    const size_t member = lines * segments;

    for (size_t i = size_t(blockIdx.x) * THREADS + threadIdx.x; i < member; i += size_t(gridDim.x) * THREADS) {
        const bool last = (i + 1) % segments == 0;
        const real u = last ? real(0) : joints[JOINT_U * member + i];
        const size_t next = last ? i : i + 1;
        rows[i] = joints[JOINT_A * member + i];
        rows[member + i] = joints[JOINT_B * member + i] - u * joints[JOINT_E * member + next];
        rows[2 * member + i] = -u * joints[JOINT_C * member + next];
        for (size_t q = 0; q < columns; q++) {
            const real *of_column = joints + (JOINT_MEMBERS + 2 * q) * member;
            rows[(3 + q) * member + i] = of_column[i] - u * of_column[member + next];
        }
    }
}
int launch_reduce(const starfish_batch &b, const Shape &shape, real *joints, cudaStream_t stream)
{
    static decltype(&reduce_segments<1, ADJACENT>) const kernels[2][4] = {
        {reduce_segments<1, SIDE_BY_SIDE>, reduce_segments<1, SIDE_BY_SIDE_LONG>, reduce_segments<1, ADJACENT>,
         reduce_segments<1, ADJACENT_WORDS>},
        {reduce_segments<2, SIDE_BY_SIDE>, NULL, reduce_segments<2, ADJACENT>, reduce_segments<2, ADJACENT_WORDS>}};

    return launch_tiles(kernels[b.columns > 1][shape.order], b, shape, joints, stream);
}

/* The separators' system of segmented lines. */
starfish_batch separators_of(const starfish_batch &b, const Shape &shape, real *rows, void *workspace)
{
    const size_t member = b.lines * shape.segments;
    starfish_batch reduced = {};

    reduced.n = shape.segments;
    reduced.lines = b.lines;
    reduced.columns = b.columns;
    reduced.components = 1;
    reduced.coefficients = reduced.vectors = {1, shape.segments};
    reduced.column = member;
    reduced.lower = rows;
    reduced.diag = rows + member;
    reduced.upper = rows + 2 * member;
    reduced.input = reduced.output = rows + 3 * member;
    reduced.workspace = workspace;
    return reduced;
}

} // namespace

int REAL_NAME(starfish_batch_solve_segments)(const starfish_batch &b, const Shape &shape, cudaStream_t stream)
{
    const size_t member = b.lines * shape.segments;
    real *joints = static_cast<real *>(b.workspace), *rows = joints + (JOINT_MEMBERS + 2 * b.columns) * member;
    const starfish_batch reduced = separators_of(b, shape, rows, rows + (3 + b.columns) * member);
    int status = launch_reduce(b, shape, joints, stream);

    if (status == cudaSuccess) {
        const size_t blocks = (member + THREADS - 1) / THREADS;
        join_segments<<<unsigned(blocks < 65536 ? blocks : 65536), THREADS, 0, stream>>>(joints, rows, b.lines,
                                                                                         shape.segments, b.columns);
        status = cudaGetLastError();
    }
    if (status == cudaSuccess)
        status = REAL_NAME(starfish_batch_tiled_cuda)(&reduced, stream);
    if (status == cudaSuccess)
        status = REAL_NAME(starfish_batch_solve_tiles)(b, shape, static_cast<const real *>(reduced.output), stream);
    return status;
}

size_t REAL_NAME(starfish_batch_segments_workspace)(const starfish_batch &b, const Shape &shape)
{
    const size_t member = b.lines * shape.segments;
    const starfish_batch reduced = separators_of(b, shape, NULL, NULL);

    return (JOINT_MEMBERS + 3 + 3 * b.columns) * member * sizeof(real) +
           REAL_NAME(starfish_batch_tiled_workspace)(&reduced);
}

} // namespace starfish_batch_tile

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Smoothing by lines on the GPU: Thomas' algorithm, a thread for each line.
 *
 * Words per unknown that must move in tensor form: u, f, v, and what the elimination leaves for the substitution,
 * written and read: 4, that is 7; H200 at 4.2 TB/s, 512^3, f64: 1.8 ms. Lines in y and z lie side by side in x, so that
 * all is coalesced. Lines in x are turned in shared memory, CHUNK unknowns of CHUNK lines at a time. Cyclic lines by
 * Sherman and Morrison's formula, as in tridiag/kernels/batch.h: 2 more for the border. Neighbours come from the
 * caches. */
#include "multigrid/kernels/flux_march.cuh"

#include "base/cuda_entries.h"

namespace
{

using flux::Axis;
using flux::Matrix;

constexpr int SIDE_BY_SIDE = 64, CHUNK = 32, ALL = 2;

template <typename real> struct Lines {
    Matrix<real> matrix;
    real damping;
    int y0, y1, z0, z1, colour; /* of the lines, or ALL */
    const real *u, *f;
    real *v, *upper, *rhs, *border; /* upper and border over their pivots, a grid each */
};

/* ---- Equations --------------------------------------------------------------------------------------------------- */

/* An unknown's in its line, the right-hand side its residual. */
template <typename real> struct Equation {
    real lower, diag, upper, rhs;
};

/* The neighbours of an index: their distance, and of the stored face above. A missing one is the unknown itself: its
 * coupling is 0. */
struct Neighbours {
    long long below, above, face;
};

template <typename real>
__device__ __forceinline__ Neighbours neighbours_of(const Axis<real> &a, int index, long long stride)
{
    const long long faces = (a.n - 1) * stride, wrap = a.ghosts ? -stride : faces;
    const bool first = index == 0, last = index + 1 == a.n;
    return {first ? (a.periodic ? wrap : 0) : -stride, last ? (a.periodic ? -wrap : 0) : stride,
            last ? -faces : stride};
}

template <typename real> __device__ __forceinline__ long long element(const Lines<real> &a, const int (&at)[3])
{
    return at[0] + (long long)a.matrix.axis[0].n * (at[1] + (long long)a.matrix.axis[1].n * at[2]);
}

template <typename real, bool STORED, int DIRECTION>
__device__ __forceinline__ Equation<real> equation_at(const Lines<real> &a, const int (&at)[3])
{
    const long long e = element(a, at);
    const real u = a.u ? a.u[e] : real(0);
    real weight[3] = {1, 1, 1};
    long long stride = 1;
#pragma unroll
    for (int d = 0; d < 3 && !STORED; d++)
        weight[d] = a.matrix.axis[d].weight[at[d]];
    real rest =
        STORED ? a.matrix.rest ? a.matrix.rest[e] : real(0) : a.matrix.lambda * (weight[0] * weight[1] * weight[2]);
    Equation<real> equation = {0, 0, 0, a.f[e]};
#pragma unroll
    for (int d = 0; d < 3; d++) {
        const Axis<real> &axis = a.matrix.axis[d];
        const Neighbours next = neighbours_of(axis, at[d], stride);
        const real scale = weight[(d + 1) % 3] * weight[(d + 2) % 3], keep = a.matrix.keep[d];
        const real *const face = a.matrix.face[d];
        const real low = !STORED ? scale * axis.coupling[at[d]] : face ? face[e] : real(0);
        const real high = !STORED ? scale * axis.coupling[at[d] + 1] : face ? face[e + next.face] : real(0);
        if (!STORED)
            rest += scale * axis.extra[at[d]];
        if (a.u)
            equation.rhs -= low * (u - keep * a.u[e + next.below]) + high * (u - keep * a.u[e + next.above]);
        equation.diag += low + high;
        if (d == DIRECTION) {
            equation.lower = -low;
            equation.upper = -high;
        }
        stride *= axis.n;
    }
    equation.diag += rest;
    equation.rhs -= rest * u;
    return equation;
}

/* ---- Elimination ------------------------------------------------------------------------------------------------- */

/* The last unknown's, and what the first one leaves for the last one of a cyclic line. */
template <typename real> struct State {
    real upper, rhs, border, first_lower, first_diag;
};

/* Unknown i of n; the state becomes its own. */
template <typename real>
__device__ __forceinline__ void eliminate(State<real> &s, Equation<real> q, int i, int n, bool cyclic)
{
    real border = 0;
    if (cyclic && i == 0) {
        s.first_lower = q.lower;
        s.first_diag = q.diag;
        border = -q.diag;
        q.diag *= 2;
        q.lower = 0;
    }
    if (cyclic && i + 1 == n) {
        q.diag += s.first_lower * q.upper / s.first_diag;
        border += q.upper;
        q.upper = 0;
    }
    const real scale = reciprocal(q.diag - q.lower * s.upper);
    s.rhs = (q.rhs - q.lower * s.rhs) * scale;
    s.border = (border - q.lower * s.border) * scale;
    s.upper = q.upper * scale;
}

/* Substitution for unknown i from the one above, in s. */
template <typename real> __device__ __forceinline__ void substitute(State<real> &s, real upper, real rhs, real border)
{
    s.rhs = rhs - upper * s.rhs;
    s.border = border - upper * s.border;
}

/* What of the border is taken from a cyclic line: from the first unknown, which is in s, and the last one. */
template <typename real> __device__ real border_factor(const State<real> &s, real last_rhs, real last_border)
{
    const real last = -s.first_lower / s.first_diag;
    return (s.rhs + last * last_rhs) / (1 + (s.border + last * last_border));
}

template <typename real> __device__ __forceinline__ bool is_active(const Lines<real> &a, int sum)
{
    return a.colour == ALL || (sum & 1) == a.colour;
}

/* ---- Lines in y and z -------------------------------------------------------------------------------------------- */

template <typename real> __device__ __forceinline__ void advance(const Lines<real> &a, long long e, real step)
{
    a.v[e] = (a.u ? a.u[e] : real(0)) + a.damping * step;
}

/* Forth through a line: what its unknowns leave is stored. */
template <typename real, bool STORED, int DIRECTION>
__device__ State<real> eliminate_line(const Lines<real> &a, int (&at)[3], bool cyclic)
{
    const int n = a.matrix.axis[DIRECTION].n;
    State<real> s = {};
    for (int i = 0; i < n; i++) {
        at[DIRECTION] = i;
        const long long e = element(a, at);
        eliminate(s, equation_at<real, STORED, DIRECTION>(a, at), i, n, cyclic);
        a.upper[e] = s.upper;
        a.rhs[e] = s.rhs;
        if (cyclic)
            a.border[e] = s.border;
    }
    return s;
}

/* And back. A cyclic line is added to v at the end, when its border's part is known. */
template <typename real, int DIRECTION>
__device__ void substitute_line(const Lines<real> &a, int (&at)[3], State<real> s, bool cyclic)
{
    const int n = a.matrix.axis[DIRECTION].n;
    const real last_rhs = s.rhs, last_border = s.border;
    for (int i = n - 1; i >= 0; i--) {
        at[DIRECTION] = i;
        const long long e = element(a, at);
        if (i + 1 < n)
            substitute(s, a.upper[e], a.rhs[e], cyclic ? a.border[e] : real(0));
        if (!cyclic)
            advance(a, e, s.rhs);
        else {
            a.rhs[e] = s.rhs;
            a.border[e] = s.border;
        }
    }
    if (!cyclic)
        return;
    const real factor = border_factor(s, last_rhs, last_border);
    for (int i = 0; i < n; i++) {
        at[DIRECTION] = i;
        const long long e = element(a, at);
        advance(a, e, a.rhs[e] - factor * a.border[e]);
    }
}

template <typename real, int DIRECTION> __device__ void keep_line(const Lines<real> &a, int (&at)[3])
{
    for (int i = 0; i < a.matrix.axis[DIRECTION].n && a.v != a.u; i++) {
        at[DIRECTION] = i;
        advance(a, element(a, at), real(0));
    }
}

template <typename real, bool STORED, int DIRECTION>
__global__ void __launch_bounds__(SIDE_BY_SIDE)
    side_by_side_kernel(const __grid_constant__ Lines<real> a, int blocks_across)
{
    const int i = int(blockIdx.x % unsigned(blocks_across)) * SIDE_BY_SIDE + int(threadIdx.x);
    const int other = (DIRECTION == 1 ? a.z0 : a.y0) + int(blockIdx.x / unsigned(blocks_across));
    const bool cyclic = a.matrix.axis[DIRECTION].periodic && a.matrix.axis[DIRECTION].n > 1;
    int at[3] = {i, other, other};
    if (i >= a.matrix.axis[0].n)
        return;
    if (is_active(a, i + other))
        substitute_line<real, DIRECTION>(a, at, eliminate_line<real, STORED, DIRECTION>(a, at, cyclic), cyclic);
    else
        keep_line<real, DIRECTION>(a, at);
}

/* ---- Lines in x -------------------------------------------------------------------------------------------------- */

/* CHUNK unknowns of CHUNK lines; the pitch keeps both ways through it free of bank conflicts. */
template <typename real> struct Turned {
    real value[CHUNK][CHUNK + 1];
};

/* The lines of a block, a lane each: `first` and on of those of the part's rows that are relaxed. */
struct Rows {
    int first, count;
};

/* Rows of a plane that have a colour: every other one, from the first or the second on. The last of them may be beyond
 * the part. */
template <typename real> __host__ __device__ int rows_of_plane(const Lines<real> &a)
{
    return a.colour == ALL ? a.y1 - a.y0 : (a.y1 - a.y0 + 1) / 2;
}

/* Row `row` of those; whether it is there. `other`: the one beside it that has the other colour. */
template <typename real>
__device__ __forceinline__ bool place_of(const Lines<real> &a, int row, bool other, int (&at)[3])
{
    const int in_plane = row % rows_of_plane(a);
    at[2] = a.z0 + row / rows_of_plane(a);
    at[1] = a.y0 + (a.colour == ALL ? in_plane : 2 * in_plane + ((a.y0 + at[2] + a.colour + other) & 1));
    return at[1] < a.y1;
}

/* Entries of the chunk at x, a lane for each unknown of a line. */
template <typename real, bool STORED>
__device__ void find_chunk(const Lines<real> &a, const Rows &rows, int x, Turned<real> (&entry)[4])
{
    const int lane = threadIdx.x;
    int at[3] = {x + lane, 0, 0};
    for (int line = 0; line < rows.count && at[0] < a.matrix.axis[0].n; line++) {
        if (!place_of(a, rows.first + line, false, at))
            continue;
        const Equation<real> q = equation_at<real, STORED, 0>(a, at);
        entry[0].value[line][lane] = q.lower;
        entry[1].value[line][lane] = q.diag;
        entry[2].value[line][lane] = q.upper;
        entry[3].value[line][lane] = q.rhs;
    }
}

/* Arrays of the work space from or to a chunk. */
template <typename real, bool LOADING>
__device__ void move_chunk(const Lines<real> &a, const Rows &rows, int x, real *array, Turned<real> &chunk)
{
    const int lane = threadIdx.x;
    int at[3] = {x + lane, 0, 0};
    for (int line = 0; line < rows.count && at[0] < a.matrix.axis[0].n; line++) {
        if (!place_of(a, rows.first + line, false, at))
            continue;
        const long long e = element(a, at);
        if (LOADING)
            chunk.value[line][lane] = array[e];
        else
            array[e] = chunk.value[line][lane];
    }
}

template <typename real, bool STORED>
__device__ State<real> eliminate_rows(const Lines<real> &a, const Rows &rows, Turned<real> (&entry)[4], bool cyclic)
{
    const int n = a.matrix.axis[0].n, line = threadIdx.x;
    State<real> s = {};
    for (int x = 0; x < n; x += CHUNK) {
        find_chunk<real, STORED>(a, rows, x, entry);
        __syncthreads();
        for (int i = 0; i < CHUNK && x + i < n && line < rows.count; i++) {
            eliminate(
                s, {entry[0].value[line][i], entry[1].value[line][i], entry[2].value[line][i], entry[3].value[line][i]},
                x + i, n, cyclic);
            entry[2].value[line][i] = s.upper;
            entry[3].value[line][i] = s.rhs;
            entry[0].value[line][i] = s.border;
        }
        __syncthreads();
        move_chunk<real, false>(a, rows, x, a.upper, entry[2]);
        move_chunk<real, false>(a, rows, x, a.rhs, entry[3]);
        if (cyclic)
            move_chunk<real, false>(a, rows, x, a.border, entry[0]);
        __syncthreads();
    }
    return s;
}

/* The solution, and the border's, come to stand in rhs and border of the work space. */
template <typename real>
__device__ State<real> substitute_rows(const Lines<real> &a, const Rows &rows, Turned<real> (&entry)[4], bool cyclic,
                                       State<real> s)
{
    const int n = a.matrix.axis[0].n, line = threadIdx.x;
    for (int x = (n - 1) / CHUNK * CHUNK; x >= 0; x -= CHUNK) {
        move_chunk<real, true>(a, rows, x, a.upper, entry[2]);
        move_chunk<real, true>(a, rows, x, a.rhs, entry[3]);
        if (cyclic)
            move_chunk<real, true>(a, rows, x, a.border, entry[0]);
        __syncthreads();
        for (int i = min(CHUNK, n - x) - 1; i >= 0 && line < rows.count; i--) {
            if (x + i + 1 < n)
                substitute(s, entry[2].value[line][i], entry[3].value[line][i],
                           cyclic ? entry[0].value[line][i] : real(0));
            entry[3].value[line][i] = s.rhs;
            entry[0].value[line][i] = s.border;
        }
        __syncthreads();
        move_chunk<real, false>(a, rows, x, a.rhs, entry[3]);
        if (cyclic)
            move_chunk<real, false>(a, rows, x, a.border, entry[0]);
        __syncthreads();
    }
    return s;
}

template <typename real, bool STORED>
__global__ void __launch_bounds__(CHUNK) turned_kernel(const __grid_constant__ Lines<real> a)
{
    __shared__ Turned<real> entry[4];
    __shared__ real factors[CHUNK];
    const int n = a.matrix.axis[0].n, lane = threadIdx.x, all = rows_of_plane(a) * (a.z1 - a.z0);
    const Rows rows = {int(blockIdx.x) * CHUNK, min(CHUNK, all - int(blockIdx.x) * CHUNK)};
    const bool cyclic = a.matrix.axis[0].periodic && n > 1;
    const State<real> last = eliminate_rows<real, STORED>(a, rows, entry, cyclic);
    const State<real> first = substitute_rows(a, rows, entry, cyclic, last);
    factors[lane] = cyclic && lane < rows.count ? border_factor(first, last.rhs, last.border) : real(0);
    __syncthreads();
    for (int line = 0; line < rows.count; line++) {
        int at[3] = {0, 0, 0};
        const bool there = place_of(a, rows.first + line, false, at);
        for (at[0] = lane; at[0] < n && there; at[0] += CHUNK) {
            const long long e = element(a, at);
            advance(a, e, a.rhs[e] - factors[line] * (cyclic ? a.border[e] : real(0)));
        }
        const bool keep = a.colour != ALL && a.v != a.u && place_of(a, rows.first + line, true, at);
        for (at[0] = lane; at[0] < n && keep; at[0] += CHUNK)
            advance(a, element(a, at), real(0));
    }
}

/* ---- Launch ------------------------------------------------------------------------------------------------------ */

template <typename real> Lines<real> lines_of(const starfish_flux_lines *from)
{
    const starfish_flux_axis *axis = from->matrix.axis;
    const size_t count = axis[0].n * axis[1].n * axis[2].n;
    Lines<real> a = {};
    a.matrix = flux::matrix_of<real>(from->matrix);
    a.damping = real(from->damping);
    a.y0 = int(from->at.y0);
    a.y1 = int(from->at.y1);
    a.z0 = int(from->at.z0);
    a.z1 = int(from->at.z1);
    a.colour = from->which == STARFISH_FLUX_ALL_LINES ? ALL : from->which == STARFISH_FLUX_ODD_LINES;
    a.u = static_cast<const real *>(from->u);
    a.f = static_cast<const real *>(from->f);
    a.v = static_cast<real *>(from->v);
    a.upper = static_cast<real *>(from->work);
    a.rhs = a.upper + count;
    a.border = a.rhs + count;
    return a;
}

template <typename real, bool STORED> void launch(const Lines<real> &a, int direction, cudaStream_t stream)
{
    const int across = (a.matrix.axis[0].n + SIDE_BY_SIDE - 1) / SIDE_BY_SIDE;
    if (direction == 0)
        turned_kernel<real, STORED>
            <<<unsigned((rows_of_plane(a) * (a.z1 - a.z0) + CHUNK - 1) / CHUNK), CHUNK, 0, stream>>>(a);
    else if (direction == 1)
        side_by_side_kernel<real, STORED, 1><<<unsigned(across * (a.z1 - a.z0)), SIDE_BY_SIDE, 0, stream>>>(a, across);
    else
        side_by_side_kernel<real, STORED, 2><<<unsigned(across * (a.y1 - a.y0)), SIDE_BY_SIDE, 0, stream>>>(a, across);
}

template <typename real> int lines(const starfish_flux_lines *from, cudaStream_t stream)
{
    const starfish_flux_axis *axis = from->matrix.axis;
    if (flux::is_too_large(axis[0].n, axis[1].n) || flux::is_too_large(axis[1].n, axis[2].n))
        return cudaErrorInvalidValue;
    const Lines<real> a = lines_of<real>(from);
    if (a.y0 >= a.y1 || a.z0 >= a.z1)
        return cudaSuccess;
    if (from->matrix.face[0])
        launch<real, true>(a, from->direction, stream);
    else
        launch<real, false>(a, from->direction, stream);
    return cudaGetLastError();
}

} // namespace

STARFISH_CUDA_ENTRIES(starfish_flux_lines, lines)

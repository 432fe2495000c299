/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Products of all lines of an array with the matrices of a transform (transform_products.h), in f64 on tensor cores.
 *
 * Both halves of a transform are computed together, so that elements are folded on their way from shared memory to
 * registers (FORWARD), and unfolded before they are written (BACKWARD): no pass over memory is for that alone. Without
 * halves the place of the odd one is taken by the next rows of the only matrix.
 *
 * Bound by the rate of tensor cores. A block computes 128 rows of each half for 64 lines, a warp 32 rows of each for 32
 * lines, which takes all registers: two warps a scheduler. So little else may be done between products: inputs
 * are read four at a time, one set ahead, and neither loads nor stores ask whether a line is there. Lines beyond
 * the last one repeat it, inputs beyond the last meet zeros of the matrix.
 *
 * On an H200, 259081 lines of 509 take 40 to 47 TFLOP/s of the 66 that tensor cores reach, without stores 48 to 57: no
 * product hides these. Folds take a tenth, since sums and products share a pipe.
 *
 * Elements of a line are contiguous (rows), or those of neighbouring lines are (columns). What is contiguous is the
 * first side of a product, whose results are written in runs of 64 bytes. */
#ifndef STARFISH_FFT_KERNELS_PRODUCTS_TENSOR_CUH
#define STARFISH_FFT_KERNELS_PRODUCTS_TENSOR_CUH

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace starfish
{

namespace products
{

constexpr unsigned rows = 128, lines = 64, threads = 256; /* of a half, and of a block */
constexpr unsigned depth = 16, stages = 3;                /* inputs to a stage; stages in shared memory */
constexpr unsigned matrix_stage = 2 * rows * depth;       /* reals */
/* From an input to the next (columns), or from a line to the next: half a warp meets all banks. */
template <bool columns> constexpr unsigned pitch = (columns ? lines : depth) + 4;
template <bool columns> constexpr unsigned half_stage = (columns ? depth : lines) * pitch<columns>;
template <bool columns> constexpr int bytes = stages *(matrix_stage + 2 * half_stage<columns>)*sizeof(double);

/* Where lines begin: within a run of `run` lines `line` elements apart, runs `plane` elements, of which `depth` make a
 * box, and boxes `box`. Line 0 is number `first`. */
struct places {
    unsigned run, depth, first;
    size_t line, plane, box;
    __device__ __forceinline__ size_t operator()(unsigned number) const
    {
        const unsigned l = first + number;
        if (l < run)
            return l * line;
        const unsigned k = l / run, in_run = l - k * run;
        if (k < depth)
            return in_run * line + k * plane;
        return in_run * line + k % depth * plane + k / depth * box;
    }
};

/* Elements of a line, by half: number i is element start + step i, `first` <= i < first + count. */
struct elements {
    int start[2], step[2];
    unsigned first[2], count[2];
};

struct arguments {
    const double *matrix; /* arranged (entry_at) */
    const double *in;
    double *out;
    elements from, to;
    places in_lines, out_lines;
    size_t in_pitch, out_pitch; /* from one element of a line to the next */
    unsigned n, count;          /* elements of a line; lines */
    unsigned tile_rows, row_tiles, steps, tiles;
    double scale;
};

/* ---- The matrix -------------------------------------------------------------------------------------------------- */
/* In the order in which warps want it: tiles of 128 rows, of these stages of 16 inputs, four at a time, the halves,
 * sixteens of rows, two numbers for each thread. */
struct entry {
    unsigned half, row, input;
};

inline entry entry_at(size_t at, bool halves, unsigned steps)
{
    const unsigned in_stage = at % matrix_stage, number = in_stage % 2, lane = in_stage / 2 % 32;
    const unsigned sixteen = in_stage / 64 % (rows / 16), half = in_stage / (rows * 4) % 2;
    const unsigned step = at / matrix_stage % steps, tile = unsigned(at / matrix_stage / steps);
    const unsigned row = sixteen * 16 + number * 8 + lane / 4, input = step * depth + in_stage / (2 * rows * 4) * 4;
    return {halves ? half : 0, halves ? tile * rows + row : (2 * tile + half) * rows + row, input + lane % 4};
}

/* ---- Loading ----------------------------------------------------------------------------------------------------- */
template <unsigned width, unsigned to_offset, unsigned from_offset>
__device__ __forceinline__ void fetch(uint32_t to, const double *from)
{
#if __CUDA_ARCH__ >= 800
    if constexpr (width == 16)
        asm volatile("cp.async.cg.shared.global [%0+%2], [%1+%3], 16;" ::"r"(to), "l"(from), "n"(to_offset),
                     "n"(from_offset));
    else
        asm volatile("cp.async.ca.shared.global [%0+%2], [%1], 8;" ::"r"(to), "l"(from), "n"(to_offset));
#endif
}

__device__ __forceinline__ void wait_for_next_stage()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(stages - 2));
#endif
    __syncthreads();
}

__device__ __forceinline__ unsigned following(unsigned slot)
{
    return slot + 1 == stages ? 0 : slot + 1;
}

/* What a block loads, stages ahead of what it multiplies, tile after tile; the last one again and again. A thread loads
 * one input of four lines. */
template <bool columns, bool halves> struct loader {
    static constexpr unsigned each = 4, apart = lines / each, line_round = apart * (columns ? 1 : pitch<false>);
    const arguments &a;
    const double *matrix, *line[each];
    uint32_t to_matrix; /* in shared memory, of slot 0 */
    double *to_field;
    unsigned tile, input, step = 0, slot = 0;

    __device__ __forceinline__ loader(const arguments &all, double *shared) : a(all), tile(blockIdx.x)
    {
        const unsigned i = columns ? threadIdx.x / apart : threadIdx.x % depth;
        const unsigned l = columns ? threadIdx.x % apart : threadIdx.x / depth;
        to_matrix = uint32_t(__cvta_generic_to_shared(shared + 2 * threadIdx.x));
        to_field = shared + stages * matrix_stage + (columns ? i * pitch<true> + l : l * pitch<false> + i);
        place();
    }

    __device__ __forceinline__ void place()
    {
        const unsigned l = columns ? threadIdx.x % apart : threadIdx.x / depth;
        input = columns ? threadIdx.x / apart : threadIdx.x % depth;
        matrix = a.matrix + size_t(tile % a.row_tiles) * a.steps * matrix_stage + 2 * threadIdx.x;
#pragma unroll
        for (unsigned q = 0; q < each; q++)
            line[q] = a.in + a.in_lines(min(tile / a.row_tiles * lines + l + q * apart, a.count - 1));
    }

    __device__ __forceinline__ void load_matrix() const
    {
        const uint32_t to = to_matrix + slot * matrix_stage * unsigned(sizeof(double));
        constexpr unsigned round = 16 * threads;
        fetch<16, 0, 0>(to, matrix);
        fetch<16, round, round>(to, matrix);
        fetch<16, 2 * round, 2 * round>(to, matrix);
        fetch<16, 3 * round, 3 * round>(to, matrix);
        fetch<16, 4 * round, 4 * round>(to, matrix);
        fetch<16, 5 * round, 5 * round>(to, matrix);
        fetch<16, 6 * round, 6 * round>(to, matrix);
        fetch<16, 7 * round, 7 * round>(to, matrix);
        static_assert(8 * round == matrix_stage * sizeof(double), "eight rounds");
    }

    /* Element n of a periodic line is element 0. */
    template <unsigned half> __device__ __forceinline__ void load_field() const
    {
        const uint32_t to = uint32_t(__cvta_generic_to_shared(to_field + (slot * 2 + half) * half_stage<columns>));
        constexpr unsigned round = line_round * sizeof(double);
        unsigned element = a.from.start[half] + a.from.step[half] * min(input, a.from.count[half] - 1);
        element = element < a.n ? element : 0;
        const size_t offset = columns ? element * a.in_pitch : element;
        fetch<8, 0, 0>(to, line[0] + offset);
        fetch<8, round, 0>(to, line[1] + offset);
        fetch<8, 2 * round, 0>(to, line[2] + offset);
        fetch<8, 3 * round, 0>(to, line[3] + offset);
    }

    __device__ __forceinline__ void end_stage()
    {
        slot = following(slot);
        input += depth;
        matrix += matrix_stage;
        if (++step == a.steps) {
            step = 0;
            tile = tile + gridDim.x < a.tiles ? tile + gridDim.x : tile;
            place();
        }
#if __CUDA_ARCH__ >= 800
        asm volatile("cp.async.commit_group;");
#endif
    }

    __device__ __forceinline__ void load_stage()
    {
        load_matrix();
        load_field<0>();
        if constexpr (halves)
            load_field<1>();
        end_stage();
    }
};

/* ---- Products ---------------------------------------------------------------------------------------------------- */
/* d += a b, 16 x 8 x 4; `a` has two numbers of a thread. */
__device__ __forceinline__ void multiply_add(double (&d)[4], double a, double below, double b)
{
#if __CUDA_ARCH__ >= 900
    asm("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
        : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
        : "d"(a), "d"(below), "d"(b));
#elif __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
        : "+d"(d[0]), "+d"(d[1])
        : "d"(a), "d"(b));
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
        : "+d"(d[2]), "+d"(d[3])
        : "d"(below), "d"(b));
#endif
}

/* Of a thread: by half, sixteen of the first side, eight of the second. Number i has item lane / 4 + i / 2 * 8 of the
 * first side, item lane % 4 * 2 + i % 2 of the second. */
struct sums {
    double of[2][2][4][4];
};

/* Four inputs of a warp's lines and rows, a thread's part: eights of both. */
template <bool halves> struct four_inputs {
    double field[halves ? 2 : 1][4], matrix[2][4];
};

template <bool columns, bool halves>
__device__ __forceinline__ void read(four_inputs<halves> &to, const double *matrix, const double *field)
{
#pragma unroll
    for (unsigned half = 0; half < (halves ? 2 : 1); half++)
#pragma unroll
        for (unsigned j = 0; j < 4; j++)
            to.field[half][j] = field[half * half_stage<columns> + 8 * j * (columns ? 1 : pitch<false>)];
#pragma unroll
    for (unsigned half = 0; half < 2; half++)
#pragma unroll
        for (unsigned j = 0; j < 4; j += 2) {
            const double2 two = *reinterpret_cast<const double2 *>(matrix + (half * (rows / 8) + j) * 32);
            to.matrix[half][j] = two.x;
            to.matrix[half][j + 1] = two.y;
        }
}

template <bool halves> __device__ __forceinline__ void fold(four_inputs<halves> &x)
{
#pragma unroll
    for (unsigned j = 0; j < 4; j++) {
        const double first = x.field[0][j], second = x.field[halves ? 1 : 0][j];
        x.field[0][j] = first + second;
        x.field[halves ? 1 : 0][j] = first - second;
    }
}

template <bool columns, bool halves>
__device__ __forceinline__ void multiply_four(sums &s, const four_inputs<halves> &x, unsigned half)
{
    const double *const field = x.field[halves ? half : 0], *const matrix = x.matrix[half];
    const double *const first = columns ? field : matrix, *const second = columns ? matrix : field;
#pragma unroll
    for (unsigned i = 0; i < 2; i++)
#pragma unroll
        for (unsigned j = 0; j < 4; j++)
            multiply_add(s.of[half][i][j], first[2 * i], first[2 * i + 1], second[j]);
}

/* ---- Storing ----------------------------------------------------------------------------------------------------- */
/* Results that are neighbours in memory one after the other, so that sectors which two runs share are written once. */
template <bool columns, bool halves, bool forward>
__device__ __forceinline__ void write(const arguments &a, const sums &s, unsigned tile)
{
    const unsigned warp = threadIdx.x / 32, first = threadIdx.x % 32 / 4, second = threadIdx.x % 4 * 2;
    const unsigned first_line = tile / a.row_tiles * lines + warp % 2 * 32;
    const unsigned first_row = tile % a.row_tiles * a.tile_rows + warp / 2 * 32;
    const auto line = [&](unsigned l) { return a.out + a.out_lines(min(first_line + l, a.count - 1)); };
    double *near_lines[4];
#pragma unroll
    for (unsigned f = 0; f < 4; f++)
        near_lines[f] = columns ? line(f * 8 + first) : nullptr;
#pragma unroll
    for (unsigned o = 0; o < 8; o++) {
        double *const far_line = columns ? nullptr : line(o / 2 * 8 + second + o % 2);
#pragma unroll
        for (unsigned half = 0; half < 2; half++)
#pragma unroll
            for (unsigned f = 0; f < 4; f++) {
                const unsigned row = first_row + (columns ? o / 2 * 8 + second + o % 2 : f * 8 + first);
                const unsigned element = a.to.start[half] + a.to.step[half] * row, number = f % 2 * 2 + o % 2;
                const double x = s.of[0][f / 2][o / 2][number], y = s.of[1][f / 2][o / 2][number];
                const double value = halves && !forward ? (half ? x - y : x + y) : half ? y : x;
                if (row - a.to.first[half] < a.to.count[half])
                    (columns ? near_lines[f] + element * a.out_pitch : far_line + element)[0] = a.scale * value;
            }
    }
}

/* Tiles, those of the same lines one after the other; in all stages of a block's tiles without a break. */
template <bool columns, bool halves, bool forward>
__global__ void __launch_bounds__(threads, 1) multiply(const __grid_constant__ arguments a)
{
    extern __shared__ __align__(16) double shared_reals[];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const double *const matrix = shared_reals + warp / 2 * 128 + lane * 2;
    const double *const field = shared_reals + stages * matrix_stage +
                                (columns ? lane % 4 * pitch<true> + warp % 2 * 32 + lane / 4
                                         : (warp % 2 * 32 + lane / 4) * pitch<false> + lane % 4);
    constexpr unsigned fours = depth / 4, in_field = 4 * (columns ? pitch<true> : 1);
    loader<columns, halves> load(a, shared_reals);
    for (unsigned i = 0; i < stages - 1; i++)
        load.load_stage();
    four_inputs<halves> x[2];
    unsigned slot = 0;
    const auto read_first = [&] {
        read<columns, halves>(x[0], matrix + slot * matrix_stage, field + slot * 2 * half_stage<columns>);
        if constexpr (halves && forward)
            fold(x[0]);
    };
    wait_for_next_stage();
    read_first();
    for (unsigned tile = blockIdx.x; tile < a.tiles; tile += gridDim.x) {
        if (tile % a.row_tiles * a.tile_rows + warp / 2 * 32 >= a.to.count[0]) { /* a warp without rows loads */
            for (unsigned step = 0; step < a.steps; step++) {
                load.load_stage();
                wait_for_next_stage();
                slot = following(slot);
            }
            read_first();
            continue;
        }
        sums total = {};
        for (unsigned step = 0; step < a.steps; step++) {
#pragma unroll
            for (unsigned four = 0; four < fours; four++) {
                if (four == fours - 1) { /* the stage before is no longer read */
                    wait_for_next_stage();
                    slot = following(slot);
                }
                const unsigned next = (four + 1) % fours;
                read<columns, halves>(x[next % 2], matrix + slot * matrix_stage + next * 8 * rows,
                                      field + slot * 2 * half_stage<columns> + next * in_field);
                if (four == 0)
                    load.load_matrix();
                if (four == 1)
                    load.template load_field<0>();
                if (four == 2) {
                    if constexpr (halves)
                        load.template load_field<1>();
                    load.end_stage();
                }
                multiply_four<columns>(total, x[four % 2], 0);
                if constexpr (halves && forward)
                    fold(x[next % 2]);
                multiply_four<columns>(total, x[four % 2], 1);
            }
        }
        write<columns, halves, forward>(a, total, tile);
    }
}

/* ---- The host's side --------------------------------------------------------------------------------------------- */
typedef void (*kernel)(const arguments);
inline kernel kernel_of(bool columns, bool halves, bool forward)
{
    static const kernel kernels[2][2][2] = {{{multiply<false, false, false>, multiply<false, false, true>},
                                             {multiply<false, true, false>, multiply<false, true, true>}},
                                            {{multiply<true, false, false>, multiply<true, false, true>},
                                             {multiply<true, true, false>, multiply<true, true, true>}}};
    return kernels[columns][halves][forward];
}

inline int bytes_of(bool columns)
{
    return columns ? bytes<true> : bytes<false>;
}

} // namespace products

} // namespace starfish

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Products of a basis with lanes in f32 on tensor cores, with errors as small as those of f32.
 *
 * Tensor cores multiply numbers of 11 significant bits (TF32). So each number is its rounding to TF32, "big", and the
 * rest, "small", and big*big + big*small + small*big is computed. What is missing, small*small and the last bits of
 * small, is 2^-22 of a product at most. Tensor cores truncate sums, so that long ones would be too small: they add up 8
 * products of each kind, and ordinary additions, which round to nearest, add up these sums.
 *
 * Both halves of a reflected basis are computed together, so that elements are folded on the way in (FORWARD) or out
 * (BACKWARD), without a pass over memory.
 *
 * Source: Ootomo and Yokota, "Recovering single precision accuracy from Tensor Cores while surpassing the FP32
 * theoretical peak performance", Int. J. High Perform. Comput. Appl. 36 (2022). */
#ifndef STARFISH_FFT_KERNELS_BASIS_TENSOR_CUH
#define STARFISH_FFT_KERNELS_BASIS_TENSOR_CUH

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace starfish
{

namespace tensor
{

/* A block computes 128 rows for 128 lanes, a warp 64 rows for 32 lanes. The rows of a warp are two groups of 32: one
 * after the other, or of a reflected basis rows of the even half and as many of the odd one. */
constexpr unsigned row_warps = 2, lane_warps = 4, warp_lanes = 32, group_rows = 32, warp_rows = 2 * group_rows;
constexpr unsigned rows = row_warps * warp_rows, lanes = lane_warps * warp_lanes;
constexpr unsigned threads = row_warps * lane_warps * 32, blocks_each = 2; /* to a multiprocessor */
constexpr unsigned depth = 16, stages = 3;          /* inputs to a stage; stages on their way to shared memory */
constexpr unsigned pitch = lanes + 8;               /* of a row in shared memory: a quarter warp meets all banks */
constexpr unsigned fragment = 2 * 16 * 8;           /* of the matrix: 16 rows x 8 inputs, big ones, then small ones */
constexpr unsigned matrix_stage = rows * depth * 2; /* floats */
template <bool reflected> constexpr unsigned field_stage = (reflected ? 2 : 1) * depth *pitch;
template <bool reflected> constexpr int bytes = stages *(matrix_stage + field_stage<reflected>)*sizeof(float);

struct shape {
    unsigned n, even;
    bool reflected;
    __host__ __device__ unsigned tiles() const { return ((reflected ? 2 * even : n) + rows - 1) / rows; }
    __host__ __device__ unsigned steps() const { return (even + depth - 1) / depth; }
    __host__ __device__ size_t floats() const { return static_cast<size_t>(tiles()) * steps() * matrix_stage; }
};

__device__ inline float big_part(float x)
{
    return __uint_as_float((__float_as_uint(x) + 0x1000) & 0xffffe000); /* 13 bits less, to nearest */
}

/* ---- The matrix -------------------------------------------------------------------------------------------------- */
/* Split, in the order in which warps want it: tiles of 128 rows, of these stages of 16 inputs, two eights of them,
 * eight fragments of 16 rows, big numbers and small ones, four for each thread. Zero beyond the matrix. */
__global__ void split(float *to, const float *matrix, shape s, bool forward)
{
    const size_t step_size = static_cast<size_t>(gridDim.x) * blockDim.x;
    for (size_t at = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; at < s.floats(); at += step_size) {
        const unsigned in_stage = at % matrix_stage, number = at % 4, lane = at / 4 % 32;
        const unsigned sixteen = in_stage / fragment % 8, eight = in_stage / fragment / 8;
        const unsigned step = at / matrix_stage % s.steps(), tile = at / matrix_stage / s.steps();
        const unsigned odd = s.reflected ? sixteen / 2 % 2 : 0, size = odd ? s.n - s.even : s.even;
        const unsigned within = sixteen % 2 * 16 + lane / 4 + number % 2 * 8;
        unsigned row = s.reflected ? (tile * row_warps + sixteen / 4) * group_rows + within
                                   : tile * rows + sixteen / 2 * group_rows + within;
        unsigned input = step * depth + eight * 8 + lane % 4 + number / 2 * 4;
        float value = 0;
        if (row < size && input < size) {
            if (odd) /* the matrix wants differences in the order in which the fold leaves them: from the middle on */
                (forward ? input : row) = size - 1 - (forward ? input : row);
            value = matrix[(odd ? static_cast<size_t>(s.even) * s.even : 0) + static_cast<size_t>(row) * size + input];
        }
        const float big = big_part(value);
        to[at] = in_stage / (fragment / 2) % 2 ? big_part(value - big) : big;
    }
}

/* ---- Loading ----------------------------------------------------------------------------------------------------- */
struct arguments {
    const float *matrix, *in;
    float *out;
    unsigned n, even, steps, row_tiles, tiles;
    size_t inner, columns; /* lanes of a plane, and of all planes */
    float scale;
};

/* `width` floats, or as many zeros. */
template <unsigned width> __device__ inline void fetch(float *shared, const float *global, bool is)
{
#if __CUDA_ARCH__ >= 800
    const uint32_t to = static_cast<uint32_t>(__cvta_generic_to_shared(shared));
    if constexpr (width == 4)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(global), "r"(is ? 16 : 0));
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(to), "l"(global), "r"(is ? 4 : 0));
#endif
}

__device__ inline void end_stage()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;");
#endif
}

__device__ inline void wait_for_oldest_stage()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(stages - 2));
#endif
    __syncthreads();
}

/* What a block loads, stages ahead of what it multiplies, tile after tile. A thread loads of one column. */
template <bool reflected, bool forward, unsigned width> struct loader {
    static constexpr unsigned vectors = lanes / width, rows_at_once = threads / vectors;
    const arguments &a;
    unsigned tile, step = 0, slot = 0;
    const float *column = nullptr;

    __device__ loader(const arguments &all, unsigned first) : a(all), tile(first) { place(); }

    __device__ void place()
    {
        const size_t l = static_cast<size_t>(tile / a.row_tiles) * lanes + threadIdx.x % vectors * width;
        column = tile < a.tiles && l < a.columns ? a.in + l % a.inner + l / a.inner * a.inner * a.n : nullptr;
    }

    __device__ void load_matrix(float *to) const
    {
        const float *from = a.matrix + (static_cast<size_t>(tile % a.row_tiles) * a.steps + step) * matrix_stage;
#pragma unroll
        for (unsigned i = 4 * threadIdx.x; i < matrix_stage; i += 4 * threads)
            fetch<4>(to + i, from + i, true);
    }

    __device__ void load_row(float *to, unsigned row, bool is) const
    {
        fetch<width>(to + threadIdx.x % vectors * width, is && column ? column + row * a.inner : a.in, is && column);
    }

    __device__ void load_field(float *to) const
    {
#pragma unroll
        for (unsigned r = threadIdx.x / vectors; r < depth; r += rows_at_once) {
            const unsigned j = step * depth + r, mirror = forward ? a.n - 1 - j : a.even + j;
            load_row(to + r * pitch, j, j < a.even);
            if constexpr (reflected)
                load_row(to + (depth + r) * pitch, mirror, j < a.n - a.even);
        }
    }

    __device__ void next(float *matrix, float *field)
    {
        if (tile < a.tiles) {
            load_matrix(matrix + slot * matrix_stage);
            load_field(field + slot * field_stage<reflected>);
            slot = (slot + 1) % stages;
            if (++step == a.steps) {
                step = 0;
                tile += gridDim.x;
                place();
            }
        }
        end_stage();
    }
};

/* ---- Products ---------------------------------------------------------------------------------------------------- */
/* d += a b, 16 x 8 x 8. The last 13 bits of a and b are ignored. */
__device__ inline void multiply_add(float (&d)[4], const float4 &a, const float (&b)[2])
{
#if __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(__float_as_uint(a.x)), "r"(__float_as_uint(a.y)), "r"(__float_as_uint(a.z)), "r"(__float_as_uint(a.w)),
          "r"(__float_as_uint(b[0])), "r"(__float_as_uint(b[1])));
#endif
}

/* Of a thread: of two groups of 32 rows, of two sixteens of each, of four sets of eight lanes. Set t has lanes t,
 * 4 + t and so on to 28 + t, so that a thread reads four lanes at once, one for each set, and writes four at once.
 * It has lanes 8 q to 8 q + 7, where q = lane % 4, in rows lane / 4 and lane / 4 + 8 of a sixteen. */
struct sums {
    float of[2][2][4][4];
};

/* Eight inputs of a thread's lanes, two of them, by half of the basis and set. */
template <unsigned halves> struct inputs {
    float big[halves][4][2], small[halves][4][2];
};

/* Small numbers keep all their bits: big_part makes a number of some NaN, and small is then what stays NaN. */
template <bool reflected, bool forward, unsigned halves>
__device__ inline void read_inputs(inputs<halves> &to, const float *field)
{
#pragma unroll
    for (unsigned i = 0; i < 2; i++) {
        float value[halves][4];
#pragma unroll
        for (unsigned half = 0; half < halves; half++) {
            const float4 v = *reinterpret_cast<const float4 *>(field + (half * depth + i * 4) * pitch);
            value[half][0] = v.x, value[half][1] = v.y, value[half][2] = v.z, value[half][3] = v.w;
        }
#pragma unroll
        for (unsigned set = 0; set < 4; set++) {
            if constexpr (reflected && forward) {
                const float lower = value[0][set], upper = value[1][set];
                value[0][set] = lower + upper;
                value[1][set] = lower - upper;
            }
#pragma unroll
            for (unsigned half = 0; half < halves; half++) {
                to.big[half][set][i] = big_part(value[half][set]);
                to.small[half][set][i] = value[half][set] - to.big[half][set][i];
            }
        }
    }
}

template <bool reflected, bool forward>
__device__ inline void multiply_eight(sums &s, const float *matrix, const float *field)
{
    inputs<reflected ? 2 : 1> b;
    read_inputs<reflected, forward>(b, field);
#pragma unroll
    for (unsigned group = 0; group < 2; group++)
#pragma unroll
        for (unsigned sixteen = 0; sixteen < 2; sixteen++) {
            const unsigned half = reflected ? group : 0;
            const float *a = matrix + (group * 2 + sixteen) * fragment + threadIdx.x % 32 * 4;
            const float4 big = *reinterpret_cast<const float4 *>(a);
            const float4 small = *reinterpret_cast<const float4 *>(a + fragment / 2);
            float part[4][4] = {};
#pragma unroll
            for (unsigned set = 0; set < 4; set++)
                multiply_add(part[set], small, b.big[half][set]);
#pragma unroll
            for (unsigned set = 0; set < 4; set++)
                multiply_add(part[set], big, b.small[half][set]);
#pragma unroll
            for (unsigned set = 0; set < 4; set++)
                multiply_add(part[set], big, b.big[half][set]);
#pragma unroll
            for (unsigned set = 0; set < 4; set++)
#pragma unroll
                for (unsigned i = 0; i < 4; i++)
                    s.of[group][sixteen][set][i] += part[set][i];
        }
}

/* ---- Storing ----------------------------------------------------------------------------------------------------- */
template <unsigned width> __device__ inline void store(const arguments &a, const float (&v)[4], size_t l, unsigned row)
{
#pragma unroll
    for (unsigned i = 0; i < 4; i += width) {
        if (l + i >= a.columns)
            break;
        float *to = a.out + ((l + i) % a.inner + ((l + i) / a.inner * a.n + row) * a.inner);
        if constexpr (width == 4)
            *reinterpret_cast<float4 *>(to) = make_float4(v[0], v[1], v[2], v[3]);
        else
            *to = v[i];
    }
}

template <bool reflected, bool forward, unsigned width>
__device__ inline void write(const arguments &a, const sums &s, unsigned tile)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, odd = a.n - a.even;
    const unsigned first_row =
        (tile % a.row_tiles * row_warps + warp / lane_warps) * (reflected ? group_rows : warp_rows);
    const size_t first =
        static_cast<size_t>(tile / a.row_tiles) * lanes + warp % lane_warps * warp_lanes + lane % 4 * 8;
#pragma unroll
    for (unsigned part = 0; part < 8; part++) {
        const unsigned sixteen = part / 4, eight = part / 2 % 2, right = part % 2, number = eight * 2 + right;
        const unsigned row = first_row + sixteen * 16 + eight * 8 + lane / 4;
        const unsigned other = !reflected ? row + group_rows : forward ? a.even + row : a.n - 1 - row;
        float v[2][4];
#pragma unroll
        for (unsigned set = 0; set < 4; set++) {
            const float x = s.of[0][sixteen][set][number], y = s.of[1][sixteen][set][number];
            v[0][set] = a.scale * (reflected && !forward ? x + y : x);
            v[1][set] = a.scale * (reflected && !forward ? x - y : y);
        }
        if (row < a.even)
            store<width>(a, v[0], first + 4 * right, row);
        if (reflected ? row < odd : other < a.n)
            store<width>(a, v[1], first + 4 * right, other);
    }
}

/* Tiles, those of the same lanes one after the other; in all stages of a block's tiles without a break. */
template <bool reflected, bool forward, unsigned width>
__global__ void __launch_bounds__(threads, blocks_each) multiply(const __grid_constant__ arguments a)
{
    extern __shared__ __align__(16) float memory[];
    float *const matrix = memory, *const field = memory + stages * matrix_stage;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const unsigned matrix_at = warp / lane_warps * 4 * fragment;
    const unsigned field_at = lane % 4 * pitch + warp % lane_warps * warp_lanes + lane / 4 * 4;
    loader<reflected, forward, width> load(a, blockIdx.x);
    unsigned slot = 0;
    for (unsigned i = 0; i < stages - 1; i++)
        load.next(matrix, field);
    for (unsigned tile = blockIdx.x; tile < a.tiles; tile += gridDim.x) {
        sums total = {};
        for (unsigned step = 0; step < a.steps; step++) {
            wait_for_oldest_stage(); /* nobody reads the one before any more */
            load.next(matrix, field);
#pragma unroll
            for (unsigned eight = 0; eight < depth / 8; eight++)
                multiply_eight<reflected, forward>(
                    total, matrix + slot * matrix_stage + eight * 8 * fragment + matrix_at,
                    field + slot * field_stage<reflected> + eight * 8 * pitch + field_at);
            slot = (slot + 1) % stages;
        }
        write<reflected, forward, width>(a, total, tile);
    }
}

/* ---- The host's side --------------------------------------------------------------------------------------------- */
typedef void (*kernel)(const arguments);
inline kernel kernel_of(bool reflected, bool forward, bool wide)
{
    static const kernel kernels[2][2][2] = {
        {{multiply<false, false, 1>, multiply<false, false, 4>}, {multiply<false, true, 1>, multiply<false, true, 4>}},
        {{multiply<true, false, 1>, multiply<true, false, 4>}, {multiply<true, true, 1>, multiply<true, true, 4>}}};
    return kernels[reflected][forward][wide];
}

/* Has the current device such tensor cores and as much shared memory, and is there code for them? */
inline bool prepare(bool reflected)
{
    bool can = true;
    for (int i = 0; i < 4; i++) {
        const auto function = reinterpret_cast<const void *>(kernel_of(reflected, i / 2, i % 2));
        cudaFuncAttributes about;
        can = can && cudaFuncGetAttributes(&about, function) == cudaSuccess && about.ptxVersion >= 80 &&
              cudaFuncSetAttribute(function, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                   reflected ? bytes<true> : bytes<false>) == cudaSuccess;
    }
    if (!can)
        (void)cudaGetLastError();
    return can;
}

} // namespace tensor

} // namespace starfish

#endif

/* What a block does with a tile of lanes: combination before, transform in shared memory, combination after. Device
 * memory is read once and written once; everything between stays in registers and shared memory.
 *
 * Two real lanes go as one complex line a + ib (transform shape REAL, `packed`); a combination with real weights
 * acts on both. With shape COMPLEX a line is one lane. A tile is read whole before any of it is written, so output
 * may replace input. */
#ifndef STARFISH_FFT_LINE_TILE_CUH
#define STARFISH_FFT_LINE_TILE_CUH

#include "fft/line_fft.cuh"
#include "fft/line_lanes.cuh"

namespace starfish
{

/* What kernels need of a plan in one direction. */
template <typename real> struct line_transform {
    line_fft<real> fft;
    int n;
    int terms;                         /* of the combination before */
    bool weighted;                     /* whether any p is not 1, where it has one term */
    const int2 *input;                 /* first and second of transform_tables.h */
    const complex<real> *input_weight; /* p and q */
    int entries;                       /* of the combination after */
    const int4 *entry;
    const complex<real> *weight;
    real scale;
};

/* ---- Before: the loader of the first pass ----------------------------------------------------------------------- */
template <typename real, typename lines> struct from_lines {
    const line_transform<real> &transform;
    const lines &in;

    template <int radix>
    __device__ __forceinline__ void fill(number<real> (&x)[radix], int l, int j, int span, const number<real> *,
                                         int) const
    {
        const auto line = in.line(l);
        if constexpr (lines::packed)
            combine_packed(x, line, j, span);
        else
            combine(x, line, j, span);
    }

  private:
    /* Loads come first, all of them, so that they are in flight together. */
    template <int radix, typename line_type>
    __device__ __forceinline__ void combine_packed(number<real> (&x)[radix], const line_type &line, int j,
                                                   int span) const
    {
        const line_transform<real> &t = transform;
        if (t.terms == 2) {
            number<real> y[radix];
#pragma unroll
            for (int s = 0; s < radix; s++) {
                const int2 from = __ldg(&t.input[j + s * span]);
                x[s] = line.get(from.x);
                y[s] = line.get(from.y);
            }
#pragma unroll
            for (int s = 0; s < radix; s++) {
                const complex<real> w = __ldg(&t.input_weight[j + s * span]);
                x[s] = w.x * x[s] + w.y * y[s];
            }
            return;
        }
#pragma unroll
        for (int s = 0; s < radix; s++)
            x[s] = line.get(t.terms == 0 ? j + s * span : __ldg(&t.input[j + s * span].x));
        if (t.weighted)
#pragma unroll
            for (int s = 0; s < radix; s++)
                x[s] = __ldg(&t.input_weight[j + s * span].x) * x[s];
    }

    /* The real and the imaginary part of a number are made of the same two inputs. */
    template <int radix, typename line_type>
    __device__ __forceinline__ void combine(number<real> (&x)[radix], const line_type &line, int j, int span) const
    {
        const line_transform<real> &t = transform;
        half<real> a[radix], b[radix];
#pragma unroll
        for (int s = 0; s < radix; s++) {
            const int2 from = __ldg(&t.input[2 * (j + s * span)]);
            a[s] = line.get(from.x);
            b[s] = line.get(from.y);
        }
#pragma unroll
        for (int s = 0; s < radix; s++) {
            const complex<real> *w = &t.input_weight[2 * (j + s * span)];
            x[s] = rotate(a[s], b[s], __ldg(w), __ldg(w + 1));
        }
    }

    /* The first row of weights gives the real part, the second the imaginary part. */
    static __device__ __forceinline__ double2 rotate(double a, double b, double2 v, double2 w)
    {
        return {v.x * a + v.y * b, w.x * a + w.y * b};
    }
    static __device__ __forceinline__ float4 rotate(float2 a, float2 b, float2 v, float2 w)
    {
        return {v.x * a.x + v.y * b.x, w.x * a.x + w.y * b.x, v.x * a.y + v.y * b.y, w.x * a.y + w.y * b.y};
    }
};

/* ---- After ------------------------------------------------------------------------------------------------------ */
__device__ __forceinline__ double real_parts(double2 a)
{
    return a.x;
}
__device__ __forceinline__ float2 real_parts(float4 a)
{
    return {a.x, a.z};
}

/* An entry's outputs of one line. */
template <typename real, typename lines>
__device__ __forceinline__ void store_entry(const line_transform<real> &transform, const line_share &share,
                                            const number<real> *numbers, const lines &out, int l, int4 entry,
                                            complex<real> weight)
{
    const real re = transform.scale * weight.x, im = transform.scale * weight.y;
    const auto line = out.line(l);
    number<real> sum = numbers[l * share.distance + (entry.x << share.shift)], turned = quarter(sum);
    if constexpr (lines::packed) {
        const number<real> c = sum, d = numbers[l * share.distance + (entry.y << share.shift)];
        sum = c + d;
        turned = quarter(c - d);
    }
    const number<real> first = re * sum + im * turned;
    const real sign = entry.w & 1 ? -1 : 1;
    const number<real> second = (sign * im) * sum - (sign * re) * turned;
    if constexpr (lines::packed) {
        line.put(entry.z, first);
        if (entry.w >= 0)
            line.put(entry.w >> 1, second);
    } else {
        line.put(entry.z, real_parts(first));
        if (entry.w >= 0)
            line.put(entry.w >> 1, real_parts(second));
    }
}

/* A thread reads the tables once for all of its lines. */
template <typename real, typename lines>
__device__ __forceinline__ void store_lines(const line_transform<real> &transform, const line_share &share,
                                            const number<real> *numbers, const lines &out)
{
#pragma unroll 2
    for (int e = share.first_element; e < transform.entries; e += share.element_step) {
        const int4 entry = __ldg(&transform.entry[e]);
        const complex<real> weight = __ldg(&transform.weight[e]);
#pragma unroll 2
        for (int l = share.first_line; l < share.lines; l += share.line_step)
            store_entry(transform, share, numbers, out, l, entry, weight);
    }
}

/* ---- Tiles ------------------------------------------------------------------------------------------------------ */
/* How a kernel cuts lanes into tiles and gives its threads to them. */
struct tile_shape {
    int lanes, lines; /* of a tile */
    int threads;
    int shift, distance;                   /* of struct line_share */
    int butterfly_threads, output_threads; /* of one line of rows, powers of two */
    size_t shared;                         /* bytes */
};

/* Rows: threads lie along the line. */
__device__ __forceinline__ line_share share_row(const tile_shape &shape, int lines, int along)
{
    const int thread = threadIdx.x, log = __ffs(along) - 1;
    return {lines, shape.shift, shape.distance, thread >> log, shape.threads >> log, thread & (along - 1), along};
}

/* Columns: threads lie across the lines that are interleaved. */
__device__ __forceinline__ line_share share_column(const tile_shape &shape, int lines)
{
    const int thread = threadIdx.x, across = 1 << shape.shift;
    return {lines,
            shape.shift,
            shape.distance,
            thread & (across - 1),
            across,
            thread >> shape.shift,
            shape.threads >> shape.shift};
}

template <typename real, typename lines_in, typename lines_out>
__device__ __forceinline__ void transform_rows_tile(const line_transform<real> &transform, const tile_shape &shape,
                                                    number<real> *numbers, const lines_in &in, const lines_out &out)
{
    const int lines = lines_of<real, lines_in::packed>(in.lanes);
    run_line_fft(transform.fft, share_row(shape, lines, shape.butterfly_threads), numbers,
                 from_lines<real, lines_in>{transform, in});
    store_lines(transform, share_row(shape, lines, shape.output_threads), numbers, out);
}

template <typename real, typename lines>
__device__ __forceinline__ void transform_columns_tile(const line_transform<real> &transform, const tile_shape &shape,
                                                       number<real> *numbers, const lines &in, const lines &out)
{
    const line_share share = share_column(shape, lines_of<real, lines::packed>(in.lanes));
    run_line_fft(transform.fft, share, numbers, from_lines<real, lines>{transform, in});
    store_lines(transform, share, numbers, out);
}

} // namespace starfish

#endif

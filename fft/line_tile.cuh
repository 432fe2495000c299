/* What a block does with a tile of lanes: combination before, transform in shared memory, combination after. Device
 * memory is read once and written once; everything between stays in registers and shared memory.
 *
 * Real lanes go in pairs as one complex line a + ib (transform shape REAL, `packed`); a combination with real weights
 * acts on the pair. With shape COMPLEX a line is one lane. A tile is read whole before any of it is written, so output
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
    int terms; /* of the combination before */
    const int *first, *second;
    const real *p, *q;
    const int2 *place;            /* of the combination after */
    const complex<real> *weight;
    real scale;
};

/* ---- Before: the loader of the first pass ------------------------------------------------------------------------ */
__device__ __forceinline__ float2 weigh(float p, float2 x) { return {p * x.x, p * x.y}; }
__device__ __forceinline__ double2 weigh(double p, double2 x) { return {p * x.x, p * x.y}; }
__device__ __forceinline__ float weigh(float p, float x) { return p * x; }
__device__ __forceinline__ double weigh(double p, double x) { return p * x; }
__device__ __forceinline__ float2 weigh(float p, float2 x, float2 y) { return {p * x.x + y.x, p * x.y + y.y}; }
__device__ __forceinline__ double2 weigh(double p, double2 x, double2 y) { return {p * x.x + y.x, p * x.y + y.y}; }

template <typename real, typename lines> struct from_lines {
    const line_transform<real> &transform;
    const lines &in;

    template <int radix>
    __device__ __forceinline__ void fill(complex<real> (&x)[radix], int l, int j, int span, const complex<real> *,
                                         int) const
    {
        const auto line = in.line(l);
        if constexpr (lines::packed)
            combine_pair(x, line, j, span);
        else
            combine(x, line, j, span);
    }

  private:
    /* Loads come first, all of them, so that they are in flight together. */
    template <int radix, typename line_type>
    __device__ __forceinline__ void combine_pair(complex<real> (&x)[radix], const line_type &line, int j,
                                                 int span) const
    {
        const line_transform<real> &t = transform;
        if (t.terms == 0) {
#pragma unroll
            for (int s = 0; s < radix; s++)
                x[s] = line.get(j + s * span);
            return;
        }
#pragma unroll
        for (int s = 0; s < radix; s++)
            x[s] = line.get(__ldg(&t.first[j + s * span]));
        if (t.terms == 2) {
            complex<real> y[radix];
#pragma unroll
            for (int s = 0; s < radix; s++)
                y[s] = line.get(__ldg(&t.second[j + s * span]));
#pragma unroll
            for (int s = 0; s < radix; s++)
                x[s] = weigh(__ldg(&t.p[j + s * span]), x[s], weigh(__ldg(&t.q[j + s * span]), y[s]));
        } else {
#pragma unroll
            for (int s = 0; s < radix; s++)
                x[s] = weigh(__ldg(&t.p[j + s * span]), x[s]);
        }
    }

    /* The real and the imaginary part of a number are made of the same two inputs. */
    template <int radix, typename line_type>
    __device__ __forceinline__ void combine(complex<real> (&x)[radix], const line_type &line, int j, int span) const
    {
        const line_transform<real> &t = transform;
#pragma unroll
        for (int s = 0; s < radix; s++) {
            const int i = 2 * (j + s * span);
            x[s] = {line.get(__ldg(&t.first[i])), line.get(__ldg(&t.second[i]))};
        }
#pragma unroll
        for (int s = 0; s < radix; s++) {
            const int i = 2 * (j + s * span);
            x[s] = {__ldg(&t.p[i]) * x[s].x + __ldg(&t.q[i]) * x[s].y,
                    __ldg(&t.p[i + 1]) * x[s].x + __ldg(&t.q[i + 1]) * x[s].y};
        }
    }
};

/* ---- After -------------------------------------------------------------------------------------------------------- */
template <typename real, typename lines>
__device__ __forceinline__ void store_element(const line_transform<real> &transform, const line_share &share,
                                              const complex<real> *numbers, const lines &out, int k, int l, int2 place,
                                              complex<real> weight)
{
    const real re = transform.scale * weight.x, im = transform.scale * weight.y;
    const complex<real> c = numbers[l * share.distance + (place.x << share.shift)];
    if constexpr (lines::packed) {
        const complex<real> d = numbers[l * share.distance + (place.y << share.shift)];
        out.line(l).put(k, {re * (c.x + d.x) + im * (c.y - d.y), re * (c.y + d.y) + im * (d.x - c.x)});
    } else {
        out.line(l).put(k, re * c.x + im * c.y);
    }
}

/* Rows: a thread reads the tables once for all of its lines. */
template <typename real, typename lines>
__device__ __forceinline__ void store_rows(const line_transform<real> &transform, const line_share &share,
                                           const complex<real> *numbers, const lines &out)
{
    for (int k = share.first_element; k < transform.n; k += share.element_step) {
        const int2 place = __ldg(&transform.place[k]);
        const complex<real> weight = __ldg(&transform.weight[k]);
#pragma unroll 4
        for (int l = share.first_line; l < share.lines; l += share.line_step)
            store_element(transform, share, numbers, out, k, l, place, weight);
    }
}

/* Columns: a thread has one line. */
template <typename real, typename lines>
__device__ __forceinline__ void store_columns(const line_transform<real> &transform, const line_share &share,
                                              const complex<real> *numbers, const lines &out)
{
    if (share.first_line >= share.lines)
        return;
#pragma unroll 4
    for (int k = share.first_element; k < transform.n; k += share.element_step)
        store_element(transform, share, numbers, out, k, share.first_line, __ldg(&transform.place[k]),
                      __ldg(&transform.weight[k]));
}

/* ---- Tiles ---------------------------------------------------------------------------------------------------------- */
/* How a kernel cuts lanes into tiles and gives its threads to them; all but `distance` and `shared` powers of two. */
struct tile_shape {
    int lanes, lines; /* of a tile: two lanes a line, or one */
    int threads;
    int distance; /* numbers from one line to the next */
    int butterfly_threads, output_threads; /* of one line of rows */
    int shift;                             /* of places, for columns */
    size_t shared;                         /* bytes */
};

/* Rows: threads lie along the line. */
__device__ __forceinline__ line_share share_row(const tile_shape &shape, int lines, int along)
{
    const int thread = threadIdx.x, log = __ffs(along) - 1;
    return {lines, shape.distance, 0, thread >> log, shape.threads >> log, thread & (along - 1), along};
}

/* Columns: threads lie across the lines, whose numbers are interleaved. */
__device__ __forceinline__ line_share share_column(const tile_shape &shape, int lines)
{
    const int thread = threadIdx.x;
    return {lines,
            1,
            shape.shift,
            thread & (shape.lines - 1),
            shape.lines,
            thread >> shape.shift,
            shape.threads >> shape.shift};
}

template <typename real, typename lines_in, typename lines_out>
__device__ __forceinline__ void transform_rows_tile(const line_transform<real> &transform, const tile_shape &shape,
                                                    complex<real> *numbers, const lines_in &in, const lines_out &out)
{
    const int lines = lines_in::packed ? (in.lanes + 1) / 2 : in.lanes;
    run_line_fft(transform.fft, share_row(shape, lines, shape.butterfly_threads), numbers,
                 from_lines<real, lines_in>{transform, in});
    store_rows(transform, share_row(shape, lines, shape.output_threads), numbers, out);
}

template <typename real, typename lines>
__device__ __forceinline__ void transform_columns_tile(const line_transform<real> &transform, const tile_shape &shape,
                                                       complex<real> *numbers, const lines &in, const lines &out)
{
    const line_share share = share_column(shape, lines::packed ? (in.lanes + 1) / 2 : in.lanes);
    run_line_fft(transform.fft, share, numbers, from_lines<real, lines>{transform, in});
    store_columns(transform, share, numbers, out);
}

} // namespace starfish

#endif

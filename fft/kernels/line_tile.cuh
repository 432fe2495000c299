/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a block does with a tile of lanes: combination before, transform in shared memory, combination after. Device
 * memory is read once and written once; everything between stays in registers and shared memory.
 *
 * Two real lanes go as one complex line a + ib (transform shape REAL, `packed`); a combination with real weights
 * acts on both. Combinations of elements that lie opposite each other are made in registers, within the last pass, or
 * within the first one of a backward Fourier transform (struct starfish_line_pairs). With shape COMPLEX a line is one
 * lane. A tile is read whole before any of it is written, so output may replace input. */
#ifndef STARFISH_FFT_KERNELS_LINE_TILE_CUH
#define STARFISH_FFT_KERNELS_LINE_TILE_CUH

#include "fft/kernels/line_lanes.cuh"
#include "fft/kernels/line_mirrored.cuh"

namespace starfish
{

/* The combination before of struct line_transform. */
template <typename real> struct line_weights {
    int terms;
    bool weighted;
    const int2 *input;
    const complex<real> *input_weight;
};
template <typename real> __device__ __forceinline__ line_weights<real> weights_of(const line_transform<real> &t)
{
    return {t.terms, t.weighted, t.input, t.input_weight};
}

/* ---- Before: the loader of the first pass ----------------------------------------------------------------------- */
template <typename real, typename lines> struct from_lines {
    static constexpr int depth = 2;
    static constexpr bool in_order = true;
    line_weights<real> t;
    lines in;

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
    template <int radix, typename line_type>
    __device__ __forceinline__ void combine_packed(number<real> (&x)[radix], const line_type &line, int j,
                                                   int span) const
    {
        int from[radix];
#pragma unroll
        for (int s = 0; s < radix; s++)
            from[s] = t.terms == 0 ? j + s * span : __ldg(&t.input[j + s * span].x);
#pragma unroll
        for (int s = 0; s < radix; s++)
            x[s] = line.get(from[s]);
        if (t.weighted)
#pragma unroll
            for (int s = 0; s < radix; s++)
                x[s] = __ldg(&t.input_weight[j + s * span].x) * x[s];
    }

    /* The real and the imaginary part of a number are made of the same two inputs. */
    template <int radix, typename line_type>
    __device__ __forceinline__ void combine(number<real> (&x)[radix], const line_type &line, int j, int span) const
    {
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
/* The storer of the last pass, whose outputs are the elements of frequencies j + (length / radix) s. */
template <typename real, typename lines> struct to_lines {
    line_weights<real> t;
    const int2 *entry; /* a line is one lane */
    const complex<real> *weight;
    real scale;
    lines out;

    template <int radix>
    __device__ __forceinline__ void drain(const number<real> (&x)[radix], int l, int j, const line_pass<real> &pass,
                                          const number<real> *, int) const
    {
        const auto line = out.line(l);
        if constexpr (lines::packed) {
            store_packed(x, line, j, pass.butterflies);
        } else {
#pragma unroll
            for (int s = 0; s < radix; s++)
                store(x[s], line, j + s * pass.butterflies);
        }
    }

  private:
    /* A synthesis: a forward transform of numbers with real and imaginary parts exchanged is the backward one. */
    template <int radix, typename line_type>
    __device__ __forceinline__ void store_packed(const number<real> (&x)[radix], const line_type &line, int j,
                                                 int step) const
    {
        int to[radix];
        real w[radix];
#pragma unroll
        for (int s = 0; s < radix; s++) {
            to[s] = t.terms == 0 ? j + s * step : __ldg(&t.input[j + s * step].x);
            w[s] = t.weighted ? scale * __ldg(&t.input_weight[j + s * step].x) : scale;
        }
#pragma unroll
        for (int s = 0; s < radix; s++)
            line.put(to[s], w[s] * exchanged(x[s]));
    }

    template <typename line_type>
    __device__ __forceinline__ void store(number<real> x, const line_type &line, int f) const
    {
        const int2 to = __ldg(&entry[f]);
        const complex<real> w = __ldg(&weight[f]);
        const real re = scale * w.x, im = scale * w.y;
        const number<real> turned = quarter(x);
        if (to.x >= 0)
            line.put(to.x, real_parts(re * x + im * turned));
        if (to.y >= 0)
            line.put(to.y >> 1, real_parts(signed_by(to.y, im * x - re * turned)));
    }
};

/* ---- Pairs of butterflies --------------------------------------------------------------------------------------- */
/* Numbers of pair 0 from the order of their frequencies to that of slots, and back. */
template <typename real, int radix>
__device__ __forceinline__ void regroup(number<real> (&a)[radix], number<real> (&b)[radix], real ratio)
{
    const number<real> middle = ratio * quarter(radix % 2 == 0 ? a[radix / 2] : b[radix / 2]), first = a[0];
    a[0] = first - middle;
#pragma unroll
    for (int k = radix / 2; k < radix; k++) {
        const number<real> own = b[k];
        b[k] = k + 1 < radix ? a[(k + 1) % radix] : first + middle;
        if (k >= (radix + 1) / 2)
            a[k] = own;
    }
}

template <typename real, int radix>
__device__ __forceinline__ void ungroup(number<real> (&a)[radix], number<real> (&b)[radix], real ratio)
{
    const real half = static_cast<real>(0.5);
    const number<real> first = half * (a[0] + b[radix - 1]), middle = (half * ratio) * quarter(a[0] - b[radix - 1]);
    a[0] = first;
#pragma unroll
    for (int k = radix - 1; k >= radix / 2; k--) {
        const number<real> own = b[k];
        b[k] = k >= (radix + 1) / 2 ? a[k] : middle;
        if (k + 1 < radix)
            a[(k + 1) % radix] = own;
    }
    if (radix % 2 == 0)
        a[radix / 2] = middle;
}

template <typename real>
__device__ __forceinline__ complex<real> slot_weight(const line_pairs<real> &pairs, int slot, real scale)
{
    complex<real> weight = {pairs.plain, 0};
    if (pairs.weighted)
        weight = __ldg(&pairs.weight[slot]);
    return {scale * weight.x, scale * weight.y};
}

/* Combination after of a pair. `complete`: every slot has both outputs, so that nothing depends on what tables say. */
template <bool complete, typename real, int radix, typename line_type>
__device__ __forceinline__ void store_slots(const line_pairs<real> &pairs, real scale, const number<real> (&a)[radix],
                                            const number<real> (&b)[radix], int p, const line_type &line)
{
#pragma unroll
    for (int i = 0; i < radix; i++) {
        const int2 entry = __ldg(&pairs.entry[i * pairs.count + p]);
        const complex<real> w = slot_weight(pairs, i * pairs.count + p, scale);
        const number<real> sum = a[i] + b[radix - 1 - i], turned = quarter(a[i] - b[radix - 1 - i]);
        if (complete || entry.x >= 0)
            line.put(entry.x, w.x * sum + w.y * turned);
        if (complete || entry.y >= 0)
            line.put(entry.y >> 1, signed_by(entry.y, w.y * sum - w.x * turned));
    }
}

template <typename real, int radix>
__device__ __forceinline__ void load_entries(const line_pairs<real> &pairs, int p, int2 (&entry)[radix])
{
#pragma unroll
    for (int i = 0; i < radix; i++)
        entry[i] = __ldg(&pairs.entry[i * pairs.count + p]);
}

/* The pass that works on pairs, the first or the last one, with the combination beside it. */
template <typename real> struct pairs_pass {
    line_pairs<real> pairs;
    line_pass<real> pass;
    real scale;
};

/* The last pass, and the combination after it. */
struct stored_pairs {
    template <int radix, typename real, typename lines>
    static __device__ __forceinline__ void run(const pairs_pass<real> &last, const line_share &share,
                                               const number<real> *numbers, const lines &out)
    {
        const line_pairs<real> &pairs = last.pairs;
#pragma unroll 1
        for (int p = share.first_element; p < pairs.count; p += share.element_step) {
            const int2 place = __ldg(&pairs.place[p]);
#pragma unroll 1
            for (int l = share.first_line; l < share.lines; l += share.line_step) {
                const number<real> *first = numbers + l * share.distance + (place.x << share.shift);
                const number<real> *second = numbers + l * share.distance + (max(place.y, 0) << share.shift);
                number<real> a[radix], b[radix];
#pragma unroll
                for (int s = 0; s < radix; s++)
                    a[s] = first[s << share.shift];
                dft<real, radix>::apply(a);
#pragma unroll
                for (int s = 0; s < radix; s++)
                    b[s] = second[s << share.shift];
                dft<real, radix>::apply(b);
                if (p == 0)
                    regroup<real, radix>(a, b, pairs.ratio);
                if (pairs.complete)
                    store_slots<true>(pairs, last.scale, a, b, p, out.line(l));
                else
                    store_slots<false>(pairs, last.scale, a, b, p, out.line(l));
            }
        }
    }
};

/* What slots read, all of it in flight together. */
template <bool complete, typename real, int radix, typename line_type>
__device__ __forceinline__ void load_slots(number<real> (&a)[radix], number<real> (&b)[radix],
                                           const int2 (&entry)[radix], const line_type &line)
{
#pragma unroll
    for (int i = 0; i < radix; i++) {
        a[i] = b[radix - 1 - i] = number<real>{};
        if (complete || entry[i].x >= 0)
            a[i] = line.get(entry[i].x);
        if (complete || entry[i].y >= 0)
            b[radix - 1 - i] = line.get(entry[i].y >> 1);
    }
}

/* The inputs of the pair's butterflies, for a backward transform by a forward one: real and imaginary parts
 * exchanged. */
template <typename real, int radix, typename line_type>
__device__ __forceinline__ void load_pair(number<real> (&a)[radix], number<real> (&b)[radix],
                                          const line_pairs<real> &pairs, int p, const line_type &line)
{
    int2 entry[radix];
    load_entries(pairs, p, entry);
    if (pairs.complete)
        load_slots<true, real>(a, b, entry, line);
    else
        load_slots<false, real>(a, b, entry, line);
#pragma unroll
    for (int i = 0; i < radix; i++) {
        const complex<real> w = slot_weight(pairs, i * pairs.count + p, static_cast<real>(1));
        const number<real> first = a[i], second = signed_by(entry[i].y, b[radix - 1 - i]);
        const number<real> sum = w.x * first + w.y * second, turned = quarter(w.y * first - w.x * second);
        a[i] = sum - turned;
        b[radix - 1 - i] = sum + turned;
    }
    if (p == 0)
        ungroup<real, radix>(a, b, pairs.ratio);
#pragma unroll
    for (int s = 0; s < radix; s++) {
        a[s] = exchanged(a[s]);
        b[s] = exchanged(b[s]);
    }
}

/* The combination before, and the first pass. */
struct loaded_pairs {
    template <int radix, typename real, typename lines>
    static __device__ __forceinline__ void run(const pairs_pass<real> &first, const line_share &share,
                                               number<real> *numbers, const lines &in)
    {
        const line_pairs<real> &pairs = first.pairs;
        const line_pass<real> &pass = first.pass;
        const int step = pass.step << share.shift;
#pragma unroll 1
        for (int p = share.first_element; p < pairs.count; p += share.element_step)
#pragma unroll 1
            for (int l = share.first_line; l < share.lines; l += share.line_step) {
                number<real> a[radix], b[radix];
                load_pair<real, radix>(a, b, pairs, p, in.line(l));
                const int2 place = __ldg(&pairs.place[p]);
                number<real> *at = numbers + l * share.distance;
                dft<real, radix>::apply(a);
                to_shared<real>().template drain<radix>(a, l, p, pass, at + (place.x << share.shift), step);
                dft<real, radix>::apply(b);
                if (place.y >= 0)
                    to_shared<real>().template drain<radix>(b, l, p > 0 ? pass.span - p : pass.span / 2, pass,
                                                            at + (place.y << share.shift), step);
            }
    }
};

/* As a function, as call_butterflies is. */
template <typename pairs, int radix, typename real, typename lines>
__device__ __noinline__ void call_pairs(pairs_pass<real> pass, line_share share, number<real> *numbers, lines lanes)
{
    __builtin_assume(__isShared(numbers));
    pairs::template run<radix>(pass, share, numbers, lanes);
}

/* known: as of run_pass. */
template <int known, typename pairs, typename real, typename lines>
__device__ __forceinline__ void run_pairs(const line_pass<real> &pass, const line_transform<real> &t,
                                          const line_share &share, number<real> *numbers, const lines &lanes)
{
    const pairs_pass<real> own = {t.pairs, pass, t.scale};
    if constexpr (known > 0)
        return pairs::template run<known>(own, share, numbers, lanes);
    switch (pass.radix) {
    case 1:
        return call_pairs<pairs, 1>(own, share, numbers, lanes);
    case 2:
        return call_pairs<pairs, 2>(own, share, numbers, lanes);
    case 3:
        return call_pairs<pairs, 3>(own, share, numbers, lanes);
    case 4:
        return call_pairs<pairs, 4>(own, share, numbers, lanes);
    case 5:
        return call_pairs<pairs, 5>(own, share, numbers, lanes);
    case 6:
        return call_pairs<pairs, 6>(own, share, numbers, lanes);
    case 7:
        return call_pairs<pairs, 7>(own, share, numbers, lanes);
    case 8:
        return pairs::template run<8>(own, share, numbers, lanes);
    case 10:
        return call_pairs<pairs, 10>(own, share, numbers, lanes);
    }
}

/* ---- Tiles ------------------------------------------------------------------------------------------------------ */
/* How a kernel cuts lanes into tiles and gives its threads to them. */
struct tile_shape {
    int lanes, lines; /* of a tile */
    int threads;
    int shift, distance; /* of struct line_share */
    int along;           /* threads of one line of rows, a power of two */
    size_t shared;       /* bytes */
};

/* Rows: threads lie along the line. */
__device__ __forceinline__ line_share share_row(const tile_shape &shape, int lines)
{
    const int thread = threadIdx.x, log = __ffs(shape.along) - 1;
    return {lines,         shape.shift,          shape.distance,
            thread >> log, shape.threads >> log, thread & (shape.along - 1),
            shape.along,   shape.along <= 32};
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
            shape.threads >> shape.shift,
            false};
}

template <int radix, typename real, typename lines_in, typename lines_out, typename hook>
__device__ __forceinline__ void transform_packed_tile(const line_transform<real> &t, const line_share &share,
                                                      number<real> *numbers, const lines_in &in, const lines_out &out,
                                                      hook &before_last)
{
    const line_pass<real> &first = t.fft.pass[0], &last = t.fft.pass[radix > 0 ? 2 : t.fft.passes - 1];
    if (t.synthesis)
        run_pairs<radix, loaded_pairs>(first, t, share, numbers, in);
    else
        run_pass<radix>(first, share, numbers, from_lines<real, lines_in>{weights_of(t), in}, to_shared<real>());
    run_middle<radix>(t.fft, share, numbers);
    before_last();
    if (t.synthesis)
        run_pass<radix>(last, share, numbers, from_shared<real>(),
                        to_lines<real, lines_out>{weights_of(t), t.entry, t.weight, t.scale, out});
    else
        run_pairs<radix, stored_pairs>(last, t, share, numbers, out);
}

/* ---- Lines of 512 ------------------------------------------------------------------------------------------------ */
/* The same with numbers that the compiler knows, so that loops and most of the arithmetic of places vanish: three
 * passes of radix 8, four lines of a tile, 128 threads. */
__device__ __forceinline__ bool is_512(int passes, int length, const line_share &share)
{
    return passes == 3 && length == 512 && share.line_step == 4 && share.element_step == 32;
}

template <typename real> __device__ __forceinline__ void set_pass(line_pass<real> &pass, int span, int step)
{
    pass.radix = 8;
    pass.butterflies = 64;
    pass.span = span;
    pass.step = step;
}

template <bool columns, typename real, typename lines_in, typename lines_out, typename hook>
__device__ __forceinline__ void transform_512(const line_transform<real> &t, const line_share &share,
                                              number<real> *numbers, const lines_in &in, const lines_out &out,
                                              hook &before_last)
{
    line_transform<real> known = t;
    line_share own = share;
    known.length = 512;
    set_pass(known.fft.pass[0], 64, 73);
    set_pass(known.fft.pass[1], 8, 9);
    set_pass(known.fft.pass[2], 1, 1);
    known.pairs.count = 32;
    own.shift = columns ? 2 : 0;
    own.distance = columns ? 1 : 583;
    own.first_line = columns ? threadIdx.x & 3 : threadIdx.x >> 5;
    own.first_element = columns ? threadIdx.x >> 2 & 31 : threadIdx.x & 31;
    own.line_step = 4;
    own.element_step = 32;
    own.in_warp = !columns;
    transform_packed_tile<8>(known, own, numbers, in, out, before_last);
}

/* `before_last` is called when all of the tile has been read and most of the work on it is done. */
template <bool columns, typename real, typename lines_in, typename lines_out, typename hook>
__device__ __forceinline__ void transform_tile(const line_transform<real> &t, const line_share &share,
                                               number<real> *numbers, const lines_in &in, const lines_out &out,
                                               hook &before_last)
{
    if constexpr (lines_in::packed) {
        if (t.mirror != 0)
            transform_mirrored_tile(t, share, numbers, in, out, before_last);
        else if (is_512(t.fft.passes, t.length, share))
            transform_512<columns>(t, share, numbers, in, out, before_last);
        else
            transform_packed_tile<0>(t, share, numbers, in, out, before_last);
    } else {
        const line_pass<real> &first = t.fft.pass[0], &last = t.fft.pass[t.fft.passes - 1];
        run_pass<0>(first, share, numbers, from_lines<real, lines_in>{weights_of(t), in}, to_shared<real>());
        run_middle<0>(t.fft, share, numbers);
        before_last();
        run_pass<0>(last, share, numbers, from_shared<real>(),
                    to_lines<real, lines_out>{weights_of(t), t.entry, t.weight, t.scale, out});
    }
}

template <typename real, typename lines_in, typename lines_out, typename hook>
__device__ __forceinline__ void transform_rows_tile(const line_transform<real> &transform, const tile_shape &shape,
                                                    number<real> *numbers, const lines_in &in, const lines_out &out,
                                                    hook &before_last)
{
    const line_share share = share_row(shape, lines_of<real, lines_in::packed>(in.lanes));
    transform_tile<false>(transform, share, numbers, in, out, before_last);
}

template <typename real, typename lines_in, typename lines_out, typename hook>
__device__ __forceinline__ void transform_columns_tile(const line_transform<real> &transform, const tile_shape &shape,
                                                       number<real> *numbers, const lines_in &in, const lines_out &out,
                                                       hook &before_last)
{
    const line_share share = share_column(shape, lines_of<real, lines_in::packed>(in.lanes));
    transform_tile<true>(transform, share, numbers, in, out, before_last);
}

} // namespace starfish

#endif

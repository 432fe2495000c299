/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mirrored lines, of DCT-I and DST-I, in a tile (line_plan.h): between device memory and their passes stand signs and
 * places alone, no combination. */
#ifndef STARFISH_FFT_KERNELS_LINE_MIRRORED_CUH
#define STARFISH_FFT_KERNELS_LINE_MIRRORED_CUH

#include "fft/kernels/line_transform.cuh"

namespace starfish
{

/* Of mirrored lines: element i of the line is element min(i, length - i) of its lanes, counted from the end that an odd
 * line is zero at. */
template <typename real, typename lines> struct from_mirrored {
    static constexpr int depth = 1; /* whose outputs go two ways */
    static constexpr bool in_order = true;
    int n, length, mirror; /* as of struct line_transform */
    lines in;

    template <int radix>
    __device__ __forceinline__ void fill(number<real> (&x)[radix], int l, int j, int span, const number<real> *,
                                         int) const
    {
        const auto line = in.line(l);
        const int odd = mirror < 0;
#pragma unroll
        for (int s = 0; s < radix; s++) {
            const int i = j + s * span, m = min(i, length - i) - odd;
            x[s] = number<real>{};
            if (static_cast<unsigned>(m) < static_cast<unsigned>(n))
                x[s] = line.get(m);
        }
#pragma unroll
        for (int s = 0; s < radix; s++)
            if (odd && 2 * (j + s * span) > length)
                x[s] = static_cast<real>(-1) * x[s];
    }
};

/* What the first pass of mirrored lines leaves: the outputs s <= radix / 2 of butterfly j and of its mirror image. */
template <typename real> struct to_mirrored {
    int shift;
    real sign;

    template <int radix>
    __device__ __forceinline__ void drain(const number<real> (&x)[radix], int, int j, const line_pass<real> &pass,
                                          number<real> *place, int step) const
    {
        const int other = pass.span - j, apart = pass.start[j == 0 ? 0 : other].x - pass.start[j].x;
        const bool alone = j == 0 || other == j;
        number<real> *mirrored = place + (apart << shift);
        complex<real> w[6] = {};
        if (pass.span > 1)
            load_powers<radix>(w, pass.twiddle + j, pass.span);
#pragma unroll
        for (int s = 0; s <= radix / 2; s++) {
            const bool turned = s > 0 && pass.span > 1;
            const number<real> same = x[(radix - s) % radix];
            place[s * step] = turned ? turned_by(x[s], w[s]) : x[s];
            if (!alone)
                mirrored[s * step] = sign * (s > 0 ? turned_by(same, complex<real>{w[s].x, -w[s].y}) : same);
        }
    }

  private:
    /* As `twiddle` takes them from the table. */
    template <int radix>
    static __device__ __forceinline__ void load_powers(complex<real> (&w)[6], const complex<real> *table, int span)
    {
        if constexpr (radix > 1)
            w[1] = __ldg(table);
        if constexpr (radix > 3) {
            w[2] = __ldg(table + span);
            w[3] = turned_by(w[1], w[2]);
        }
        if constexpr (radix > 7)
            w[4] = __ldg(table + 2 * span);
        if constexpr (radix > 9)
            w[5] = turned_by(w[4], w[1]);
    }
};

/* The storer of the last pass of mirrored lines: a transform is real, or imaginary, for either lane. */
template <typename real, typename lines> struct to_outputs {
    int length, mirror; /* as of struct line_transform */
    const int *output;
    real scale;
    lines out;

    template <int radix>
    __device__ __forceinline__ void drain(const number<real> (&x)[radix], int l, int f, const line_pass<real> &,
                                          const number<real> *, int) const
    {
        const auto line = out.line(l);
        const int stride = length / radix;
        int to[radix];
#pragma unroll
        for (int s = 0; s < radix; s++)
            to[s] = __ldg(&output[f + s * stride]);
#pragma unroll
        for (int s = 0; s < radix; s++)
            if (to[s] >= 0)
                line.put(to[s] >> 1, signed_by(to[s], scale * (mirror < 0 ? quarter(x[s]) : x[s])));
    }
};

struct nothing {
    __device__ __forceinline__ void operator()() const {}
};

template <typename real, typename lines_in, typename lines_out, typename hook>
__device__ __forceinline__ void transform_mirrored_tile(const line_transform<real> &t, const line_share &share,
                                                        number<real> *numbers, const lines_in &in, const lines_out &out,
                                                        hook &before_last)
{
    run_pass<0>(t.fft.pass[0], share, numbers, from_mirrored<real, lines_in>{t.n, t.length, t.mirror, in},
                to_mirrored<real>{share.shift, static_cast<real>(t.mirror)});
    run_middle<0>(t.fft, share, numbers);
    before_last();
    run_pass<0>(t.fft.pass[t.fft.passes - 1], share, numbers, from_shared<real>(),
                to_outputs<real, lines_out>{t.length, t.mirror, t.output, t.scale, out});
}

} // namespace starfish

#endif

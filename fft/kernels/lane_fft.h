/* Complex Fourier transforms of many lines side by side, in SIMD: the operation of one line, on vectors of lines.
 *
 * An element is STARFISH_LANE_WIDTH real parts, then as many imaginary parts, of as many lines: element j of the lines
 * is at z[j * 2 * STARFISH_LANE_WIDTH]. Nothing is ever moved between lanes, whatever the instruction set.
 *
 * In place by decimation in frequency with radices 2, 3, 4, 5 and 8. Each pass leaves independent transforms, one
 * behind the other, which are finished one by one, so that they stay in the first-level cache. Mode f ends at element
 * position[f]; who reads the modes by tables pays nothing for that. Source: Gentleman and Sande, AFIPS 29 (1966). */
#ifndef STARFISH_FFT_KERNELS_LANE_FFT_H
#define STARFISH_FFT_KERNELS_LANE_FFT_H

#include "base/real.h"

/* A cache line of lanes. */
enum { STARFISH_LANE_BYTES = 64 };

struct starfish_lane_fft {
    size_t length;
    size_t levels;
    struct starfish_lane_level {
        int radix;
        size_t rest;  /* elements between the inputs of a butterfly: the length of the transforms that follow */
        void *factor; /* rest * (radix - 1) complex numbers; NULL: all are 1 */
    } level[64];
    int *position; /* length */
};

/* Of lengths with other prime factors than 2, 3 and 5 there are none. */
int starfish_lane_fft_possible(size_t length);
/* 0 without memory; then and else destroy. */
int starfish_lane_fft_create_f32(struct starfish_lane_fft *fft, size_t length);
int starfish_lane_fft_create_f64(struct starfish_lane_fft *fft, size_t length);
void starfish_lane_fft_destroy(struct starfish_lane_fft *fft);
/* z: `length` elements, aligned to STARFISH_LANE_BYTES. */
void starfish_lane_fft_f32(const struct starfish_lane_fft *fft, void *z);
void starfish_lane_fft_f64(const struct starfish_lane_fft *fft, void *z);

#endif

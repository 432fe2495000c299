/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Complex Fourier transforms of many lines side by side, in SIMD: the operation of one line, on vectors of lines.
 *
 * An element is STARFISH_LANE_WIDTH real parts, then as many imaginary parts, of as many lines: element j of the lines
 * is at z[j * 2 * STARFISH_LANE_WIDTH]. Nothing is ever moved between lanes, whatever the instruction set.
 *
 * In place by decimation in frequency with radices 2, 3, 4, 5, 8 and the odd primes up to 31. Each pass leaves
 * independent transforms, one behind the other, which are finished one by one, so that they stay in the first-level
 * cache. Mode f ends at element position[f]; who reads the modes by tables pays nothing for that. What is left of the
 * length, a product of larger primes, is the last pass, and a convolution (lane_convolution_cpu.c). Source: Gentleman
 * and Sande, AFIPS 29 (1966). */
#ifndef STARFISH_FFT_KERNELS_LANE_FFT_H
#define STARFISH_FFT_KERNELS_LANE_FFT_H

#include "base/fetch.h"
#include "base/real.h"

/* A cache line of lanes. */
enum { STARFISH_LANE_BYTES = 64, STARFISH_LANE_LARGEST_RADIX = 31 };

struct starfish_lane_convolution; /* below */

struct starfish_lane_fft {
    size_t length;
    size_t levels;
    struct starfish_lane_level {
        size_t radix;
        size_t rest;  /* elements between the inputs of a butterfly: the length of the transforms that follow */
        void *factor; /* rest * (radix - 1) complex numbers; NULL: all are 1 */
        void *root;   /* of a radix above 5: cosines and sines of 2 pi i / radix, i < radix */
    } level[64];
    size_t pauses;                                 /* how often a transform calls starfish_fetch_some */
    int *position;                                 /* length */
    struct starfish_lane_convolution *convolution; /* of the last level; NULL: it has a radix as others do */
};

/* The product of those prime factors of a length that are too large to be a radix. */
size_t starfish_lane_fft_left(size_t length);
/* 0: the length is so large, and what is left of it too, that tables of convolutions are not worth their memory. */
int starfish_lane_fft_possible(size_t length);
/* Bytes of work space. */
size_t starfish_lane_fft_workspace(const struct starfish_lane_fft *fft);
/* 0 without memory; then and else destroy. */
int starfish_lane_fft_create_f32(struct starfish_lane_fft *fft, size_t length);
int starfish_lane_fft_create_f64(struct starfish_lane_fft *fft, size_t length);
void starfish_lane_fft_destroy(struct starfish_lane_fft *fft);
/* z: `length` elements; room: work space. Both are aligned to STARFISH_LANE_BYTES. meanwhile: is fetched between passes
 * (base/fetch.h); NULL: nothing is. */
void starfish_lane_fft_f32(const struct starfish_lane_fft *fft, void *z, void *room, struct starfish_fetch *meanwhile);
void starfish_lane_fft_f64(const struct starfish_lane_fft *fft, void *z, void *room, struct starfish_fetch *meanwhile);

/* ---- Large prime factors: convolutions (lane_convolution_cpu.c) -------------------------------------------------- */

struct starfish_lane_convolution {
    size_t length;                /* of the transform */
    struct starfish_lane_fft fft; /* of the convolution's length */
    void *kernel;                 /* what modes are multiplied by, in their natural order, the scale included */
    size_t *from, *to;            /* Rader: p - 1 places of elements and of modes; else NULL */
    void *chirp;                  /* Bluestein: what elements and modes are multiplied by; else NULL */
};

/* NULL without memory. */
struct starfish_lane_convolution *starfish_lane_convolution_create_f32(size_t length);
struct starfish_lane_convolution *starfish_lane_convolution_create_f64(size_t length);
void starfish_lane_convolution_destroy(struct starfish_lane_convolution *convolution);
/* Bytes of work space. */
size_t starfish_lane_convolution_workspace(const struct starfish_lane_convolution *convolution);
/* z: `length` elements, in place, modes in their natural order; room: work space. Both as above. */
void starfish_lane_convolution_f32(const struct starfish_lane_convolution *convolution, void *z, void *room);
void starfish_lane_convolution_f64(const struct starfish_lane_convolution *convolution, void *z, void *room);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Complex Fourier transforms of lines side by side whose length has large prime factors, as convolutions.
 *
 * Of a prime length p whose p - 1 has small factors alone, by Rader: the modes other than 0, in the order of the powers
 * of a generator g of the numbers modulo p, are a cyclic convolution of length p - 1 of the elements other than 0, in
 * the order of the inverse powers, with the roots of unity. Of any other length m by Bluestein: jk = (j^2 + k^2 -
 * (k - j)^2) / 2 makes the transform a convolution with a chirp, of any length of at least 2m - 1. Both take two
 * transforms of the convolution's length, which has small factors alone. Sources: Rader, Proc. IEEE 56 (1968);
 * Bluestein, IEEE Trans. AU 18 (1970). */
#ifndef STARFISH_FFT_KERNELS_LANE_CONVOLUTION_H
#define STARFISH_FFT_KERNELS_LANE_CONVOLUTION_H

#include "fft/kernels/lane_fft.h"

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
/* z: `length` elements, in place, modes in their natural order; room: work space. Both as in lane_fft.h. */
void starfish_lane_convolution_f32(const struct starfish_lane_convolution *convolution, void *z, void *room);
void starfish_lane_convolution_f64(const struct starfish_lane_convolution *convolution, void *z, void *room);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Transforms by their definition, O(n^2) in long double: the oracle of the tests, used by nothing else. */
#ifndef STARFISH_FFT_KERNELS_TRANSFORM_REF_H
#define STARFISH_FFT_KERNELS_TRANSFORM_REF_H

#include "fft/kernels/transform.h"

/* out[k] = sum over j of the kind's matrix times in[j]; n elements each, not overlapping, not scaled. */
void starfish_transform_ref(enum starfish_transform_kind kind, enum starfish_transform_direction direction, size_t n,
                            const long double *in, long double *out);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Both transforms of whole planes, along x and along y, in one operation, so that what lies between them stays in
 * cache.
 *
 * Element (i, j, k) at base[i + nx * (j + ny * k)], nx and ny those of the two plans, k < planes. FORWARD transforms x,
 * then y; BACKWARD y, then x; modes are ordered as transform.h says, unnormalised, and all is multiplied by `scale`.
 * in == out is allowed; otherwise they must not overlap, and `in` is only read. Arrays are aligned to their elements.
 *
 * With strides (height ny), the values, `in` of FORWARD and `out` of BACKWARD, lie where these say, `out` is not `in`,
 * and BACKWARD overwrites `in`: modes are packed always.
 *
 * Bytes: one read and one write of the field when a plane and its neighbours stay in cache, 2 sizeof(real) an element;
 * twice that from device memory where they do not. */
#ifndef STARFISH_FFT_KERNELS_PLANES_H
#define STARFISH_FFT_KERNELS_PLANES_H

#include "fft/kernels/transform.h"

struct starfish_transform_planes {
    size_t planes;
    const void *in;
    void *out;
    double scale;
    void *workspace;                 /* as in transform.h; may be NULL where 0 bytes are asked for */
    struct starfish_strides strides; /* zero: packed */
};

/* Both plans of one precision. Threads may share the plans, not the work space. */
size_t starfish_transform_planes_cpu_workspace(const struct starfish_transform_cpu *x,
                                               const struct starfish_transform_cpu *y);
void starfish_transform_planes_cpu(const struct starfish_transform_cpu *x, const struct starfish_transform_cpu *y,
                                   enum starfish_transform_direction direction,
                                   const struct starfish_transform_planes *arguments);

/* Bytes, for plans made with max_lines of ny * planes and nx * planes; enough for fewer planes too where both lines
 * fit in shared memory (transform.h). Callable without a device. */
size_t starfish_transform_planes_cuda_workspace(enum starfish_transform_kind x, size_t nx,
                                                enum starfish_transform_kind y, size_t ny, size_t planes,
                                                starfish_precision precision);
/* Both plans of one precision, of the current device. Fastest where rows are whole multiples of 16 bytes and arrays
 * aligned to that. Returns a cudaError_t, 0 when accepted. */
int starfish_transform_planes_cuda(struct starfish_transform_cuda *x, struct starfish_transform_cuda *y,
                                   enum starfish_transform_direction direction,
                                   const struct starfish_transform_planes *arguments, struct CUstream_st *stream);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Between the two files of the CPU version: the plan, and what the file compiled for each precision gives the other. */
#ifndef STARFISH_FFT_KERNELS_TRANSFORM_CPU_H
#define STARFISH_FFT_KERNELS_TRANSFORM_CPU_H

#include "fft/kernels/columns_while.h"
#include "fft/kernels/rows_changed.h"
#include "fft/kernels/transform_lanes.h"

struct starfish_transform_cpu_code {
    /* A plan of FFTW in this precision for one line, NULL when there is none; both under the planner's lock, and after
     * the lanes. */
    void *(*create_fft)(const struct starfish_transform_cpu *plan);
    void (*destroy_fft)(void *fft);
    int (*create_lanes)(struct starfish_transform_lanes *lanes, const struct starfish_transform_tables *tables,
                        size_t n);
    size_t (*workspace)(const struct starfish_transform_cpu *plan);
    /* change: of FORWARD, or NULL; fetch: or NULL. */
    void (*rows)(const struct starfish_transform_cpu *plan, enum starfish_transform_direction direction,
                 const struct starfish_transform_rows *arguments, const struct starfish_row_change *change);
    void (*columns)(const struct starfish_transform_cpu *plan, enum starfish_transform_direction direction,
                    const struct starfish_transform_columns *arguments, struct starfish_fetch *fetch);
};

extern const struct starfish_transform_cpu_code starfish_transform_cpu_code_f32, starfish_transform_cpu_code_f64;

struct starfish_transform_cpu {
    size_t n;
    starfish_precision precision;
    const struct starfish_transform_cpu_code *code;
    struct starfish_transform_tables tables;
    struct starfish_transform_lanes lanes;
    void *fft; /* NULL for STARFISH_FFT_NONE */
};

#endif

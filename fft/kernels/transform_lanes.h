/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Transforms of many lines side by side on the CPU: combine, one complex FFT for two lines each (lane_fft.h), combine.
 *
 * A block is STARFISH_LANE_BYTES of lanes that are the real parts of the FFT's input, and as many that are its
 * imaginary parts: of two real lines a and b, V(a)[f] = (Z[f] + conj Z[-f]) / 2 and V(b)[f] = (Z[f] - conj Z[-f]) / 2i.
 * Where a line is complex by itself (transform_tables.h), a block is two halves, one after the other. */
#ifndef STARFISH_FFT_KERNELS_TRANSFORM_LANES_H
#define STARFISH_FFT_KERNELS_TRANSFORM_LANES_H

#include "fft/kernels/lane_fft.h"
#include "fft/kernels/transform_tables.h"

struct starfish_transform_lanes {
    int usable; /* there is such an FFT (lane_fft.h) */
    struct starfish_lane_fft fft;
    /* By direction: output i is re Re V + im Im V of the mode at the positions near (V) and far (its conjugate's). */
    struct starfish_lane_output {
        int *near, *far;
        void *re, *im;
    } after[2];
};

/* Lanes of a block. */
static inline size_t starfish_transform_lanes_width(size_t real_size)
{
    return 2 * STARFISH_LANE_BYTES / real_size;
}

/* Of tables that outlive it. 0 without memory; destroy may follow always. */
int starfish_transform_lanes_create_f32(struct starfish_transform_lanes *lanes,
                                        const struct starfish_transform_tables *tables, size_t n);
int starfish_transform_lanes_create_f64(struct starfish_transform_lanes *lanes,
                                        const struct starfish_transform_tables *tables, size_t n);
void starfish_transform_lanes_destroy(struct starfish_transform_lanes *lanes);

/* Bytes of work space: a block of lines, its FFT, and what that needs. */
size_t starfish_transform_lanes_workspace(const struct starfish_transform_lanes *lanes, size_t n);

/* A block of lines of n numbers, in columns: two halves of STARFISH_LANE_BYTES of lanes, which may lie apart. Element i
 * of line l of a half is at half[l + stride * i]; where there are fewer than a whole half of lines, `count` says. */
struct starfish_transform_lane_block {
    const struct starfish_transform_lanes *lanes;
    const struct starfish_transform_tables *tables;
    enum starfish_transform_direction direction;
    size_t n;
    double scale;
    void *half[2]; /* in place; NULL: there is none */
    size_t count[2], stride;
    void *workspace;                  /* aligned to STARFISH_LANE_BYTES */
    int loaded;                       /* the lines are at starfish_transform_lane_input already */
    struct starfish_fetch *meanwhile; /* base/fetch.h; NULL: nothing */
};
void starfish_transform_lane_columns_f32(const struct starfish_transform_lane_block *block);
void starfish_transform_lane_columns_f64(const struct starfish_transform_lane_block *block);
/* Where a block of rows may be put for `loaded`: the FFT's own input, where that is a plain copy of the lines; else
 * NULL. */
void *starfish_transform_lane_input_f32(const struct starfish_transform_lane_block *block);
void *starfish_transform_lane_input_f64(const struct starfish_transform_lane_block *block);

/* Between rows and a block of n elements, the halves of which lie together: the work space begins with room for it. */
void starfish_transform_rows_to_lanes_f32(const void *const *row, size_t count, size_t n, void *lanes);
void starfish_transform_rows_to_lanes_f64(const void *const *row, size_t count, size_t n, void *lanes);
void starfish_transform_lanes_to_rows_f32(const void *lanes, size_t count, size_t n, void *const *row);
void starfish_transform_lanes_to_rows_f64(const void *lanes, size_t count, size_t n, void *const *row);
/* The same for `count` rows from `first` on of what the tiles of `rows` hold (transform.h). */
void starfish_transform_tiles_to_lanes_f32(const struct starfish_transform_rows *rows, size_t first, size_t count,
                                           void *lanes);
void starfish_transform_tiles_to_lanes_f64(const struct starfish_transform_rows *rows, size_t first, size_t count,
                                           void *lanes);
void starfish_transform_lanes_to_tiles_f32(const void *lanes, const struct starfish_transform_rows *rows, size_t first,
                                           size_t count);
void starfish_transform_lanes_to_tiles_f64(const void *lanes, const struct starfish_transform_rows *rows, size_t first,
                                           size_t count);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tridiagonal systems along z of a whole field, a batch of planes at a time, on cores: elimination of the planes as
 * they pass upwards, and substitution as they pass downwards.
 *
 * What the elimination knows of the row before stays with its lanes, two reals each. The way down needs the multipliers
 * of every row, which would be as much memory as the field: they are computed again, from what the elimination knew
 * where each batch begins. So memory sees each eliminated plane written once and read once, and checkpoints, a plane
 * for each batch. Two divisions per unknown. Lines are as in slab_lines.h, and whole. The last unknown of a periodic
 * one is a separator, as in line_block.h: its column and its row take four reals more for each lane, and another
 * checkpoint.
 *
 * Lane i + inner * j is at [i + inner * j] of a plane, i < inner, j < outer: a plane here may be a block of some of the
 * field's lanes. Source: Thomas 1949; Griewank, Optim. Methods Softw. 1 (1992), for checkpoints. */
#ifndef STARFISH_TRIDIAG_KERNELS_SLAB_SWEEP_H
#define STARFISH_TRIDIAG_KERNELS_SLAB_SWEEP_H

#include "tridiag/kernels/slab_lines.h"

enum { STARFISH_SLAB_SWEEP_ROWS = 32 };

/* What is kept of periodic lines: the separator's column in the row before; its row's next entry, diagonal and
 * right-hand side so far, the last of which is the separator on the way down. */
enum starfish_slab_border {
    STARFISH_SLAB_COLUMN,
    STARFISH_SLAB_CORNER,
    STARFISH_SLAB_LAST_DIAG,
    STARFISH_SLAB_LAST,
    STARFISH_SLAB_BORDERS
};

struct starfish_slab_sweep {
    struct starfish_slab_lines lines; /* whole; its parts are not looked at */
    size_t first, rows;               /* of the batch; at most STARFISH_SLAB_SWEEP_ROWS, the same batches both ways */
    int periodic;
    ptrdiff_t pinned_lane; /* its last unknown is set to zero; -1: none */
    /* Right-hand sides that the way up reads, unknowns that the way down writes: row k at data + (k - first) plane. */
    void *data;
    void *const *eliminated; /* `rows` planes, which the way up writes and the way down reads */
    /* A plane each, kept from batch to batch: of the unknowns, and of the multipliers on the way up; and the batch's
     * own checkpoint. */
    void *unknown, *multiplier, *checkpoint;
    void *border[STARFISH_SLAB_BORDERS], *border_checkpoint; /* the same of periodic lines, else NULL */
};

void starfish_slab_sweep_up_f32(const struct starfish_slab_sweep *arguments);
void starfish_slab_sweep_up_f64(const struct starfish_slab_sweep *arguments);
void starfish_slab_sweep_down_f32(const struct starfish_slab_sweep *arguments);
void starfish_slab_sweep_down_f64(const struct starfish_slab_sweep *arguments);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tasks: block cyclic reduction of one block of modes (or of one 2D problem), level by level.
 *
 * The rows of the problem (its z-planes; in 2D its lines of constant y) are separators of nested blocks; the rows of
 * one level lie together in one array, `width` = lanes * n reals each (of complex numbers twice as many), n the length
 * of a tridiagonal line and lanes the number of modes side by side. Level 0 has the one separator of the whole range;
 * its neighbours are always on levels nearer to 0. The arithmetic of a level is, in product form, chains of shifted
 * tridiagonal solves (tridiag/kernels/tridiag.h), in partial-fraction form weighted sums of them
 * (tridiag/kernels/shifted_sums.h); what these are is made in blktri/. */
#ifndef STARFISH_CODELETS_CYCLIC_REDUCTION_H
#define STARFISH_CODELETS_CYCLIC_REDUCTION_H

#include "scheduler/runtime/coefficient_table.h"
#include "scheduler/runtime/task.h"
#include "scheduler/runtime/workspace.h"
#include "tridiag/kernels/tridiag.h"

enum { STARFISH_MAX_LEVELS = 34 };

/* A batch of chains (tridiag/kernels/tridiag.h): offsets of its tables into the level's ints, and of its scales into
 * reals. */
struct starfish_chain_batch {
    size_t vectors, total; /* total: steps of all vectors */
    int max_steps;
    size_t input_row, first_step, steps, scale;
};

/* The same for a batch of sums: offsets of its vectors' numbers into ints, of its weights into reals. */
struct starfish_sum_batch {
    int inputs, outputs;
    size_t input_row, output_row, input_weight, output_weight;
};

/* Product form. `reals` begins with the steps: mu[total], keep[total], gain[total]. */
struct starfish_level_chains {
    struct starfish_chain_batch reduce;    /* separator -> what it adds to each neighbour */
    struct starfish_chain_batch influence; /* neighbour -> what it adds to the separator's right-hand side */
    struct starfish_chain_batch solve;     /* separator's right-hand side -> its solution */
    size_t total_steps;
    int pinned_step; /* of `solve`, singular for the constant mode; -1: none */
};

/* Partial-fraction form. `reals` begins with the roots. */
struct starfish_level_sums {
    size_t groups;                        /* one per block */
    size_t roots;                         /* of all blocks */
    size_t block_rows, most_roots;        /* rows of all blocks, and of the largest, which has no more roots */
    size_t first_root;                    /* offset into ints */
    struct starfish_sum_batch reduce;     /* separators -> what they add to the block's neighbours */
    struct starfish_sum_batch substitute; /* known neighbours, then separators' right-hand sides -> solutions */
    int pinned_root;                      /* singular for the constant mode; -1: none */
};

enum starfish_reduction_form { STARFISH_PRODUCT_FORM, STARFISH_FRACTION_FORM };

/* One level's tables. `ints` holds index lists at the offsets given. A block has up to two neighbours, the rows just
 * outside it. Each has a vector, but where those of both are alike, which then is the same:
 *
 *     list of neighbours   0 ....... first_lower ............... vectors ....... neighbours
 *                          [ upper  ][ lower, shared ][ lower   ][ upper, shared ]
 *
 * so that no row occurs twice among the lower ones or in one of the parts of the upper ones. */
struct starfish_level {
    size_t first_row, rows;     /* in the level's array: all of it, or those of a subtree */
    size_t row_slab, row_plane; /* where the rows are in the table of planes */
    size_t neighbours, first_lower, vectors;
    size_t neighbour_level, neighbour_row; /* where each neighbour is */
    size_t vector_block;                   /* the row of the block whose neighbour a vector is of */
    size_t zeros;                          /* as many zeros as there are rows or neighbours */
    size_t all_rows;                       /* 0, 1, .. rows - 1 */
    enum starfish_reduction_form form;
    struct starfish_level_chains chains;
    struct starfish_level_sums sums;
    struct starfish_coefficient_table ints, reals;
};

/* What all tasks on one block of modes share. */
struct starfish_reduction_block {
    starfish_precision precision;
    enum starfish_tridiag_numbers numbers;
    size_t n, lanes;
    int periodic;
    double shift;
    int has_constant_mode;             /* lane 0 is the constant mode of a singular problem */
    int weighted;                      /* the shifts of modes are weighed by rows; in partial fractions alone */
    starpu_data_handle_t line;         /* lower, diag, upper and any weights: 3 or 4 n reals, or 3 n pairs */
    starpu_data_handle_t shift_x;      /* eigenvalues of all modes of x ... */
    size_t first_mode;                 /* ... from this one on */
    const starpu_data_handle_t *level; /* one array per level */
    const struct starfish_workspace *workspace;
    enum starfish_tridiag_method method; /* of chains on GPUs */
    int split;  /* levels 0 .. split - 1 are for cores, others for GPUs; -1: as `device` has it */
    int device; /* whose workers solve the block (scheduler/runtime/owner.h) */
};

/* A level's step of a solve's progress (scheduler/runtime/progress.h). */
static inline int starfish_reduction_step(size_t depth, int substitution)
{
    return (int)(2 * depth) + substitution;
}

/* Bytes of work space for the tasks of one level. */
size_t starfish_reduction_workspace(starfish_worker_kind kind, const struct starfish_level *level, size_t n,
                                    size_t lanes, int periodic, starfish_precision precision,
                                    enum starfish_tridiag_numbers numbers);

/* Level `depth` acts on the right-hand sides of the levels above (Swarztrauber 1974, reduction), or is solved, the
 * levels above being known (back substitution). */
struct starfish_level_task {
    const struct starfish_reduction_block *block;
    const struct starfish_level *levels;
    size_t depth;
    int substitutes, priority;
};
starfish_status starfish_submit_level(struct starfish_progress *progress, int phase,
                                      const struct starfish_level_task *description);
/* Expected seconds of the task on a worker of each kind, by the performance models; NaN: not known. The handles need no
 * memory. Error: MEMORY. */
starfish_status starfish_level_expect(struct starfish_progress *progress, const struct starfish_level_task *description,
                                      double seconds[STARFISH_WORKER_KINDS]);

/* Planes of tiles <-> rows of levels, or rows of planes <-> pieces of rows of levels. `places`: for each level in turn
 * the tiles of its pieces, then their places within the tile, in multiples of `width` (ints). to_levels: tiles are
 * read, multiplied by `factors` (a real for each piece of all levels; NULL: ones), and levels written; otherwise the
 * reverse, without factors. */
struct starfish_rows_task {
    starfish_precision precision;
    int to_levels, priority;
    size_t width, pieces, first_tile, tiles, levels; /* width of a piece, and pieces of a row */
    const starpu_data_handle_t *tile, *level;        /* of all tiles */
    const struct starfish_level *shape;              /* of the levels, of which rows and their places are read */
    int some;                                        /* of the levels' rows; the others stay as they are */
    starpu_data_handle_t places, factors;
    int device;
};
starfish_status starfish_submit_rows(struct starfish_progress *progress, int phase,
                                     const struct starfish_rows_task *description);

#endif

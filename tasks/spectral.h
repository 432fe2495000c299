/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The mode space of block cyclic reduction, and the task graphs on it.
 *
 * A field is cut into slabs of z-planes, the modes of x into blocks, both as runs (scheduler/runtime/runs.h).
 * Transforming a slab along x turns it into tiles, one per block: tile (s, b) holds the modes of block b of the planes
 * of slab s, mode fastest, then y, then z. Modes of x do not interact any more, so everything between the transforms is
 * independent tasks on columns of tiles: block b owns tiles (0..slabs-1, b).
 *
 *     forward(slab) for all slabs  ->  modes(block) for all blocks  ->  backward(slab) for all slabs
 *
 * where modes(block) is block cyclic reduction in (y, z) (cyclic_reduction.c). Slabs of host data arrive and leave one
 * after the other. A few levels below the root, the tree of blocks falls into subtrees, whose rows are those of some
 * slabs each:
 *
 *     level 0                  127           255           383          trunk
 *     levels 1 ..   [ 0 .. 126 ]  [128 .. 254]  [256 .. 382]  [384 ..]  subtrees
 *     slabs         [ 0            ][ 1          ][ 2          ][ 3   ]
 *
 * A subtree is reduced when its slabs are there, while others still arrive. Its slabs leave when it is solved, while
 * others are still substituted. A worker that has been given a task waits for its data, whatever else there is to do:
 * so slabs are sent ahead, and the transform of one begins after the subtree before it. Of several GPUs one would wait
 * for the other's slabs; there all is one tree.
 *
 * Where rows of z weigh the part in x, roots of z would depend on the mode. There y and z are exchanged where planes
 * become rows of levels: lines go along z, with the weights, and cyclic reduction along y. Right-hand sides are
 * multiplied by scale_y on the way.
 *
 * Tiles have no memory of their own: the runtime makes them where they are first written. Tasks of a block run on its
 * owner: a GPU, cores, or a rank. Tiles between slabs and blocks of different owners are exchanged, once there and once
 * back. */
#ifndef STARFISH_TASKS_SPECTRAL_H
#define STARFISH_TASKS_SPECTRAL_H

#include "blktri/kernels/fractions.h"
#include "codelets/cyclic_reduction.h"
#include "codelets/transform_set.h"
#include "scheduler/runtime/workspace.h"
#include "tasks/separable.h"

enum { STARFISH_MAX_MODE_BLOCKS = 32, STARFISH_MAX_TILED_SLABS = 32, STARFISH_SUBTREES = 4 };

struct starfish_spectral {
    struct starfish_context *context;
    starfish_precision precision;
    enum starfish_tridiag_numbers numbers; /* not REAL: the two modes of x are the parts of a number */
    size_t n[3];
    double lambda;
    int singular;

    struct starfish_runs cut, modes;
    starfish_handle tile[STARFISH_MAX_MODE_BLOCKS][STARFISH_MAX_TILED_SLABS]; /* [block][slab] */

    struct starfish_transform_set transform_x;
    double scale; /* applied once, with the forward transform in x */
    struct starfish_coefficient_table shift_x;
    int line_axis;                          /* of tridiagonal lines: 1, or 2 where z has weights of x */
    struct starfish_coefficient_table line; /* lower, diag, upper of that direction, and those weights */
    int line_periodic;
    struct starfish_coefficient_table weight_y, weight_z; /* of the mean, by volumes */
    struct starfish_workspace workspace;

    enum starfish_tridiag_method chain_method; /* as struct starfish_reduction_block has it */
    int split;

    size_t levels;
    struct starfish_level level[STARFISH_MAX_LEVELS];
    int subtrees;                             /* wanted */
    size_t trunk;                             /* levels above them; 0: there are none */
    size_t first_slab[STARFISH_SUBTREES + 1]; /* of each */
    struct starfish_level subtree[STARFISH_SUBTREES][STARFISH_MAX_LEVELS];
    size_t pieces;                             /* of a level's row that are apart in tiles: along z one in each plane */
    struct starfish_coefficient_table places;  /* of the pieces of all levels (codelets/cyclic_reduction.h) */
    struct starfish_coefficient_table factors; /* scale_y of each of them; none: ones */
    starfish_handle level_array[STARFISH_MAX_MODE_BLOCKS][STARFISH_MAX_LEVELS];
};

/* Axis of the lines; cyclic reduction is along the other one of y and z. */
static inline int starfish_spectral_line_axis(const struct starfish_direction *direction)
{
    return direction[2].weight_x ? 2 : 1;
}

/* What is to be solved, and how it is cut: into slabs, and into blocks of modes. The analysis of the reduced direction
 * is in product form or in partial fractions, the other one NULL; it may go after the creation. */
struct starfish_spectral_problem {
    starfish_precision precision;
    enum starfish_tridiag_numbers numbers;
    const struct starfish_direction *direction;
    double lambda;
    int singular;
    const struct starfish_runs *cut, *modes;
    const struct starfish_reduction *product;
    const struct starfish_fractions *fractions;
    uint32_t where; /* kinds of workers that will solve, and need work space; 0: any */
    int subtrees;   /* for host data, if slabs begin where subtrees do; not of singular problems, nor along y */
    /* As struct starfish_reduction_block has them. */
    enum starfish_tridiag_method chain_method;
    int split;
};
starfish_status starfish_spectral_create(struct starfish_spectral *spectral, struct starfish_context *context,
                                         const struct starfish_spectral_problem *problem);
void starfish_spectral_destroy(struct starfish_spectral *spectral);

/* Bytes of work space that a GPU will take for good, known from the blocks of rows alone (blktri/kernels/reduction.h);
 * product and fractions of the problem are not read. Error: MEMORY. */
starfish_status starfish_spectral_device_bytes(struct starfish_context *context,
                                               const struct starfish_spectral_problem *problem,
                                               const struct starfish_reduction *rows, enum starfish_reduction_form form,
                                               size_t *bytes);

/* The whole graph of a struct starfish_spectral; one thread at a time. */
starfish_status starfish_graph_blktri(void *spectral, struct starfish_progress *progress,
                                      const struct starfish_direct_data *data);

/* Between the transforms, per block (cyclic_reduction.c): subtree `t`, or all of the tree, up to the trunk and down
 * from it, and the trunk; and what the block's tasks share. */
enum { STARFISH_WHOLE_TREE = STARFISH_SUBTREES };
starfish_status starfish_graph_reduction(struct starfish_spectral *spectral, struct starfish_progress *progress,
                                         size_t block, size_t t);
starfish_status starfish_graph_trunk(struct starfish_spectral *spectral, struct starfish_progress *progress,
                                     size_t block);
starfish_status starfish_graph_substitution(struct starfish_spectral *spectral, struct starfish_progress *progress,
                                            size_t block, size_t t);
struct starfish_reduction_block starfish_reduction_block_of(const struct starfish_spectral *spectral, size_t block);
/* Priority of what makes slab `slab` of the solution: earlier slabs first, so that they leave first. */
static inline int starfish_spectral_priority(const struct starfish_spectral *spectral, size_t slab)
{
    return spectral->trunk > 0 ? (int)(spectral->cut.parts - slab) : 0;
}
/* The levels above the subtrees, and the row where each begins, with the number of rows behind them; 0: not so
 * many, or a ring. */
size_t starfish_reduction_subtrees(const struct starfish_reduction *reduction, size_t first[STARFISH_SUBTREES + 1]);
/* The counts of all levels that their work space follows from: rows, neighbours, and those of their form. */
void starfish_reduction_shapes(struct starfish_spectral *spectral, const struct starfish_reduction *reduction,
                               enum starfish_reduction_form form);
/* Tables and arrays of cyclic reduction; work space is the caller's. */
starfish_status starfish_reduction_setup(struct starfish_spectral *spectral, const struct starfish_reduction *product,
                                         const struct starfish_fractions *fractions);

#endif

/* The mode space of a separable solve, and the task graphs on it.
 *
 * A field is cut into slabs of z-planes. Transforming a slab along x turns it into tiles, one per block of modes:
 * tile (s, b) holds modes first_mode[b] .. first_mode[b+1]-1 of planes first_plane[s] .. first_plane[s+1]-1, mode
 * fastest, then y, then z. Modes of x do not interact any more, so everything between the transforms is independent
 * tasks on columns of tiles: the block b of modes owns tiles (0..slabs-1, b).
 *
 *     forward(slab) for all slabs  ->  modes(block) for all blocks  ->  backward(slab) for all slabs
 *
 * where modes(block) is either transforms in y and tridiagonal systems in z (slab.c), or block cyclic reduction in
 * (y, z) (cyclic_reduction.c). Tiles have no memory of their own: the runtime makes them where they are first written. */
#ifndef STARFISH_TASKS_SPECTRAL_H
#define STARFISH_TASKS_SPECTRAL_H

#include "blktri/kernels/reduction.h"
#include "codelets/cyclic_reduction.h"
#include "codelets/transform_set.h"
#include "scheduler/field.h"
#include "scheduler/progress.h"
#include "scheduler/vector.h"
#include "scheduler/workspace.h"

enum { STARFISH_MAX_MODE_BLOCKS = 32 };

/* One direction as numbers: a tridiagonal matrix, the transform that diagonalises it when there is one, and what
 * boundary data and means need. */
struct starfish_direction {
    size_t n;
    int periodic;
    int has_transform;
    enum starfish_transform_kind transform;
    double *lower, *diag, *upper; /* n each */
    double *eigenvalue;           /* n, in the order of the transform; NULL without one */
    double *weight;               /* n, sums to one: the mean that a singular problem must have zero */
    double boundary_weight[2];    /* right-hand side at an end is reduced by this times the boundary datum */
    int takes_boundary[2];        /* whether the end has data at all */
    int constant_null;            /* rows sum to zero: constants are in the null space */
};

enum starfish_phase { STARFISH_PHASE_FORWARD, STARFISH_PHASE_MODES, STARFISH_PHASE_BACKWARD, STARFISH_PHASE_RESIDUAL };

struct starfish_spectral {
    struct starfish_context *context;
    starfish_precision precision;
    size_t n[3];
    double lambda;
    int singular;

    size_t slabs, blocks;
    size_t first_plane[STARFISH_MAX_SLABS + 1];
    size_t first_mode[STARFISH_MAX_MODE_BLOCKS + 1];
    starpu_data_handle_t tile[STARFISH_MAX_MODE_BLOCKS][STARFISH_MAX_SLABS]; /* [block][slab] */

    struct starfish_transform_set transform_x, transform_y; /* y: slab method only */
    double scale;                                           /* applied once, with the forward transform in x */
    struct starfish_vector shift_x, shift_y;
    struct starfish_vector line; /* lower, diag, upper of z (slab) or of y (cyclic reduction) */
    int line_periodic;
    struct starfish_vector weight_y, weight_z, axes;
    double mean_scale; /* from the constant mode's weighted mean to pertrb */
    struct starfish_workspace workspace;

    /* Cyclic reduction only. */
    size_t levels;
    struct starfish_level level[STARFISH_MAX_LEVELS];
    struct starfish_vector places;
    starpu_data_handle_t level_array[STARFISH_MAX_MODE_BLOCKS][STARFISH_MAX_LEVELS];
};

/* Set up for the slab method (reduction NULL) or for cyclic reduction along z (reduction of direction[2]). */
starfish_status starfish_spectral_create(struct starfish_spectral *spectral, struct starfish_context *context,
                                         starfish_precision precision, const struct starfish_direction *direction,
                                         double lambda, int singular, size_t slabs, size_t blocks,
                                         const struct starfish_reduction *reduction);
void starfish_spectral_destroy(struct starfish_spectral *spectral);

/* Graph parts. rhs and solution are slabs of fields; removed: one double that receives pertrb in singular problems. */
starfish_status starfish_graph_forward(struct starfish_spectral *spectral, struct starfish_progress *progress,
                                       const starpu_data_handle_t *rhs);
starfish_status starfish_graph_modes(struct starfish_spectral *spectral, struct starfish_progress *progress,
                                     starpu_data_handle_t removed);
starfish_status starfish_graph_backward(struct starfish_spectral *spectral, struct starfish_progress *progress,
                                        const starpu_data_handle_t *solution);
/* maximum: per slab two doubles (codelets/stencil.h). */
starfish_status starfish_graph_residual(struct starfish_spectral *spectral, struct starfish_progress *progress,
                                        const struct starfish_direction *direction,
                                        const starpu_data_handle_t *solution, const starpu_data_handle_t *rhs,
                                        starpu_data_handle_t removed, const struct starfish_vector *maximum);

/* Between starfish_graph_forward and _backward, per block: the two kinds of solver (slab.c, cyclic_reduction.c). */
starfish_status starfish_graph_slab_block(struct starfish_spectral *spectral, struct starfish_progress *progress,
                                          size_t block);
starfish_status starfish_graph_reduction_block(struct starfish_spectral *spectral, struct starfish_progress *progress,
                                               size_t block);
/* Tables and arrays of cyclic reduction; work space is the caller's. */
starfish_status starfish_reduction_setup(struct starfish_spectral *spectral,
                                         const struct starfish_reduction *reduction);

#endif

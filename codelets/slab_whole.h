/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Task: whole(field), a solve of the slab method from the right-hand side to the solution on all cores of the context,
 * with four traversals of memory.
 *
 *     up     for each batch of planes: x forward by rows; then, by blocks of modes of x, y forward and elimination in z
 *     down   for each batch, from the last: by blocks, substitution in z and y backward; then x backward by rows
 *
 * Batches of planes are in work space that the caches share, two in turns; while the blocks of one are done, so are the
 * rows of the next, and between such steps the cores wait for each other (gang.h). A block's modes, its elimination and
 * its columns are one core's, in that core's caches. Between up and down the eliminated planes are in the solution's
 * memory, or that of `modes` where its rows are not packed, each with one block of modes behind the other: nobody else
 * reads them. They are written past the caches (tridiag/kernels/slab_sweep.h). */
#ifndef STARFISH_CODELETS_SLAB_WHOLE_H
#define STARFISH_CODELETS_SLAB_WHOLE_H

#include "codelets/gang.h"
#include "codelets/slab.h"
#include "codelets/stencil.h"

/* Memory and strides of the slabs of a field. */
struct starfish_slab_whole_field {
    char *slab[STARFISH_SLAB_MAX_SLABS];
    struct starfish_strides strides[STARFISH_SLAB_MAX_SLABS];
};

/* What such solves of one graph share; one at a time uses it. */
struct starfish_slab_whole {
    const struct starfish_slab_space *space;
    const struct starfish_workspace *workspace;
    size_t blocks, width; /* of modes of x: so many, of `width` but for the last */
    size_t shares;        /* of the rows of x of a batch */
    size_t batches, rows; /* of planes: so many, of `rows` but for the last */
    size_t plane;         /* reals from one plane of a batch to the next */
    void *memory;         /* the batch, states of lanes, checkpoints, the constant lane */
    starpu_data_handle_t token;
    struct starfish_gang gang;
    struct starfish_slab_whole_field solution, rhs, modes; /* of the task that runs, where they are not the same */
};

/* Are there cores alone, a transform in y, and blocks for them? In a simulation: has the machine a time of it, too? */
int starfish_slab_whole_possible(const struct starfish_slab_space *space);
/* Bytes of work space for each core. */
size_t starfish_slab_whole_workspace(const struct starfish_slab_space *space);
/* Error: MEMORY. NULL is destroyed, too. */
starfish_status starfish_slab_whole_create(struct starfish_slab_whole **result, const struct starfish_slab_space *space,
                                           const struct starfish_workspace *workspace);
void starfish_slab_whole_destroy(struct starfish_slab_whole *whole);

/* rhs and solution: all slabs of fields, or of one field twice; boundary: what is moved to the right-hand side as it is
 * read, or NULL; modes: slabs of a packed field, or NULL where the solution is packed. removed: two doubles, of
 * singular problems. */
struct starfish_slab_whole_task {
    struct starfish_slab_whole *whole;
    const struct starfish_runs *cut;
    const starpu_data_handle_t *rhs, *solution, *modes;
    const struct starfish_boundary_data *boundary;
    starpu_data_handle_t removed;
};
starfish_status starfish_submit_slab_whole(struct starfish_progress *progress, int phase,
                                           const struct starfish_slab_whole_task *description);

#endif

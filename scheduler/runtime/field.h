/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fields as the task graphs see them: one StarPU block of data per slab of z-planes, on the user's own memory. */
#ifndef STARFISH_SCHEDULER_RUNTIME_FIELD_H
#define STARFISH_SCHEDULER_RUNTIME_FIELD_H

#include "base/strides.h"
#include "scheduler/runtime/coefficient_table.h"
#include "scheduler/runtime/context.h"
#include "scheduler/runtime/owner.h"

#include <pthread.h>
#include <starfish/field.h>
#include <stdatomic.h>

enum { STARFISH_MAX_SLABS = 64 };

/* How a field is cut into slabs: slab s holds planes first_plane[s] .. first_plane[s+1]-1 and is worked on by the
 * workers in where[s]: kinds of them (context.h), and maybe an owner (owner.h). */
struct starfish_cut {
    size_t slabs;
    size_t first_plane[STARFISH_MAX_SLABS + 1];
    uint32_t where[STARFISH_MAX_SLABS];
};

static inline size_t starfish_cut_planes(const struct starfish_cut *cut, size_t slab)
{
    return cut->first_plane[slab + 1] - cut->first_plane[slab];
}

int starfish_cut_is_same(const struct starfish_cut *a, const struct starfish_cut *b);
/* Whether this rank owns a slab. */
int starfish_cut_is_here(const struct starfish_context *context, const struct starfish_cut *cut, size_t slab);
/* The owners of a cut's slabs as a `where` each, every one once, in their order; how many: 0 where no slab names a GPU
 * or another rank, so that kinds of workers are all that is said. */
size_t starfish_cut_owners(const struct starfish_cut *cut, uint32_t owner[STARFISH_MAX_SLABS]);

struct starfish_field {
    struct starfish_context *context;
    starfish_precision precision;
    size_t n[3];
    struct starfish_cut cut;
    starpu_data_handle_t handle[STARFISH_MAX_SLABS];
    void *memory;                    /* the first element */
    struct starfish_spread *spread;  /* NULL: all of it is in one memory (spread.h) */
    struct starfish_strides strides; /* zero: packed */
    size_t owned_bytes;              /* memory is ours when not 0 */
    /* Threads that will yet submit tasks on it, which must come before everybody else's. */
    starpu_pthread_mutex_t lock;
    starpu_pthread_cond_t released;
    size_t holders;
    int is_acquired; /* by its user, in the thread `acquirer` */
    pthread_t acquirer;
    atomic_uint jobs; /* that have read it, by now */
};

/* A thread of the library's own will submit tasks on the field, until starfish_field_release_hold. */
void starfish_field_hold(struct starfish_field *field);
void starfish_field_release_hold(struct starfish_field *field);
/* Before tasks are submitted on it, or the host takes it: wait until no such thread is left. */
void starfish_field_wait_for_holders(struct starfish_field *field);

/* Slabs of one array and their edges: copies of a slab's first and last plane for the slabs beside it, so that a task
 * that reads beyond its slab takes planes and never a whole neighbour. Whoever writes a slab writes its edges. NULL
 * where no slab reads the plane: at the ends of the field unless it is periodic in z, of a single slab, and where
 * nobody will read beyond a slab. */
enum starfish_edge_plane { STARFISH_FIRST_PLANE, STARFISH_LAST_PLANE, STARFISH_EDGES };
struct starfish_slabs {
    starpu_data_handle_t slab[STARFISH_MAX_SLABS];
    starpu_data_handle_t edge[STARFISH_MAX_SLABS][STARFISH_EDGES];
    int strided; /* rows of the slabs may not be packed */
};

struct starfish_cut_array;

/* Makes the edges of slabs that are cut so, in memory of the runtime's: of an array without memory. `periodic`: in z.
 */
starfish_status starfish_edges_create(struct starfish_slabs *slabs, const struct starfish_cut *cut,
                                      const struct starfish_cut_array *array, int periodic);
/* Waits for the tasks of the edges. */
void starfish_edges_release(struct starfish_slabs *slabs, const struct starfish_cut *cut);

/* starfish_field_create, where errors call the memory `name` and the cut is given. */
starfish_status starfish_field_over(struct starfish_context *context, starfish_precision precision, const size_t n[3],
                                    const struct starfish_cut *cut, const char *name, void *memory,
                                    struct starfish_field **result);

/* The same over memory whose rows need not be packed: `memory` is not NULL and of n[0] elements a row; of boxes, the
 * cut is between them. Errors: ARGUMENT (memory); UNSUPPORTED (boxes apart, with a runtime older than 1.4). */
struct starfish_field_shape {
    starfish_precision precision;
    size_t n[3];
    struct starfish_strides strides; /* zero: packed */
};
starfish_status starfish_field_shaped(struct starfish_context *context, const struct starfish_field_shape *shape,
                                      const struct starfish_cut *cut, const char *name, void *memory,
                                      struct starfish_field **result);

/* The struct alone, without memory and slabs; NULL: out of memory, which has been said. */
struct starfish_field *starfish_field_empty(struct starfish_context *context, const struct starfish_field_shape *shape,
                                            const struct starfish_cut *cut);

/* An array of n[0] x n[1] x n[2] elements that is cut: `memory` is its address on memory node `node`; NULL: data that
 * have memory only while tasks need it. */
struct starfish_cut_array {
    const size_t *n;
    starfish_precision precision;
    void *memory;
    int node;
    struct starfish_strides strides; /* zero: packed */
    /* Whose ranks own the slabs, by the cut: `memory` is then that of the first slab of this one's, and slabs of others
     * have none. NULL: all slabs are here. */
    const struct starfish_context *context;
};
/* One slab of it as data of the runtime. */
void starfish_slab_register(starpu_data_handle_t *handle, const char *name, const struct starfish_cut *cut, size_t slab,
                            const struct starfish_cut_array *array);

/* spread.c, for starfish_field_destroy: after the handles. */
void starfish_spread_release(struct starfish_context *context, struct starfish_spread *spread);

/* The memory node that data were registered with. */
int starfish_slab_home(starpu_data_handle_t handle);

/* Inside a task, of the buffer of a slab: its first element; and where its rows lie, in boxes of `depth` planes, all
 * zero where they are packed. On a device that the slab was copied to they are. */
void *starfish_slab_memory(void *buffer);
struct starfish_strides starfish_slab_strides(void *buffer, size_t depth);

/* Cut 0..n-1 into `parts` runs that differ by one at most. */
void starfish_divide(size_t n, size_t parts, size_t *first);
struct starfish_cut starfish_cut_equally(size_t planes, size_t slabs);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fields as the task graphs see them: one StarPU block of data per slab of z-planes, on the user's own memory. */
#ifndef STARFISH_SCHEDULER_RUNTIME_FIELD_H
#define STARFISH_SCHEDULER_RUNTIME_FIELD_H

#include "base/strides.h"
#include "scheduler/runtime/coefficient_table.h"
#include "scheduler/runtime/context.h"
#include "scheduler/runtime/runs.h"

#include <pthread.h>
#include <starfish/field.h>
#include <stdatomic.h>

enum { STARFISH_FIELD_MOST_SLABS = 64 }; /* of starfish_field_create and of shares (starfish/field.h) */

struct starfish_field {
    struct starfish_context *context;
    starfish_precision precision;
    size_t n[3];
    struct starfish_runs cut;        /* of planes */
    starpu_data_handle_t *handle;    /* of each slab: a run of the cut */
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

/* starfish_field_create, where errors call the memory `name` and the cut is given. */
starfish_status starfish_field_over(struct starfish_context *context, starfish_precision precision, const size_t n[3],
                                    const struct starfish_runs *cut, const char *name, void *memory,
                                    struct starfish_field **result);

/* The same over memory whose rows need not be packed: `memory` is not NULL and of n[0] elements a row; of boxes, the
 * cut is between them. Errors: ARGUMENT (memory); UNSUPPORTED (boxes apart, with a runtime older than 1.4). */
struct starfish_field_shape {
    starfish_precision precision;
    size_t n[3];
    struct starfish_strides strides; /* zero: packed */
};
starfish_status starfish_field_shaped(struct starfish_context *context, const struct starfish_field_shape *shape,
                                      const struct starfish_runs *cut, const char *name, void *memory,
                                      struct starfish_field **result);

/* The struct alone, without memory and slabs; NULL: out of memory, which has been said. */
struct starfish_field *starfish_field_empty(struct starfish_context *context, const struct starfish_field_shape *shape,
                                            const struct starfish_runs *cut);

/* An array of n[0] x n[1] x n[2] elements that is cut: `memory` is its address on memory node `node`; NULL: data that
 * have memory only while tasks need it. */
struct starfish_field_array {
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
void starfish_slab_register(starpu_data_handle_t *handle, const char *name, const struct starfish_runs *cut,
                            size_t slab, const struct starfish_field_array *array);

/* spread.c, for starfish_field_destroy: after the handles. */
void starfish_spread_release(struct starfish_context *context, struct starfish_spread *spread);

/* Whether all slabs are in the memory of the one device that they were registered with, and nowhere else: then they may
 * stay registered while their user writes there. */
int starfish_field_is_on_device_only(const struct starfish_field *field);

/* The memory node that data were registered with. */
int starfish_slab_home(starpu_data_handle_t handle);

/* Inside a task, of the buffer of a slab: its first element; and where its rows lie, in boxes of `depth` planes, all
 * zero where they are packed. On a device that the slab was copied to they are. */
void *starfish_slab_memory(void *buffer);
struct starfish_strides starfish_slab_strides(void *buffer, size_t depth);

#endif

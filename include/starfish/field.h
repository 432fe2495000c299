/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fields: a scalar on an nx * ny * nz grid, x fastest (element (i,j,k) at i + nx*(j + ny*k); NumPy shape (nz,ny,nx)),
 * known to the runtime as one piece of data per slab (run of z-planes) on the user's own memory: nothing is copied on
 * the host, and a field that is used again may stay where its last user, CPU or GPU, left it. */
#ifndef STARFISH_FIELD_H
#define STARFISH_FIELD_H

#include <starfish/context.h>
#include <starfish/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A field that the runtime knows. starfish_field_create or a plan makes it. */
typedef struct starfish_field starfish_field;

/* A field over `memory`: host memory or CUDA device memory (recognised) of nx*ny*nz reals of `precision`, which must
 * outlive the field and may be touched only between starfish_field_acquire and _release; or NULL, and the field
 * allocates pinned memory itself. `slabs` is 1..min(nz, 64). The caller owns *field. Errors: ARGUMENT (names
 * the argument), MEMORY, RUNTIME.
 *
 * Thread-safety: jobs may use a field from many threads; it is created and destroyed by one. */
STARFISH_API starfish_status starfish_field_create(starfish_context *context, starfish_precision precision,
                                                   const size_t n[3], size_t slabs, void *memory,
                                                   starfish_field **field);
/* Waits for work on the field, that of jobs which still iterate included; afterwards its memory holds the values. NULL
 * is allowed. */
STARFISH_API void starfish_field_destroy(starfish_field *field);

/* Wait for work on the field, likewise, bring it to its memory and let the caller read and write it there until
 * release. Jobs that are submitted meanwhile wait. One thread has a field at a time: another one that acquires it
 * waits. Errors: ARGUMENT (this thread has acquired it already), RUNTIME. */
STARFISH_API starfish_status starfish_field_acquire(starfish_field *field, void **memory);
/* Ends what starfish_field_acquire began: jobs on the field go on. Errors: ARGUMENT (it is not acquired). */
STARFISH_API starfish_status starfish_field_release(starfish_field *field);

enum { STARFISH_CORES_SHARE = -1 /* in place of a device: cores, and main memory */ };
/* A share of a field that lives spread over the memories of a node, as starfish_poisson_field_spread makes them: shares
 * are runs of planes one behind the other, each in the memory of its owner, whose workers do all that is done with
 * these planes. */
struct starfish_field_share {
    int device;         /* the owner: a CUDA device that the context uses, or STARFISH_CORES_SHARE */
    size_t first_plane; /* of the field: the sum of `planes` of the shares before */
    size_t planes;      /* how many planes it has */
    void *memory;       /* nx*ny*planes reals in the owner's memory */
};
/* How many shares a field has: 1 where it is in one memory. */
STARFISH_API size_t starfish_field_shares(const starfish_field *field);
/* Share `index` of the field, from 0. Its memory may be read and written, by the caller's own kernels too, between
 * starfish_field_acquire, which waits for work on the field, and _release, before which they must be done. Of a field
 * of several shares starfish_field_acquire gives NULL for its memory. Errors: ARGUMENT (names it). */
STARFISH_API starfish_status starfish_field_share(const starfish_field *field, size_t index,
                                                  struct starfish_field_share *share);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fields: scalars on an nx * ny * nz grid, x fastest (element (i,j,k) at i + nx*(j + ny*k); NumPy shape (nz,ny,nx)). A
 * field registers the user's memory with the runtime as one data handle per slab (run of z-planes). The host copies
 * nothing. Between solves, data may stay in the memory of the last worker, CPU or GPU. */
#ifndef STARFISH_FIELD_H
#define STARFISH_FIELD_H

#include <starfish/context.h>
#include <starfish/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A field registered with the runtime. Created by starfish_field_create or from a plan. */
typedef struct starfish_field starfish_field;

/* Creates a field on `memory`: nx*ny*nz reals of `precision` in host or CUDA device memory (detected). The memory must
 * outlive the field; access it only between starfish_field_acquire and _release. NULL: the field allocates pinned
 * memory itself. `slabs` is 1..min(nz, 64). The caller owns *field. Errors: ARGUMENT (names the argument), MEMORY,
 * RUNTIME.
 *
 * Thread-safety: jobs may use a field from many threads; one thread creates and destroys it. */
STARFISH_API starfish_status starfish_field_create(starfish_context *context, starfish_precision precision,
                                                   const size_t n[3], size_t slabs, void *memory,
                                                   starfish_field **field);
/* Waits for all work on the field, including jobs that still iterate, writes the values to its memory, and frees the
 * field. NULL is allowed. */
STARFISH_API void starfish_field_destroy(starfish_field *field);

/* Waits for all work on the field and writes the values to its memory, which the caller may read and write until
 * release. Jobs submitted meanwhile wait. Only one thread can acquire a field at a time; others wait. Errors: ARGUMENT
 * (this thread has already acquired it), RUNTIME. */
STARFISH_API starfish_status starfish_field_acquire(starfish_field *field, void **memory);
/* Ends the access begun by starfish_field_acquire; jobs on the field continue. Errors: ARGUMENT (it is not
 * acquired). */
STARFISH_API starfish_status starfish_field_release(starfish_field *field);

enum { STARFISH_CORES_SHARE = -1 /* device number that means the cores and main memory */ };
/* A share of a field that is distributed over the memories of a node (starfish_poisson_field_spread). Shares are
 * consecutive runs of planes, each in its owner's memory. The owner's workers run all tasks on these planes. */
struct starfish_field_share {
    int device;         /* the owner: a CUDA device that the context uses, or STARFISH_CORES_SHARE */
    size_t first_plane; /* its first plane in the field: the sum of `planes` of all previous shares */
    size_t planes;      /* number of planes */
    void *memory;       /* nx*ny*planes reals in the owner's memory */
};
/* Number of shares of a field; 1 if it is in one memory. */
STARFISH_API size_t starfish_field_shares(const starfish_field *field);
/* Describes share `index` of the field, from 0. The caller and its own kernels may access the share's memory between
 * starfish_field_acquire and _release; kernels must have completed before the release. For a field of several shares,
 * starfish_field_acquire returns NULL as its memory. Errors: ARGUMENT (names it). */
STARFISH_API starfish_status starfish_field_share(const starfish_field *field, size_t index,
                                                  struct starfish_field_share *share);

#ifdef __cplusplus
}
#endif

#endif

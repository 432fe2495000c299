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
 * release. Jobs that are submitted before wait. One thread has a field at a time: another one that acquires it
 * waits. Errors: ARGUMENT (this thread has acquired it already; it is not acquired), RUNTIME. */
STARFISH_API starfish_status starfish_field_acquire(starfish_field *field, void **memory);
STARFISH_API starfish_status starfish_field_release(starfish_field *field);

/* Fields that live spread over the memories of a node, as starfish_poisson_field_spread makes them: shares, runs of
 * planes one behind the other, each in the memory of its owner, whose workers do all that is done with these planes.
 * first_plane: of the field, the sum of `planes` before it. device: a CUDA device that the context uses, or
 * STARFISH_CORES_SHARE: cores, and main memory. memory: nx*ny*planes reals there. */
enum { STARFISH_CORES_SHARE = -1 };
struct starfish_field_share {
    int device;
    size_t first_plane, planes;
    void *memory;
};
/* How many shares a field has: 1 where it is in one memory. */
STARFISH_API size_t starfish_field_shares(const starfish_field *field);
/* One of them. Its memory may be read and written, by the caller's own kernels too, between starfish_field_acquire,
 * which waits for work on the field, and _release, before which they must be done. Of a field of several shares
 * starfish_field_acquire gives NULL for its memory. Errors: ARGUMENT (names it). */
STARFISH_API starfish_status starfish_field_share(const starfish_field *field, size_t index,
                                                  struct starfish_field_share *share);

#ifdef __cplusplus
}
#endif

#endif

/* Fields as the task graphs see them: one StarPU block of data per slab of z-planes, on the user's own memory. */
#ifndef STARFISH_SCHEDULER_FIELD_H
#define STARFISH_SCHEDULER_FIELD_H

#include "scheduler/context.h"
#include <starfish/field.h>

enum { STARFISH_MAX_SLABS = 32 };

struct starfish_field {
    struct starfish_context *context;
    starfish_precision precision;
    size_t n[3];
    size_t slabs;
    size_t first_plane[STARFISH_MAX_SLABS + 1]; /* slab s holds planes first_plane[s] .. first_plane[s+1]-1 */
    starpu_data_handle_t handle[STARFISH_MAX_SLABS];
    void *memory;
    size_t owned_bytes; /* memory is ours when not 0 */
};

/* starfish_field_create, where errors call the memory `name`. */
starfish_status starfish_field_over(struct starfish_context *context, starfish_precision precision, const size_t n[3],
                                    size_t slabs, const char *name, void *memory, struct starfish_field **result);

/* Cut 0..n-1 into `parts` runs that differ by one at most. */
void starfish_cut(size_t n, size_t parts, size_t *first);

#endif

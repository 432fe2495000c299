/* Graph of the slab method on one block of modes, plain form: transform y in its tiles, whole tridiagonal lines along z over
 * all tiles, transform y back. */
#include "codelets/transform.h"
#include "codelets/tridiagonal.h"
#include "tasks/spectral.h"

static starfish_status transform_y(struct starfish_spectral *s, struct starfish_progress *progress, size_t block,
                                   enum starfish_transform_direction direction)
{
    if (s->transform_y.kind == STARFISH_TRANSFORM_IDENTITY)
        return STARFISH_SUCCESS;
    return starfish_submit_transform_columns(progress, STARFISH_PHASE_MODES, &s->transform_y, &s->workspace, direction, 1,
                                             s->first_mode[block + 1] - s->first_mode[block], s->slabs, s->tile[block],
                                             s->first_plane);
}

starfish_status starfish_graph_slab_block(struct starfish_spectral *s, struct starfish_progress *progress, size_t block)
{
    STARFISH_TRY(transform_y(s, progress, block, STARFISH_FORWARD));
    const struct starfish_tridiagonal_task task = {
        .precision = s->precision,
        .n = s->n[2],
        .periodic = s->line_periodic,
        .inner = s->first_mode[block + 1] - s->first_mode[block],
        .outer = s->n[1],
        .shift = s->lambda,
        .pinned_lane = s->singular && block == 0 ? 0 : -1,
        .tiles = s->slabs,
        .tile = s->tile[block],
        .first = s->first_plane,
        .line = s->line.handle,
        .shift_x = s->shift_x.handle,
        .first_mode = s->first_mode[block],
        .shift_y = s->shift_y.handle,
        .workspace = &s->workspace,
    };
    STARFISH_TRY(starfish_submit_tridiagonal(progress, STARFISH_PHASE_MODES, &task));
    return transform_y(s, progress, block, STARFISH_BACKWARD);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Streams of slabs: their data in main memory, and what is submitted between the tasks of the graph. */
#include "tasks/slab_stream.h"

#include "base/real.h"
#include "codelets/bring_home.h"
#include "scheduler/runtime/watchdog.h"
#include "tasks/separable.h"

#include <string.h>

enum { ROWS = 2 + STARFISH_SLAB_COEFFICIENTS }; /* of each slab, in all */

/* ---- Data -------------------------------------------------------------------------------------------------------- */

static size_t row_bytes(const struct starfish_slab_stream *stream)
{
    const struct starfish_slab_space *space = stream->space;
    return space->n[0] * space->n[1] * starfish_real_size(space->precision);
}

/* The arrays of all slabs, one behind the other. */
enum array { SEPARATORS, HEADS, COEFFICIENTS, ARRAYS };
static const struct {
    const char *name, *of_part;
    size_t first, rows; /* for each slab */
} arrays[ARRAYS] = {
    {"separators", "separators of all slabs", 0, 1},
    {"heads", "heads of all slabs", 1, 1},
    {"coefficients", "coefficients of all slabs", 2, STARFISH_SLAB_COEFFICIENTS},
};

static char *array_of(const struct starfish_slab_stream *stream, enum array array)
{
    return stream->memory + arrays[array].first * stream->slabs * row_bytes(stream);
}

static starfish_status register_part(struct starfish_slab_stream *stream, const struct starfish_slab_parts *systems,
                                     size_t part)
{
    struct starfish_slab_gathered *gathered = &stream->gathered[part];
    starfish_handle *const handle[ARRAYS] = {&gathered->separators, &gathered->heads, &gathered->coefficients};
    const size_t nx = stream->space->n[0], size = starfish_real_size(stream->space->precision);
    const size_t first = systems->first_row[part], last = systems->first_row[part + 1];
    for (int array = 0; array < ARRAYS; array++) {
        const struct starfish_matrix matrix = {.columns = nx * (last - first),
                                               .rows = stream->slabs * arrays[array].rows,
                                               .stride = nx * stream->space->n[1]};
        STARFISH_TRY(
            starfish_matrix_register_at(handle[array], array_of(stream, array) + first * nx * size, &matrix, size));
        starfish_data_label_2d(*handle[array], arrays[array].of_part, 0, part);
    }
    return STARFISH_SUCCESS;
}

starfish_status starfish_slab_stream_register(const struct starfish_slab_stream *stream, size_t s,
                                              struct starfish_slab *slab)
{
    starfish_handle *const handle[ARRAYS] = {slab->separator, slab->head, slab->coefficient};
    const size_t size = starfish_real_size(stream->space->precision), row = row_bytes(stream);
    for (int array = 0; array < ARRAYS; array++) {
        const size_t bytes = arrays[array].rows * row;
        STARFISH_TRY(
            starfish_array_register_at(handle[array], array_of(stream, array) + s * bytes, bytes / size, size));
        starfish_data_label_2d(*handle[array], arrays[array].name, s, 0);
    }
    return STARFISH_SUCCESS;
}

/* Forward a slab takes right-hand side, solution and two planes; back its solution and two planes. */
static size_t places_back(size_t planes, size_t slabs, size_t slots)
{
    const size_t of_slab = (planes + slabs - 1) / slabs;
    return slots * (2 * of_slab + 2) / (of_slab + 2);
}

starfish_status starfish_slab_stream_create(struct starfish_slab_stream *stream,
                                            const struct starfish_slab_space *space, size_t slots, size_t slabs,
                                            const struct starfish_slab_parts *systems)
{
    memset(stream, 0, sizeof *stream);
    stream->slots = slots;
    stream->space = space;
    stream->slabs = slabs;
    stream->parts = systems->count;
    void *memory = NULL;
    STARFISH_TRY(starfish_alloc(space->context, ROWS * slabs * row_bytes(stream), &memory));
    stream->memory = memory;
    stream->bytes = ROWS * slabs * row_bytes(stream);
    stream->back = places_back(space->n[2], slabs, slots);
    for (size_t slot = 0; slot < stream->back; slot++)
        starfish_token_register(&stream->token[slot]);
    for (size_t part = 0; part < systems->count; part++)
        STARFISH_TRY(register_part(stream, systems, part));
    return STARFISH_SUCCESS;
}

/* The slabs' arrays, which lie there too, have been unregistered. */
void starfish_slab_stream_destroy(struct starfish_slab_stream *stream)
{
    for (size_t part = 0; part < stream->parts; part++) {
        starfish_array_unregister(stream->gathered[part].separators);
        starfish_array_unregister(stream->gathered[part].heads);
        starfish_array_unregister(stream->gathered[part].coefficients);
    }
    for (size_t slot = 0; slot < stream->back; slot++)
        starfish_array_unregister(stream->token[slot]);
    if (stream->memory && !starfish_is_stuck())
        starfish_free(stream->space->context, stream->memory, stream->bytes);
    memset(stream, 0, sizeof *stream);
}

/* ---- Between tasks ----------------------------------------------------------------------------------------------- */

starfish_handle starfish_slab_stream_token(const struct starfish_slab_stream *stream, size_t s)
{
    return stream->slots > 0 ? stream->token[s % stream->slots] : NULL;
}

starfish_handle starfish_slab_stream_token_back(const struct starfish_slab_stream *stream, size_t s)
{
    return stream->slots > 0 ? stream->token[s % stream->back] : NULL;
}

/* Some at a time. */
static starfish_status send_home(struct starfish_progress *progress, int phase, const starfish_handle *data,
                                 size_t count, starfish_handle token)
{
    for (size_t i = 0; i < count; i += STARFISH_SENT_AT_ONCE) {
        const struct starfish_views some = {data + i,
                                            count - i < STARFISH_SENT_AT_ONCE ? count - i : STARFISH_SENT_AT_ONCE};
        STARFISH_TRY(starfish_submit_send_home(progress, phase, &some, token));
    }
    return STARFISH_SUCCESS;
}

starfish_status starfish_slab_stream_after_forward(const struct starfish_slab_stream *stream, size_t s,
                                                   struct starfish_progress *progress,
                                                   const struct starfish_slab_forward_task *task)
{
    const starfish_handle data[] = {task->solution, task->slab->separator[0], task->slab->head[0], task->rhs};
    const size_t count = task->rhs == task->solution ? 3 : 4;
    if (stream->slots == 0)
        return STARFISH_SUCCESS;
    return send_home(progress, STARFISH_PHASE_FORWARD, data, count, starfish_slab_stream_token(stream, s));
}

starfish_status starfish_slab_stream_after_reduced(const struct starfish_slab_stream *stream, size_t part,
                                                   struct starfish_progress *progress)
{
    const struct starfish_slab_gathered *gathered = &stream->gathered[part];
    const starfish_handle data[] = {gathered->separators, gathered->heads, gathered->coefficients};
    if (stream->slots == 0)
        return STARFISH_SUCCESS;
    return send_home(progress, STARFISH_PHASE_MODES, data, stream->constant ? 2 : 3, NULL);
}

starfish_status starfish_slab_stream_after_backward(const struct starfish_slab_stream *stream, size_t s,
                                                    struct starfish_progress *progress,
                                                    const struct starfish_slab_backward_task *task)
{
    const starfish_handle data[] = {task->solution->piece[s], task->before ? task->before->separator[0] : NULL};
    if (stream->slots == 0)
        return STARFISH_SUCCESS;
    return send_home(progress, STARFISH_PHASE_BACKWARD, data, task->before ? 2 : 1,
                     starfish_slab_stream_token_back(stream, s));
}

/* ---- Between slabs and parts ------------------------------------------------------------------------------------- */

starfish_status starfish_slab_stream_gather(const struct starfish_slab_stream *stream,
                                            struct starfish_progress *progress, const struct starfish_slab *slab)
{
    starfish_handle of_slabs[2 * STARFISH_SLAB_MAX_SLABS], of_parts[2 * STARFISH_MAX_MODE_PARTS];
    for (size_t s = 0; s < stream->slabs; s++) {
        of_slabs[2 * s] = slab[s].separator[0];
        of_slabs[2 * s + 1] = slab[s].head[0];
    }
    for (size_t p = 0; p < stream->parts; p++) {
        of_parts[2 * p] = stream->gathered[p].separators;
        of_parts[2 * p + 1] = stream->gathered[p].heads;
    }
    const struct starfish_views from = {of_slabs, 2 * stream->slabs}, to = {of_parts, 2 * stream->parts};
    return stream->slots > 0 ? starfish_submit_hand_over(progress, STARFISH_PHASE_MODES, &from, &to) : STARFISH_SUCCESS;
}

starfish_status starfish_slab_stream_scatter(const struct starfish_slab_stream *stream,
                                             struct starfish_progress *progress, const struct starfish_slab *slab)
{
    starfish_handle of_slabs[STARFISH_SLAB_MAX_SLABS], of_parts[STARFISH_MAX_MODE_PARTS];
    for (size_t s = 0; s < stream->slabs; s++)
        of_slabs[s] = slab[s].separator[0];
    for (size_t p = 0; p < stream->parts; p++)
        of_parts[p] = stream->gathered[p].separators;
    const struct starfish_views from = {of_parts, stream->parts}, to = {of_slabs, stream->slabs};
    return stream->slots > 0 ? starfish_submit_hand_over(progress, STARFISH_PHASE_MODES, &from, &to) : STARFISH_SUCCESS;
}

starfish_status starfish_slab_stream_coefficients(struct starfish_slab_stream *stream,
                                                  struct starfish_progress *progress, const struct starfish_slab *slab)
{
    starfish_handle of_slabs[STARFISH_SLAB_MAX_SLABS], of_parts[STARFISH_MAX_MODE_PARTS];
    for (size_t s = 0; s < stream->slabs; s++)
        of_slabs[s] = slab[s].coefficient[0];
    for (size_t p = 0; p < stream->parts; p++)
        of_parts[p] = stream->gathered[p].coefficients;
    const struct starfish_views from = {of_slabs, stream->slabs}, to = {of_parts, stream->parts};
    if (stream->slots == 0)
        return STARFISH_SUCCESS;
    STARFISH_TRY(starfish_submit_hand_over(progress, STARFISH_PHASE_MODES, &from, &to));
    return send_home(progress, STARFISH_PHASE_MODES, of_slabs, stream->slabs, NULL);
}

/* A device keeps those of a single part. Of coefficients that it gives up, tasks have to be in order with that. */
void starfish_slab_stream_is_made(struct starfish_slab_stream *stream, int on_devices)
{
    stream->constant = !on_devices || stream->parts == 1;
    for (size_t p = 0; p < stream->parts && stream->constant; p++)
        starfish_data_set_constant(stream->gathered[p].coefficients, 1);
}

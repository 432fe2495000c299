/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* All parts of a vector in one task (collect.h): copies of parts to and from one array. Memory-bound. */
#include "codelets/collect.h"

#include "base/real.h"

void starfish_parts_attach(struct starfish_task *task, const struct starfish_vector *vector,
                           enum starpu_data_access_mode mode, struct starfish_access *part)
{
    for (size_t p = 0; p < vector->space->parts[1]; p++) {
        const struct starfish_extent extent = starfish_part_extent(vector->space, p);
        part[p] = starfish_vector_attach(task, vector, p, &extent, mode);
    }
}

/* Elements of a part, and their place in the array: behind the rows of the parts before, or of a box its rows, behind
 * the rims of the boxes before. */
struct place_of_part {
    struct starfish_pitched own, whole;
    size_t width, rows;
};

static struct place_of_part find_part(const struct starfish_place *place, void *buffers[],
                                      const struct starfish_access *access, const void *array)
{
    const struct starfish_space *space = access->space;
    const size_t part = access->part;
    const struct starfish_box *box = &space->box[part];
    const size_t size = starfish_real_size(place->precision), rim = space->rim;
    struct place_of_part found;
    char *const piece = starfish_vector_here(buffers, access, place->precision);
    const struct starfish_rectangle at = starfish_part_elements(space, part, &found.own.pitch);
    size_t start = space->first[1][part] * space->n[0];

    found.own.first = piece + (at.x0 + at.y0 * found.own.pitch) * size;
    found.width = at.x1 - at.x0;
    found.rows = at.y1 - at.y0;
    found.whole.pitch = space->n[0];
    if (space->layers > 0) {
        found.whole.pitch = space->cells[0] + 2 * rim;
        start = (size_t)box->own[0][0] + rim +
                found.whole.pitch * space->layers * ((size_t)box->own[1][0] + rim * (2 * part + 1));
    }
    found.whole.first = (char *)(uintptr_t)array + start * size;
    return found;
}

static int copy(const struct starfish_place *place, const struct starfish_pitched *to,
                const struct starfish_pitched *from, const struct place_of_part *part)
{
    if (to->pitch == part->width && from->pitch == part->width)
        return starfish_place_copy(place, to->first, from->first, part->width * part->rows);
    return starfish_place_copy_rows(place, to, from, part->width, part->rows);
}

int starfish_parts_collect(const struct starfish_place *place, void *buffers[], const struct starfish_access *part,
                           void *array)
{
    for (size_t p = 0; p < part->space->parts[1]; p++) {
        const struct place_of_part found = find_part(place, buffers, &part[p], array);
        TRY_LAUNCH(copy(place, &found.whole, &found.own, &found));
    }
    return 0;
}

int starfish_parts_spread(const struct starfish_place *place, void *buffers[], const struct starfish_access *part,
                          const void *array)
{
    for (size_t p = 0; p < part->space->parts[1]; p++) {
        const struct place_of_part found = find_part(place, buffers, &part[p], array);
        TRY_LAUNCH(copy(place, &found.own, &found.whole, &found));
        TRY_LAUNCH(starfish_vector_publish(place, buffers, &part[p]));
    }
    return 0;
}

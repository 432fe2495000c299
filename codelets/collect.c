/* All parts of a vector in one task. */
#include "codelets/collect.h"

#include "base/real.h"

void starfish_parts_attach(struct starfish_task *task, const struct starfish_vector *vector,
                           enum starpu_data_access_mode mode, struct starfish_parts_access *access)
{
    access->space = vector->space;
    for (size_t part = 0; part < vector->space->parts[1]; part++) {
        const struct starfish_extent extent = starfish_part_extent(vector->space, part);
        access->part[part] = starfish_vector_attach(task, vector, part, &extent, mode);
    }
}

/* Elements of a part, and their place in the array: behind the rows of the parts before. */
static void *elements(const struct starfish_place *place, void *buffers[], const struct starfish_parts_access *access,
                      size_t part, size_t *start)
{
    const struct starfish_space *space = access->space;
    const size_t size = starfish_real_size(place->precision);
    char *piece = starfish_vector_here(buffers, &access->part[part], place->precision);

    *start = space->first[1][part] * space->n[0] * size;
    return space->local ? piece : piece + *start;
}

int starfish_parts_collect(const struct starfish_place *place, void *buffers[],
                           const struct starfish_parts_access *access, void *array)
{
    for (size_t part = 0; part < access->space->parts[1]; part++) {
        size_t start;
        const void *own = elements(place, buffers, access, part, &start);
        TRY_LAUNCH(
            starfish_place_copy(place, (char *)array + start, own, starfish_space_part_size(access->space, part)));
    }
    return 0;
}

int starfish_parts_spread(const struct starfish_place *place, void *buffers[],
                          const struct starfish_parts_access *access, const void *array)
{
    for (size_t part = 0; part < access->space->parts[1]; part++) {
        size_t start;
        void *own = elements(place, buffers, access, part, &start);
        TRY_LAUNCH(starfish_place_copy(place, own, (const char *)array + start,
                                       starfish_space_part_size(access->space, part)));
        TRY_LAUNCH(starfish_vector_publish(place, buffers, &access->part[part]));
    }
    return 0;
}

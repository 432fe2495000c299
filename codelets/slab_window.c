/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions shared by the slab tasks (slab_window.h): tables as data, one core's share of the lines, footprint and
 * operations. */
#include "codelets/slab_window.h"

#include "codelets/kernel_pair.h"

#include <math.h>
#include <string.h>

STARFISH_PLACE_KERNEL(run_take, starfish_constant_take)
STARFISH_PLACE_KERNEL(run_put, starfish_constant_put)
STARFISH_PLACE_KERNEL_ALONE(run_line, starfish_constant_solve)

void starfish_slab_tables(struct starfish_task *task, const struct starfish_slab_space *space)
{
    starfish_task_data(task, space->line.handle, STARPU_R);
    starfish_task_data(task, space->shift_x.handle, STARPU_R);
    starfish_task_data(task, space->shift_y.handle, STARPU_R);
}

struct starfish_slab_lines starfish_slab_lines_of(void *buffers[], const struct starfish_slab_space *space,
                                                  const struct starfish_slab_parts *parts, size_t first_plane,
                                                  size_t planes)
{
    void *const line = STARFISH_VECTOR(buffers, STARFISH_SLAB_LINE);
    struct starfish_slab_lines lines = {
        .rows = planes,
        .lower = starfish_real_at(line, space->precision, first_plane),
        .diag = starfish_real_at(line, space->precision, space->n[2] + first_plane),
        .upper = starfish_real_at(line, space->precision, 2 * space->n[2] + first_plane),
        .weight = space->weighted ? starfish_real_at(line, space->precision, 3 * space->n[2] + first_plane) : NULL,
        .inner = space->n[0],
        .outer = space->n[1],
        .plane = space->n[0] * space->n[1],
        .shift_inner = STARFISH_VECTOR(buffers, STARFISH_SLAB_SHIFT_X),
        .shift_outer = STARFISH_VECTOR(buffers, STARFISH_SLAB_SHIFT_Y),
        .shift = space->lambda,
        .row_sums = space->row_sums,
        .parts = (int)parts->count,
    };
    memcpy(lines.first_outer, parts->first_row, (parts->count + 1) * sizeof parts->first_row[0]);
    return lines;
}

int starfish_slab_window(struct starfish_slab_window *window, const struct starfish_slab_lines *lines,
                         starfish_precision precision, size_t part, size_t parts)
{
    const size_t first = lines->outer * part / parts, last = lines->outer * (part + 1) / parts;
    *window = (struct starfish_slab_window){.lines = *lines, .first_lane = lines->inner * first};
    window->lines.outer = last - first;
    window->lines.shift_outer = starfish_real_at((void *)(uintptr_t)lines->shift_outer, precision, first);
    while (window->source + 1 < lines->parts && first >= lines->first_outer[window->source + 1])
        window->source++;
    int count = 0;
    for (int p = window->source; p < lines->parts && lines->first_outer[p] < last; p++, count++) {
        const size_t start = lines->first_outer[p] > first ? lines->first_outer[p] : first;
        window->lines.first_outer[count] = start - first;
        window->skip[count] = lines->inner * (start - lines->first_outer[p]);
    }
    window->lines.first_outer[count] = last - first;
    window->lines.parts = count;
    return first < last;
}

void starfish_slab_window_array(const struct starfish_slab_window *window, starfish_precision precision,
                                void *const *array, void **view)
{
    for (int p = 0; p < window->lines.parts; p++) {
        void *const part = array[window->source + p];
        view[p] = part ? starfish_real_at(part, precision, window->skip[p]) : NULL;
    }
}

int starfish_slab_lane_take(const struct starfish_place *place, const struct starfish_slab_lane *l)
{
    const struct starfish_constant_take take = {l->planes, l->stride, l->problems, l->distance, l->lane, l->line};
    return run_take(place, &take);
}

int starfish_slab_lane_solve(const struct starfish_place *place, const struct starfish_slab_space *space,
                             const struct starfish_slab_lane *lane)
{
    const struct starfish_constant_solve solve = {.tables = starfish_constant_tables_in(lane->tables, space->n[2]),
                                                  .scale = space->constant_scale,
                                                  .removed = lane->removed,
                                                  .problems = lane->problems,
                                                  .pieces = 1,
                                                  .first = {0, space->n[2]},
                                                  .piece = {lane->line}};
    return run_line(place, &solve);
}

int starfish_slab_lane_put(const struct starfish_place *place, const struct starfish_slab_lane *l)
{
    const struct starfish_constant_put put = {l->planes, l->stride, l->problems, l->distance, l->lane, l->line};
    return run_put(place, &put);
}

double starfish_slab_flops(const struct starfish_slab_space *space, size_t planes)
{
    const double nx = (double)space->n[0], ny = (double)space->n[1];
    const double y = starfish_plane_set_has_basis(&space->planes) ? 2 * ny : 2.5 * log2(ny);
    return nx * ny * (double)planes * (2.5 * log2(nx) + y + 4);
}

uint32_t starfish_slab_footprint(const struct starfish_slab_space *space, const struct starfish_slab_parts *parts,
                                 const struct starfish_slab *slab, int alone)
{
    return STARFISH_FOOTPRINT(space->precision, space->n[0], space->n[1], slab->planes, parts->count, (size_t)alone,
                              space->planes.x.kind, space->planes.y.kind, (size_t)space->periodic,
                              space->planes.basis.basis.n > 0, space->constant_lane >= 0);
}

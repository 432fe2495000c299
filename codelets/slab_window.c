/* What the slab tasks share. */
#include "codelets/slab_window.h"

#include "codelets/kernel_pair.h"
#include "scheduler/team.h"

#include <math.h>
#include <string.h>

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

struct shared_planes {
    const struct starfish_slab_space *space;
    const struct starfish_workspace *workspace;
    const struct starfish_planes *whole;
};

static void transform_share(void *data, size_t part, size_t parts)
{
    const struct shared_planes *shared = data;
    const struct starfish_slab_space *space = shared->space;
    const size_t planes = shared->whole->planes, first = planes * part / parts, last = planes * (part + 1) / parts;
    const size_t modes = first * space->n[0] * space->n[1];
    struct starfish_planes share = *shared->whole;
    const size_t values = share.strides.row > 0 ? starfish_strides_plane(&share.strides, first) : modes;
    const int forward = share.direction == STARFISH_FORWARD;
    share.planes = last - first;
    share.in = starfish_real_at((void *)(uintptr_t)share.in, space->precision, forward ? values : modes);
    share.out = starfish_real_at(share.out, space->precision, forward ? modes : values);
    share.workspace = starfish_workspace_part(shared->workspace, part);
    starfish_plane_set_cpu(&space->planes, &share);
}

void starfish_slab_planes_cpu(const struct starfish_slab_space *space, const struct starfish_workspace *workspace,
                              const struct starfish_planes *whole)
{
    struct shared_planes shared = {space, workspace, whole};
    starfish_team_run(space->context, transform_share, &shared);
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
    const size_t sizes[] = {space->precision,
                            space->n[0],
                            space->n[1],
                            slab->planes,
                            parts->count,
                            (size_t)alone,
                            space->planes.x.kind,
                            space->planes.y.kind,
                            (size_t)space->periodic,
                            space->planes.basis.basis.n > 0,
                            space->constant_lane >= 0};
    return starfish_footprint_of(sizes, sizeof sizes / sizeof sizes[0]);
}

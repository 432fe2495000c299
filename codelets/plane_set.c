/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Transforms of planes: x and y together where both are fast; x, then a matrix product through work space, otherwise.
 */
#include "codelets/plane_set.h"

#include "base/real.h"
#include "codelets/kernel_pair.h"
#include "fft/kernels/planes.h"

#include <string.h>

/* A product of matrices wants many rows, and its planes wait in the work space: this much on a GPU; on a core one
 * plane, or as many as a part of its second-level cache holds. */
enum { GPU_GROUP_BYTES = 64 << 20, CORE_GROUP_BYTES = 256 << 10 };

static size_t plane_bytes(const struct starfish_plane_set *set)
{
    return set->n[0] * set->n[1] * starfish_real_size(set->precision);
}

static size_t group_planes(const struct starfish_plane_set *set, starfish_worker_kind kind)
{
    const size_t most = (kind == STARFISH_GPU ? GPU_GROUP_BYTES : CORE_GROUP_BYTES) / plane_bytes(set);
    return most > set->max_planes ? set->max_planes : most > 0 ? most : 1;
}

int starfish_plane_set_has_basis(const struct starfish_plane_set *set)
{
    return set->basis.basis.n > 0;
}

/* A 2D problem: nothing is transformed in x, and what a plane has in y lies together like a row. */
static int planes_are_lines(const struct starfish_plane_set *set, const struct starfish_planes *p)
{
    return set->n[0] == 1 && set->x.kind == STARFISH_TRANSFORM_IDENTITY && p->strides.row <= 1;
}

starfish_status starfish_plane_set_create(struct starfish_plane_set *set, struct starfish_context *context,
                                          const enum starfish_transform_kind kind[2], const size_t n[2],
                                          const struct starfish_basis_operator *operator_y, size_t max_planes,
                                          starfish_precision precision)
{
    memset(set, 0, sizeof *set);
    memcpy(set->n, n, sizeof set->n);
    set->precision = precision;
    set->max_planes = max_planes;
    if (operator_y)
        max_planes = group_planes(set, STARFISH_GPU);
    starfish_status status =
        starfish_transform_set_create(&set->x, context, kind[0], n[0], n[1] * max_planes, precision);
    STARFISH_THEN(status, operator_y ? starfish_basis_set_create(&set->basis, context, operator_y, precision)
                                     : starfish_transform_set_create(&set->y, context, kind[1], n[1], n[0] * max_planes,
                                                                     precision));
    if (status != STARFISH_SUCCESS)
        starfish_plane_set_destroy(set);
    return status;
}

void starfish_plane_set_destroy(struct starfish_plane_set *set)
{
    starfish_basis_set_destroy(&set->basis);
    starfish_transform_set_destroy(&set->y);
    starfish_transform_set_destroy(&set->x);
}

double starfish_plane_set_scale(const struct starfish_plane_set *set)
{
    const double x = starfish_transform_scale(set->x.kind, set->n[0]);
    return starfish_plane_set_has_basis(set) ? x : x * starfish_transform_scale(set->y.kind, set->n[1]);
}

size_t starfish_plane_set_workspace(const struct starfish_plane_set *set, starfish_worker_kind kind)
{
    if (starfish_plane_set_has_basis(set)) /* the transform's own behind the planes, aligned */
        return starfish_transform_set_workspace(&set->x, kind) +
               (group_planes(set, kind) * plane_bytes(set) / 256 + 1) * 256;
    if (kind == STARFISH_CPU)
        return starfish_transform_planes_cpu_workspace(set->x.cpu, set->y.cpu);
#ifdef STARFISH_HAVE_GPU
    return starfish_transform_planes_cuda_workspace(set->x.kind, set->n[0], set->y.kind, set->n[1], set->max_planes,
                                                    set->precision);
#else
    return 0;
#endif
}

size_t starfish_plane_set_device_bytes(struct starfish_context *context, const enum starfish_transform_kind kind[2],
                                       const size_t n[2], int has_basis_y, size_t max_planes,
                                       starfish_precision precision)
{
    struct starfish_plane_set set = {.n = {n[0], n[1]}, .max_planes = max_planes, .precision = precision};
    size_t owned = 0;
    set.basis.basis.n = has_basis_y ? n[1] : 0;
    const size_t planes = has_basis_y ? group_planes(&set, STARFISH_GPU) : max_planes;
    set.x = (struct starfish_transform_set){
        .context = context, .kind = kind[0], .n = n[0], .max_lines = n[1] * planes, .precision = precision};
    set.y = (struct starfish_transform_set){.kind = kind[1], .n = n[1]};
    if (has_basis_y)
        owned = starfish_basis_set_device_bytes(n[1], precision);
    return owned + starfish_plane_set_workspace(&set, STARFISH_GPU);
}

/* One group of planes whose y needs a change of basis: `rows` does x, `columns` y. */
struct group {
    struct starfish_transform_rows rows;
    struct starfish_basis_columns columns;
};

static struct group group_of(const struct starfish_plane_set *set, const struct starfish_planes *p, size_t first,
                             size_t count, size_t most)
{
    const int forward = p->direction == STARFISH_FORWARD;
    const size_t start = first * plane_bytes(set), values = p->strides.row > 0 ? 0 : start;
    void *const between = p->workspace;
    void *const source = (char *)(uintptr_t)p->in + (forward ? values : start);
    void *const target = (char *)p->out + (forward ? start : values);
    struct group group = {
        .rows = {.count = count * set->n[1],
                 .rows = forward ? source : target,
                 .tiles = 1,
                 .tile = {between},
                 .first_mode = {0, set->n[0]},
                 .scale = p->scale,
                 .workspace = (char *)between + (most * plane_bytes(set) / 256 + 1) * 256,
                 .strides = p->strides,
                 .first_row = first * set->n[1]},
        .columns = {.inner = set->n[0],
                    .outer = count,
                    .in = forward ? between : source,
                    .out = forward ? target : between,
                    .scale = 1},
    };
    return group;
}

static struct starfish_transform_rows lines_of(const struct starfish_plane_set *set, const struct starfish_planes *p)
{
    const int forward = p->direction == STARFISH_FORWARD;
    void *const in = (void *)(uintptr_t)p->in;
    return (struct starfish_transform_rows){
        .count = p->planes,
        .rows = forward ? in : p->out,
        .tiles = 1,
        .tile = {forward ? p->out : in},
        .first_mode = {0, set->n[1]},
        .scale = p->scale,
        .workspace = p->workspace,
        .strides = {p->strides.plane, p->strides.box, p->strides.box, p->strides.depth, 1}};
}

static int columns_here(const struct starfish_place *place, const struct starfish_basis_set *set,
                        enum starfish_transform_direction direction, const struct starfish_basis_columns *columns)
{
#ifdef STARFISH_HAVE_GPU
    if (place->gpu)
        return starfish_basis_columns_cuda(starfish_worker_plans_here(&set->gpu), direction, columns, place->stream);
#endif
    (void)place;
    starfish_basis_columns_cpu(&set->basis, direction, columns);
    return 0;
}

int starfish_plane_set_here(const struct starfish_place *place, const struct starfish_plane_set *set,
                            const struct starfish_planes *p)
{
    if (!starfish_plane_set_has_basis(set) && planes_are_lines(set, p)) {
        const struct starfish_transform_rows lines = lines_of(set, p);
        return starfish_transform_set_rows(place, &set->y, p->direction, &lines);
    }
    if (!starfish_plane_set_has_basis(set)) {
        const struct starfish_transform_planes kernel = {p->planes, p->in, p->out, p->scale, p->workspace, p->strides};
#ifdef STARFISH_HAVE_GPU
        if (place->gpu)
            return starfish_transform_planes_cuda(starfish_transform_set_here(&set->x),
                                                  starfish_transform_set_here(&set->y), p->direction, &kernel,
                                                  place->stream);
#endif
        starfish_transform_planes_cpu(set->x.cpu, set->y.cpu, p->direction, &kernel);
        return 0;
    }
    const size_t most = group_planes(set, place->gpu ? STARFISH_GPU : STARFISH_CPU);
    for (size_t first = 0; first < p->planes; first += most) {
        const size_t left = p->planes - first;
        const struct group group = group_of(set, p, first, left < most ? left : most, most);
        if (p->direction == STARFISH_FORWARD)
            TRY_LAUNCH(starfish_transform_set_rows(place, &set->x, p->direction, &group.rows));
        TRY_LAUNCH(columns_here(place, &set->basis, p->direction, &group.columns));
        if (p->direction == STARFISH_BACKWARD)
            TRY_LAUNCH(starfish_transform_set_rows(place, &set->x, p->direction, &group.rows));
    }
    return 0;
}

struct shared {
    const struct starfish_plane_set *set;
    const struct starfish_workspace *workspace;
    const struct starfish_planes *planes;
};

static int transform_share(const struct starfish_place *place, void *data, size_t part, size_t parts)
{
    const struct shared *shared = data;
    const struct starfish_plane_set *set = shared->set;
    struct starfish_planes share = *shared->planes;
    const size_t first = share.planes * part / parts, last = share.planes * (part + 1) / parts;
    const size_t modes = first * set->n[0] * set->n[1];
    const size_t values = share.strides.row > 0 ? starfish_strides_plane(&share.strides, first) : modes;
    const int forward = share.direction == STARFISH_FORWARD;
    share.planes = last - first;
    share.in = starfish_real_at((void *)(uintptr_t)share.in, set->precision, forward ? values : modes);
    share.out = starfish_real_at(share.out, set->precision, forward ? modes : values);
    share.workspace = starfish_workspace_part(shared->workspace, part);
    return starfish_plane_set_here(place, set, &share);
}

int starfish_plane_set_share(const struct starfish_place *place, const struct starfish_plane_set *set,
                             const struct starfish_workspace *workspace, const struct starfish_planes *planes)
{
    struct shared shared = {set, workspace, planes};
    return starfish_place_share(place, set->x.context, transform_share, &shared);
}

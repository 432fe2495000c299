/* The mode space of a separable solve: tiles, tables, work space, and the parts of the graph that both methods share. */
#include "tasks/spectral.h"

#include "base/real.h"
#include "codelets/constant_mode.h"
#include "codelets/stencil.h"
#include "codelets/transform.h"
#include "codelets/tridiagonal.h"

#include <stdlib.h>
#include <string.h>

/* ---- Setting up ------------------------------------------------------------------------------------------------ */

static starfish_status register_tiles(struct starfish_spectral *s)
{
    for (size_t b = 0; b < s->blocks; b++)
        for (size_t slab = 0; slab < s->slabs; slab++) {
            const size_t modes = s->first_mode[b + 1] - s->first_mode[b];
            const size_t planes = s->first_plane[slab + 1] - s->first_plane[slab];
            STARFISH_TRY(
                starfish_array_register(&s->tile[b][slab], modes * s->n[1] * planes, starfish_real_size(s->precision)));
            starpu_data_set_coordinates(s->tile[b][slab], 2, (int)slab, (int)b);
        }
    return STARFISH_SUCCESS;
}

/* lower, diag, upper of some directions, one after the other. */
static starfish_status matrix_table(struct starfish_vector *vector, starfish_precision precision,
                                    const struct starfish_direction *direction, size_t count)
{
    size_t total = 0;
    for (size_t d = 0; d < count; d++)
        total += 3 * direction[d].n;
    double *table = malloc(total * sizeof *table);
    if (!table)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a table of %zu coefficients", total);
    size_t at = 0;
    for (size_t d = 0; d < count; d++) {
        const double *const part[3] = {direction[d].lower, direction[d].diag, direction[d].upper};
        for (int p = 0; p < 3; p++, at += direction[d].n)
            memcpy(table + at, part[p], direction[d].n * sizeof *table);
    }
    starfish_status status = starfish_vector_reals(vector, precision, table, total);
    free(table);
    return status;
}

static starfish_status make_tables(struct starfish_spectral *s, const struct starfish_direction *d,
                                   const struct starfish_direction *line)
{
    STARFISH_TRY(starfish_vector_reals(&s->shift_x, s->precision, d[0].eigenvalue, d[0].n));
    if (d[1].eigenvalue)
        STARFISH_TRY(starfish_vector_reals(&s->shift_y, s->precision, d[1].eigenvalue, d[1].n));
    STARFISH_TRY(starfish_vector_reals(&s->weight_y, s->precision, d[1].weight, d[1].n));
    STARFISH_TRY(starfish_vector_reals(&s->weight_z, s->precision, d[2].weight, d[2].n));
    STARFISH_TRY(matrix_table(&s->line, s->precision, line, 1));
    return matrix_table(&s->axes, s->precision, d, 3);
}

static size_t largest(const size_t *first, size_t parts)
{
    size_t most = 0;
    for (size_t p = 0; p < parts; p++)
        if (first[p + 1] - first[p] > most)
            most = first[p + 1] - first[p];
    return most;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t workspace_bytes(const struct starfish_spectral *s, starfish_worker_kind kind)
{
    const size_t modes = largest(s->first_mode, s->blocks);
    size_t bytes = larger(starfish_transform_set_workspace(&s->transform_x, kind),
                          starfish_transform_set_workspace(&s->transform_y, kind));
    for (size_t l = 0; l < s->levels; l++)
        bytes = larger(
            bytes, starfish_reduction_workspace(kind, &s->level[l], s->n[1], modes, s->line_periodic, s->precision));
    if (s->levels == 0)
        bytes = larger(bytes,
                       starfish_tridiagonal_workspace(kind, s->n[2], modes * s->n[1], s->line_periodic, s->precision));
    return bytes;
}

static starfish_status make_transforms(struct starfish_spectral *s, const struct starfish_direction *d, int in_y)
{
    const size_t planes = largest(s->first_plane, s->slabs), modes = largest(s->first_mode, s->blocks);
    STARFISH_TRY(starfish_transform_set_create(&s->transform_x, s->context, d[0].transform, d[0].n, d[1].n * planes,
                                               s->precision));
    s->scale = 1 / starfish_transform_scale(d[0].transform, d[0].n);
    if (!in_y)
        return STARFISH_SUCCESS;
    s->scale /= starfish_transform_scale(d[1].transform, d[1].n);
    return starfish_transform_set_create(&s->transform_y, s->context, d[1].transform, d[1].n, modes * planes,
                                         s->precision);
}

static starfish_status create(struct starfish_spectral *s, const struct starfish_direction *d,
                              const struct starfish_reduction *reduction)
{
    const struct starfish_direction *line = reduction ? &d[1] : &d[2];
    s->line_periodic = line->periodic;
    STARFISH_TRY(make_transforms(s, d, reduction == NULL));
    /* A constant field f has constant mode f * scale of the transform in x, times s->scale. */
    s->mean_scale = 1 / (s->scale * starfish_transform_scale(d[0].transform, d[0].n));
    STARFISH_TRY(make_tables(s, d, line));
    STARFISH_TRY(register_tiles(s));
    if (reduction)
        STARFISH_TRY(starfish_reduction_setup(s, reduction));
    return starfish_workspace_create(&s->workspace, s->context, workspace_bytes(s, STARFISH_CPU),
                                     workspace_bytes(s, STARFISH_GPU));
}

starfish_status starfish_spectral_create(struct starfish_spectral *s, struct starfish_context *context,
                                         starfish_precision precision, const struct starfish_direction *direction,
                                         double lambda, int singular, size_t slabs, size_t blocks,
                                         const struct starfish_reduction *reduction)
{
    memset(s, 0, sizeof *s);
    s->context = context;
    s->precision = precision;
    s->lambda = lambda;
    s->singular = singular;
    s->slabs = slabs;
    s->blocks = blocks;
    for (int axis = 0; axis < 3; axis++)
        s->n[axis] = direction[axis].n;
    starfish_cut(s->n[2], slabs, s->first_plane);
    starfish_cut(s->n[0], blocks, s->first_mode);
    starfish_status status = create(s, direction, reduction);
    if (status != STARFISH_SUCCESS)
        starfish_spectral_destroy(s);
    return status;
}

static void unregister(starpu_data_handle_t handle)
{
    if (handle)
        starpu_data_unregister_no_coherency(handle); /* nobody wants the values any more */
}

void starfish_spectral_destroy(struct starfish_spectral *s)
{
    for (size_t b = 0; b < s->blocks; b++) {
        for (size_t slab = 0; slab < s->slabs; slab++)
            unregister(s->tile[b][slab]);
        for (size_t l = 0; l < s->levels; l++)
            unregister(s->level_array[b][l]);
    }
    for (size_t l = 0; l < s->levels; l++) {
        starfish_vector_destroy(&s->level[l].ints);
        starfish_vector_destroy(&s->level[l].reals);
    }
    struct starfish_vector *const vectors[] = {&s->shift_x,  &s->shift_y, &s->line,  &s->weight_y,
                                               &s->weight_z, &s->axes,    &s->places};
    for (size_t v = 0; v < sizeof vectors / sizeof vectors[0]; v++)
        starfish_vector_destroy(vectors[v]);
    starfish_transform_set_destroy(&s->transform_x);
    starfish_transform_set_destroy(&s->transform_y);
    starfish_workspace_destroy(&s->workspace);
}

/* ---- Graph ----------------------------------------------------------------------------------------------------- */

static starfish_status transform_x(struct starfish_spectral *s, struct starfish_progress *progress,
                                   enum starfish_transform_direction direction, const starpu_data_handle_t *slabs)
{
    const int forward = direction == STARFISH_FORWARD;
    for (size_t slab = 0; slab < s->slabs; slab++) {
        starpu_data_handle_t tile[STARFISH_MAX_MODE_BLOCKS];
        for (size_t b = 0; b < s->blocks; b++)
            tile[b] = s->tile[b][slab];
        STARFISH_TRY(starfish_submit_transform_rows(
            progress, forward ? STARFISH_PHASE_FORWARD : STARFISH_PHASE_BACKWARD, &s->transform_x, &s->workspace,
            direction, forward ? s->scale : 1, slabs[slab], (s->first_plane[slab + 1] - s->first_plane[slab]) * s->n[1],
            s->blocks, tile, s->first_mode));
    }
    return STARFISH_SUCCESS;
}

starfish_status starfish_graph_forward(struct starfish_spectral *s, struct starfish_progress *progress,
                                       const starpu_data_handle_t *rhs)
{
    return transform_x(s, progress, STARFISH_FORWARD, rhs);
}

starfish_status starfish_graph_backward(struct starfish_spectral *s, struct starfish_progress *progress,
                                        const starpu_data_handle_t *solution)
{
    return transform_x(s, progress, STARFISH_BACKWARD, solution);
}

static starfish_status remove_mean(struct starfish_spectral *s, struct starfish_progress *progress,
                                   starpu_data_handle_t removed)
{
    return starfish_submit_constant_mode(
        progress, STARFISH_PHASE_MODES, s->precision, s->first_mode[1] - s->first_mode[0], s->n[1], s->slabs,
        s->tile[0], s->first_plane, s->weight_y.handle, s->weight_z.handle, s->mean_scale, removed);
}

starfish_status starfish_graph_modes(struct starfish_spectral *s, struct starfish_progress *progress,
                                     starpu_data_handle_t removed)
{
    for (size_t block = 0; block < s->blocks; block++) {
        const int has_constant = s->singular && block == 0;
        if (has_constant)
            STARFISH_TRY(remove_mean(s, progress, removed));
        STARFISH_TRY(s->levels > 0 ? starfish_graph_reduction_block(s, progress, block)
                                   : starfish_graph_slab_block(s, progress, block));
        if (has_constant)
            STARFISH_TRY(remove_mean(s, progress, NULL));
    }
    return STARFISH_SUCCESS;
}

starfish_status starfish_graph_residual(struct starfish_spectral *s, struct starfish_progress *progress,
                                        const struct starfish_direction *direction,
                                        const starpu_data_handle_t *solution, const starpu_data_handle_t *rhs,
                                        starpu_data_handle_t removed, const struct starfish_vector *maximum)
{
    const int wraps = direction[2].periodic;
    for (size_t slab = 0; slab < s->slabs; slab++) {
        const size_t before = (slab + s->slabs - 1) % s->slabs, after = (slab + 1) % s->slabs;
        const struct starfish_residual_task task = {
            .precision = s->precision,
            .n = {s->n[0], s->n[1], s->first_plane[slab + 1] - s->first_plane[slab]},
            .first_plane = s->first_plane[slab],
            .planes = s->n[2],
            .periodic = {direction[0].periodic, direction[1].periodic, direction[2].periodic},
            .lambda = s->lambda,
            .axes = s->axes.handle,
            .u = solution[slab],
            .below = slab > 0 || wraps ? solution[before] : NULL,
            .below_planes = s->first_plane[before + 1] - s->first_plane[before],
            .above = slab + 1 < s->slabs || wraps ? solution[after] : NULL,
            .rhs = rhs[slab],
            .offset = removed,
            .maximum = maximum[slab].handle,
        };
        STARFISH_TRY(starfish_submit_residual(progress, STARFISH_PHASE_RESIDUAL, &task));
    }
    return STARFISH_SUCCESS;
}

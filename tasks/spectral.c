/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The mode space of block cyclic reduction: tiles, tables, work space, and the graph around the reduction. */
#include "tasks/spectral.h"

#include "base/real.h"
#include "base/sizes.h"
#include "codelets/constant_mode.h"
#include "codelets/transform.h"
#include "scheduler/runtime/data.h"
#include "scheduler/runtime/ranks.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- Setting up ------------------------------------------------------------------------------------------------ */

static starfish_status register_tiles(struct starfish_spectral *s)
{
    for (size_t b = 0; b < s->modes.parts; b++)
        for (size_t slab = 0; slab < s->cut.parts; slab++) {
            const size_t modes = starfish_runs_rows(&s->modes, b);
            const size_t planes = starfish_runs_rows(&s->cut, slab);
            STARFISH_TRY(
                starfish_array_register(&s->tile[b][slab], modes * s->n[1] * planes, starfish_real_size(s->precision)));
            starfish_data_label_2d(s->tile[b][slab], "tile", slab, b);
            starfish_data_set_travelling(s->context, s->tile[b][slab], starfish_runs_owner(&s->modes, b).rank);
        }
    return STARFISH_SUCCESS;
}

/* Of right-hand sides and solutions, which are not scaled. */
static starfish_status make_mean_y(struct starfish_spectral *s, const struct starfish_direction *y)
{
    double sum = 0, *volume = malloc(y->n * sizeof *volume);
    STARFISH_FAIL_IF(!volume, STARFISH_ERROR_MEMORY, "out of memory for %zu volumes", y->n);
    for (size_t j = 0; j < y->n; j++)
        sum += volume[j] = y->weight[j] * (y->scale_y ? y->scale_y[j] : 1);
    for (size_t j = 0; j < y->n && y->scale_y; j++)
        volume[j] /= sum;
    const starfish_status status = starfish_coefficient_table_reals(&s->weight_y, s->precision, volume, y->n);
    free(volume);
    return status;
}

static starfish_status make_tables(struct starfish_spectral *s, const struct starfish_direction *d)
{
    STARFISH_TRY(starfish_coefficient_table_reals(&s->shift_x, s->precision, d[0].eigenvalue, d[0].n));
    STARFISH_TRY(make_mean_y(s, &d[1]));
    STARFISH_TRY(starfish_coefficient_table_reals(&s->weight_z, s->precision, d[2].weight, d[2].n));
    struct starfish_direction line = d[s->line_axis];
    line.diag = line.weight_x ? line.sum : line.diag;
    return starfish_matrix_table(&s->line, s->precision, &line, 1);
}

static size_t largest(const size_t *first, size_t parts)
{
    size_t most = 0;
    for (size_t p = 0; p < parts; p++)
        if (first[p + 1] - first[p] > most)
            most = first[p + 1] - first[p];
    return most;
}

/* Of every block: a kernel for a single mode may need more than one for a few. */
static size_t workspace_bytes(const struct starfish_spectral *s, starfish_worker_kind kind)
{
    size_t bytes = starfish_transform_set_workspace(&s->transform_x, kind);
    for (size_t b = 0; b < s->modes.parts; b++) {
        const size_t lanes = starfish_runs_rows(&s->modes, b) / starfish_tridiag_parts(s->numbers);
        for (size_t l = 0; l < s->levels; l++)
            for (size_t t = 0; t <= (l < s->trunk || s->trunk == 0 ? 0 : STARFISH_SUBTREES); t++)
                bytes = starfish_larger(bytes,
                                        starfish_reduction_workspace(kind, t > 0 ? &s->subtree[t - 1][l] : &s->level[l],
                                                                     s->n[s->line_axis], lanes, s->line_periodic,
                                                                     s->precision, s->numbers));
    }
    return bytes;
}

static size_t most_lines(const struct starfish_spectral *s)
{
    return s->n[1] * largest(s->cut.first, s->cut.parts);
}

static void describe(struct starfish_spectral *s, struct starfish_context *context,
                     const struct starfish_spectral_problem *p)
{
    memset(s, 0, sizeof *s);
    s->context = context;
    s->precision = p->precision;
    s->numbers = p->numbers;
    s->lambda = p->lambda;
    s->singular = p->singular;
    s->chain_method = p->chain_method;
    s->split = p->split;
    s->subtrees = p->subtrees;
    s->cut = *p->cut;
    s->modes = *p->modes;
    for (int axis = 0; axis < 3; axis++)
        s->n[axis] = p->direction[axis].n;
    s->line_axis = starfish_spectral_line_axis(p->direction);
    s->line_periodic = p->direction[s->line_axis].periodic;
    s->pieces = s->line_axis == 1 ? 1 : s->n[2];
}

starfish_status starfish_spectral_device_bytes(struct starfish_context *context,
                                               const struct starfish_spectral_problem *p,
                                               const struct starfish_reduction *rows, enum starfish_reduction_form form,
                                               size_t *bytes)
{
    const struct starfish_direction *x = &p->direction[0];
    struct starfish_spectral *s = malloc(sizeof *s);
    STARFISH_FAIL_IF(!s, STARFISH_ERROR_MEMORY, "out of memory for a plan");
    describe(s, context, p);
    s->transform_x = (struct starfish_transform_set){
        .context = context, .kind = x->transform, .n = x->n, .max_lines = most_lines(s), .precision = p->precision};
    starfish_reduction_shapes(s, rows, form);
    *bytes = workspace_bytes(s, STARFISH_GPU);
    free(s);
    return STARFISH_SUCCESS;
}

/* A plane, or the row of y in a plane. */
static void put_place(const struct starfish_spectral *s, size_t row, size_t piece, int *tile, int *place)
{
    const size_t plane = s->line_axis == 1 ? row : piece;
    size_t slab = 0;
    while (plane >= s->cut.first[slab + 1])
        slab++;
    *tile = (int)slab;
    *place = (int)(s->line_axis == 1 ? plane - s->cut.first[slab] : (plane - s->cut.first[slab]) * s->n[1] + row);
}

/* For every level the tiles of its rows' pieces, then their places in these; and a factor for each. */
static void fill_places(struct starfish_spectral *s, const struct starfish_reduction *reduction, const double *scale_y,
                        int *places, double *factors)
{
    size_t offset = 0;
    for (size_t l = 0; l < reduction->levels; l++) {
        const struct starfish_reduction_level *level = &reduction->level[l];
        const size_t count = level->rows * s->pieces;
        size_t at = offset;
        for (size_t b = 0; b < level->blocks; b++)
            for (int i = 0; i < level->block[b].separators; i++)
                for (size_t piece = 0; piece < s->pieces; piece++, at++) {
                    const size_t row = (size_t)level->block[b].separator[i];
                    put_place(s, row, piece, &places[at], &places[at + count]);
                    factors[at - offset / 2] = scale_y ? scale_y[row] : 1;
                }
        for (size_t part = 0; part <= STARFISH_SUBTREES; part++) {
            struct starfish_level *own = part == STARFISH_SUBTREES ? &s->level[l] : &s->subtree[part][l];
            own->row_slab = offset + own->first_row;
            own->row_plane = own->row_slab + count;
        }
        offset += 2 * count;
    }
}

static starfish_status make_places(struct starfish_spectral *s, const struct starfish_reduction *reduction,
                                   const double *scale_y)
{
    const size_t count = reduction->n * s->pieces;
    STARFISH_FAIL_IF(count > INT_MAX, STARFISH_ERROR_UNSUPPORTED, "%zu rows of planes are too many", count);
    double *factors = malloc(count * sizeof *factors);
    int *places = malloc(2 * count * sizeof *places);
    starfish_status status =
        STARFISH_OR_FAIL(factors && places, STARFISH_ERROR_MEMORY, "out of memory for tables of %zu rows", count);
    if (status == STARFISH_SUCCESS) {
        fill_places(s, reduction, scale_y, places, factors);
        status = starfish_coefficient_table_ints(&s->places, places, 2 * count);
    }
    if (scale_y)
        STARFISH_THEN(status, starfish_coefficient_table_reals(&s->factors, s->precision, factors, count));
    free(places);
    free(factors);
    return status;
}

static starfish_status create(struct starfish_spectral *s, const struct starfish_spectral_problem *p)
{
    const struct starfish_direction *d = p->direction;
    STARFISH_TRY(starfish_transform_set_create(&s->transform_x, s->context, d[0].transform, d[0].n, most_lines(s),
                                               s->precision));
    s->scale = 1 / starfish_transform_scale(d[0].transform, d[0].n);
    STARFISH_TRY(make_tables(s, d));
    STARFISH_TRY(register_tiles(s));
    STARFISH_TRY(starfish_reduction_setup(s, p->product, p->fractions));
    STARFISH_TRY(make_places(s, p->fractions ? p->fractions->rows : p->product, d[1].scale_y));
    size_t bytes[STARFISH_WORKER_KINDS] = {0, 0};
    for (int kind = 0; kind < STARFISH_WORKER_KINDS; kind++)
        if (starfish_kind_allowed(p->where, kind == STARFISH_GPU))
            bytes[kind] = workspace_bytes(s, (starfish_worker_kind)kind);
    return starfish_workspace_create(&s->workspace, s->context, bytes[STARFISH_CPU], bytes[STARFISH_GPU]);
}

starfish_status starfish_spectral_create(struct starfish_spectral *s, struct starfish_context *context,
                                         const struct starfish_spectral_problem *p)
{
    describe(s, context, p);
    s->modes.parts = 0; /* there are none to be destroyed yet */
    starfish_status status = starfish_runs_copy(&s->cut, p->cut);
    STARFISH_THEN(status, starfish_runs_copy(&s->modes, p->modes));
    STARFISH_THEN(status, create(s, p));
    if (status != STARFISH_SUCCESS)
        starfish_spectral_destroy(s);
    return status;
}

void starfish_spectral_destroy(struct starfish_spectral *s)
{
    for (size_t b = 0; b < s->modes.parts; b++) {
        for (size_t slab = 0; slab < s->cut.parts; slab++)
            starfish_array_unregister(s->tile[b][slab]);
        for (size_t l = 0; l < s->levels; l++)
            starfish_array_unregister(s->level_array[b][l]);
    }
    for (size_t l = 0; l < s->levels; l++) {
        starfish_coefficient_table_destroy(&s->level[l].ints);
        starfish_coefficient_table_destroy(&s->level[l].reals);
    }
    struct starfish_coefficient_table *const vectors[] = {&s->shift_x,  &s->line,   &s->weight_y,
                                                          &s->weight_z, &s->places, &s->factors};
    for (size_t v = 0; v < sizeof vectors / sizeof vectors[0]; v++)
        starfish_coefficient_table_destroy(vectors[v]);
    starfish_transform_set_destroy(&s->transform_x);
    starfish_workspace_destroy(&s->workspace);
    starfish_runs_free(&s->cut);
    starfish_runs_free(&s->modes);
}

/* ---- Graph ----------------------------------------------------------------------------------------------------- */

/* FORWARD: slabs without edges. */
static starfish_status transform_x(struct starfish_spectral *s, struct starfish_progress *progress,
                                   enum starfish_transform_direction direction, size_t slab,
                                   const struct starfish_direct_data *data, starfish_handle after)
{
    const int forward = direction == STARFISH_FORWARD;
    starfish_handle tile[STARFISH_MAX_MODE_BLOCKS];
    for (size_t b = 0; b < s->modes.parts; b++)
        tile[b] = s->tile[b][slab];
    const struct starfish_transform_task task = {.set = &s->transform_x,
                                                 .workspace = &s->workspace,
                                                 .direction = direction,
                                                 .scale = forward ? s->scale : 1,
                                                 .n = {s->n[1], starfish_runs_rows(&s->cut, slab)},
                                                 .device = starfish_runs_owner(&s->cut, slab).device,
                                                 .priority = forward ? 0 : starfish_spectral_priority(s, slab),
                                                 .slab = forward ? data->rhs[slab] : data->solution->piece[slab],
                                                 .written = forward ? NULL : data->solution,
                                                 .part = slab,
                                                 .tiles = s->modes.parts,
                                                 .tile = tile,
                                                 .first_mode = s->modes.first,
                                                 .after = after};
    return starfish_submit_transform_rows(progress, forward ? STARFISH_PHASE_FORWARD : STARFISH_PHASE_BACKWARD, &task);
}

/* Of either part of complex numbers. */
static starfish_status remove_mean(struct starfish_spectral *s, struct starfish_progress *progress,
                                   starfish_handle removed)
{
    for (size_t part = 0; part < starfish_tridiag_parts(s->numbers) && s->singular; part++) {
        const struct starfish_constant_mode_task task = {.precision = s->precision,
                                                         .part = part,
                                                         .lanes = starfish_runs_rows(&s->modes, 0),
                                                         .ny = s->n[1],
                                                         .device = starfish_runs_owner(&s->modes, 0).device,
                                                         .tiles = s->cut.parts,
                                                         .tile = s->tile[0],
                                                         .first = s->cut.first,
                                                         .weight_y = s->weight_y.handle,
                                                         .weight_z = s->weight_z.handle,
                                                         .scale = 1,
                                                         .removed = removed};
        STARFISH_TRY(starfish_submit_constant_mode(progress, STARFISH_PHASE_MODES, &task));
    }
    return STARFISH_SUCCESS;
}

static starfish_status solve_all(struct starfish_spectral *s, struct starfish_progress *progress,
                                 const struct starfish_direct_data *data)
{
    for (size_t slab = 0; slab < s->cut.parts; slab++)
        STARFISH_TRY(transform_x(s, progress, STARFISH_FORWARD, slab, data, NULL));
    STARFISH_TRY(remove_mean(s, progress, data->removed));
    for (size_t block = 0; block < s->modes.parts; block++) {
        STARFISH_TRY(starfish_graph_reduction(s, progress, block, STARFISH_WHOLE_TREE));
        STARFISH_TRY(starfish_graph_substitution(s, progress, block, STARFISH_WHOLE_TREE));
        if (block == 0)
            STARFISH_TRY(remove_mean(s, progress, NULL));
    }
    return STARFISH_SUCCESS;
}

/* The first block of modes is the GPU's. */
static starfish_status solve_by_subtrees(struct starfish_spectral *s, struct starfish_progress *progress,
                                         const struct starfish_direct_data *data)
{
    for (size_t t = 0; t < STARFISH_SUBTREES; t++) {
        for (size_t slab = s->first_slab[t]; slab < s->first_slab[t + 1]; slab++)
            STARFISH_TRY(transform_x(s, progress, STARFISH_FORWARD, slab, data, t > 0 ? s->level_array[0][0] : NULL));
        for (size_t slab = s->first_slab[1]; slab < s->cut.parts && t == 0; slab++)
            starfish_data_send_ahead(s->context, data->rhs[slab]);
        for (size_t block = 0; block < s->modes.parts; block++)
            STARFISH_TRY(starfish_graph_reduction(s, progress, block, t));
    }
    for (size_t block = 0; block < s->modes.parts; block++)
        STARFISH_TRY(starfish_graph_trunk(s, progress, block));
    for (size_t t = 0; t < STARFISH_SUBTREES; t++)
        for (size_t block = 0; block < s->modes.parts; block++)
            STARFISH_TRY(starfish_graph_substitution(s, progress, block, t));
    return STARFISH_SUCCESS;
}

starfish_status starfish_graph_blktri(void *spectral, struct starfish_progress *progress,
                                      const struct starfish_direct_data *data)
{
    struct starfish_spectral *s = spectral;
    const int by_subtrees = s->trunk > 0 && starfish_data_is_of_host(data->rhs[0]);
    STARFISH_TRY((by_subtrees ? solve_by_subtrees : solve_all)(s, progress, data));
    for (size_t slab = 0; slab < s->cut.parts; slab++)
        STARFISH_TRY(transform_x(s, progress, STARFISH_BACKWARD, slab, data, NULL));
    return STARFISH_SUCCESS;
}

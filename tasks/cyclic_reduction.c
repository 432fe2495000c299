/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Graph of block cyclic reduction on one block of modes: planes of tiles to rows of levels, reduction from the leaves
 * to the root, substitution back to the leaves, rows to planes. And the tables that its tasks read. */
#include "tasks/spectral.h"

#include "base/real.h"
#include "scheduler/runtime/ranks.h"

#include <stdlib.h>

/* ---- Tables ---------------------------------------------------------------------------------------------------- */

/* Index lists and reals of one level, being filled. */
struct tables {
    int *ints;
    double *reals;
    size_t int_count, real_count;
};

static size_t add_chains(struct tables *tables, struct starfish_chain_batch *batch, size_t vectors)
{
    batch->vectors = vectors;
    batch->max_steps = 0;
    batch->total = 0;
    batch->input_row = tables->int_count;
    batch->first_step = tables->int_count + vectors;
    batch->steps = tables->int_count + 2 * vectors;
    batch->scale = tables->real_count;
    tables->int_count += 3 * vectors;
    tables->real_count += vectors;
    return vectors;
}

static void put_chain(struct tables *tables, struct starfish_chain_batch *batch, size_t vector, size_t input_row,
                      const struct starfish_chain *chain)
{
    tables->ints[batch->input_row + vector] = (int)input_row;
    tables->ints[batch->first_step + vector] = (int)chain->first;
    tables->ints[batch->steps + vector] = (int)chain->count;
    tables->reals[batch->scale + vector] = chain->scale;
    batch->total += chain->count;
    if ((int)chain->count > batch->max_steps)
        batch->max_steps = (int)chain->count;
}

/* level and row of every row of the problem. */
struct place {
    int level, row;
};

/* Where each neighbour of `source` is in the list of a level, whose parts are counted. */
static void order_neighbours(const struct starfish_reduction_level *source, struct starfish_level *level, size_t *at)
{
    const size_t lower = source->lower, none = source->neighbours;
    size_t next = 0, same = 0;
    for (size_t v = 0; v < source->neighbours; v++)
        at[v] = v >= lower && !source->neighbour[v].shares ? next++ : none;
    level->first_lower = next;
    for (size_t v = lower; v < source->neighbours; v++)
        if (source->neighbour[v].shares) {
            while (source->neighbour[same].block != source->neighbour[v].block)
                same++;
            at[same] = next++;
        }
    for (size_t v = 0; v < lower; v++)
        if (at[v] == none)
            at[v] = next++;
    level->vectors = next;
    for (size_t v = lower; v < source->neighbours; v++)
        if (source->neighbour[v].shares)
            at[v] = next++;
}

static void fill_chains(struct tables *t, struct starfish_level *level, const struct starfish_reduction_level *source,
                        const size_t *at)
{
    for (size_t s = 0; s < source->steps; s++) {
        t->reals[s] = source->step[s].mu;
        t->reals[source->steps + s] = source->step[s].keep;
        t->reals[2 * source->steps + s] = source->step[s].gain;
    }
    for (size_t v = 0; v < source->neighbours; v++)
        if (!source->neighbour[v].shares) {
            put_chain(t, &level->chains.reduce, at[v], source->neighbour[v].block, &source->neighbour[v].reduce);
            put_chain(t, &level->chains.influence, at[v], at[v], &source->neighbour[v].influence);
        }
    for (size_t b = 0; b < source->blocks; b++)
        put_chain(t, &level->chains.solve, b, b, &source->solve[b]);
}

static void add_sums(struct tables *tables, struct starfish_sum_batch *batch, int inputs, int outputs, size_t blocks,
                     size_t roots)
{
    batch->inputs = inputs;
    batch->outputs = outputs;
    batch->input_row = tables->int_count;
    batch->output_row = batch->input_row + (size_t)inputs * blocks;
    batch->input_weight = tables->real_count;
    batch->output_weight = batch->input_weight + (size_t)inputs * roots;
    tables->int_count += (size_t)(inputs + outputs) * blocks;
    tables->real_count += (size_t)(inputs + outputs) * roots;
}

/* Reduction: the separators of a block in, to the lower and the upper neighbour out. Substitution: separators, lower
 * and upper neighbour in, the separators out; neighbours are numbered first, then separators. */
static void fill_sum_rows(struct tables *t, struct starfish_level *level, const struct starfish_reduction_level *rows,
                          const struct starfish_fractions_level *source, const size_t *at)
{
    const struct starfish_sum_batch *reduce = &level->sums.reduce, *substitute = &level->sums.substitute;
    const size_t separators = (size_t)source->separators, inputs = separators + 2;
    size_t row = 0;
    for (size_t b = 0; b < rows->blocks; b++) {
        int *from = t->ints + substitute->input_row + inputs * b, *to = t->ints + reduce->output_row + 2 * b;
        t->ints[level->sums.first_root + b + 1] = (int)source->first_root[b + 1];
        to[0] = to[1] = from[separators] = from[separators + 1] = -1;
        for (size_t i = 0; i < separators; i++) {
            const int has = i < (size_t)rows->block[b].separators;
            t->ints[reduce->input_row + separators * b + i] = has ? (int)row : -1;
            t->ints[substitute->output_row + separators * b + i] = has ? (int)row : -1;
            from[i] = has ? (int)(rows->neighbours + row) : -1;
            row += (size_t)has;
        }
    }
    for (size_t v = 0; v < rows->neighbours; v++) {
        const size_t b = rows->neighbour[v].block, upper = v >= rows->lower;
        t->ints[reduce->output_row + 2 * b + upper] = (int)at[v];
        t->ints[substitute->input_row + inputs * b + separators + upper] = (int)at[v];
    }
}

static void fill_sum_weights(struct tables *t, const struct starfish_level *level,
                             const struct starfish_fractions_level *source)
{
    const struct starfish_sum_batch *reduce = &level->sums.reduce, *substitute = &level->sums.substitute;
    const size_t separators = (size_t)source->separators, inputs = separators + 2;
    for (size_t q = 0; q < source->roots; q++) {
        const struct starfish_fraction *f = &source->fraction[q];
        double *from = t->reals + substitute->input_weight + inputs * q;
        t->reals[q] = f->mu;
        for (size_t i = 0; i < separators; i++) {
            t->reals[reduce->input_weight + separators * q + i] = from[i] = f->from_separator[i];
            t->reals[substitute->output_weight + separators * q + i] = f->to_separator[i];
        }
        from[separators] = f->from_lower;
        from[separators + 1] = f->from_upper;
        t->reals[reduce->output_weight + 2 * q] = f->to_lower;
        t->reals[reduce->output_weight + 2 * q + 1] = f->to_upper;
    }
}

static void fill_rows(struct tables *t, const struct starfish_level *level,
                      const struct starfish_reduction_level *source, const struct place *place, const size_t *at)
{
    for (size_t v = 0; v < source->neighbours; v++) {
        const struct starfish_neighbour *neighbour = &source->neighbour[v];
        t->ints[level->neighbour_level + at[v]] = place[neighbour->row].level;
        t->ints[level->neighbour_row + at[v]] = place[neighbour->row].row;
        t->ints[level->vector_block + at[v]] = (int)neighbour->block;
    }
    for (size_t r = 0; r < source->rows; r++)
        t->ints[level->all_rows + r] = (int)r;
}

/* A block has at most as many roots as rows. */
void starfish_reduction_shape(struct starfish_level *level, const struct starfish_reduction_level *source,
                              enum starfish_reduction_form form)
{
    level->rows = source->rows;
    level->neighbours = source->neighbours;
    level->form = form;
    level->sums.groups = form == STARFISH_FRACTION_FORM ? source->blocks : 0;
    for (size_t b = 0; b < level->sums.groups; b++) {
        const size_t roots = (size_t)(source->block[b].hi - source->block[b].lo) + 1;
        level->sums.most_roots = roots > level->sums.most_roots ? roots : level->sums.most_roots;
    }
}

/* Where the tables of a level's form lie. */
static void lay_out_form(struct tables *tables, struct starfish_level *level,
                         const struct starfish_reduction_level *source, const struct starfish_fractions_level *sums)
{
    if (!sums) {
        level->chains.total_steps = source->steps;
        tables->real_count = 3 * source->steps;
        add_chains(tables, &level->chains.reduce, level->vectors);
        add_chains(tables, &level->chains.influence, level->vectors);
        add_chains(tables, &level->chains.solve, source->blocks);
        return;
    }
    level->sums.roots = tables->real_count = sums->roots;
    level->sums.first_root = tables->int_count;
    tables->int_count += source->blocks + 1;
    add_sums(tables, &level->sums.reduce, sums->separators, 2, source->blocks, sums->roots);
    add_sums(tables, &level->sums.substitute, sums->separators + 2, sums->separators, source->blocks, sums->roots);
}

/* `sums`: the level in partial-fraction form, or NULL for the product form, whose chains are in `source`. */
static starfish_status make_level(struct starfish_level *level, const struct starfish_reduction_level *source,
                                  const struct starfish_fractions_level *sums, const struct place *place,
                                  starfish_precision precision)
{
    const size_t neighbours = source->neighbours, most = neighbours > source->rows ? neighbours : source->rows;
    struct tables tables = {NULL, NULL, 3 * neighbours + most + source->rows, 0};
    starfish_reduction_shape(level, source, sums ? STARFISH_FRACTION_FORM : STARFISH_PRODUCT_FORM);
    level->neighbour_level = 0;
    level->neighbour_row = neighbours;
    level->vector_block = 2 * neighbours;
    level->zeros = 3 * neighbours;
    level->all_rows = level->zeros + most;

    size_t *at = calloc(neighbours + 1, sizeof *at);
    STARFISH_FAIL_IF(!at, STARFISH_ERROR_MEMORY, "out of memory for tables of a level");
    order_neighbours(source, level, at);
    lay_out_form(&tables, level, source, sums);
    tables.ints = calloc(tables.int_count + 1, sizeof *tables.ints);
    tables.reals = calloc(tables.real_count + 1, sizeof *tables.reals);
    starfish_status status =
        STARFISH_OR_FAIL(tables.ints && tables.reals, STARFISH_ERROR_MEMORY, "out of memory for tables of a level");
    if (status == STARFISH_SUCCESS) {
        fill_rows(&tables, level, source, place, at);
        if (sums) {
            fill_sum_rows(&tables, level, source, sums, at);
            fill_sum_weights(&tables, level, sums);
        } else {
            fill_chains(&tables, level, source, at);
        }
        status = starfish_coefficient_table_ints(&level->ints, tables.ints, tables.int_count);
    }
    STARFISH_THEN(status, starfish_coefficient_table_reals(&level->reals, precision, tables.reals, tables.real_count));
    free(tables.ints);
    free(tables.reals);
    free(at);
    return status;
}

/* For every level its rows' slab, then their plane within the slab. */
static starfish_status make_places(struct starfish_spectral *s, const struct starfish_reduction *reduction)
{
    int *places = malloc(2 * s->n[2] * sizeof *places);
    STARFISH_FAIL_IF(!places, STARFISH_ERROR_MEMORY, "out of memory for tables of planes");
    size_t offset = 0;
    for (size_t l = 0; l < reduction->levels; l++) {
        const struct starfish_reduction_level *level = &reduction->level[l];
        size_t row = 0;
        for (size_t b = 0; b < level->blocks; b++)
            for (int i = 0; i < level->block[b].separators; i++, row++) {
                const size_t plane = (size_t)level->block[b].separator[i];
                size_t slab = 0;
                while (plane >= s->cut.first[slab + 1])
                    slab++;
                places[offset + row] = (int)slab;
                places[offset + level->rows + row] = (int)(plane - s->cut.first[slab]);
            }
        offset += 2 * level->rows;
    }
    starfish_status status = starfish_coefficient_table_ints(&s->places, places, offset);
    free(places);
    return status;
}

static starfish_status make_levels(struct starfish_spectral *s, const struct starfish_reduction *reduction,
                                   const struct starfish_fractions *fractions, struct place *place)
{
    for (size_t l = 0; l < reduction->levels; l++) {
        int row = 0;
        for (size_t b = 0; b < reduction->level[l].blocks; b++) {
            const struct starfish_block *block = &reduction->level[l].block[b];
            for (int i = 0; i < block->separators; i++)
                place[block->separator[i]] = (struct place){(int)l, row++};
        }
    }
    for (size_t l = 0; l < reduction->levels; l++) {
        STARFISH_TRY(make_level(&s->level[l], &reduction->level[l], fractions ? &fractions->level[l] : NULL, place,
                                s->precision));
        const int is_singular = l == 0 && s->singular;
        s->level[l].chains.pinned_step = is_singular && !fractions ? reduction->zero_root_step : -1;
        s->level[l].sums.pinned_root = is_singular && fractions ? (int)fractions->zero_root : -1;
    }
    return STARFISH_SUCCESS;
}

static starfish_status register_arrays(struct starfish_spectral *s)
{
    for (size_t b = 0; b < s->modes.parts; b++)
        for (size_t l = 0; l < s->levels; l++) {
            const size_t modes = starfish_runs_rows(&s->modes, b);
            STARFISH_TRY(starfish_array_register(&s->level_array[b][l], s->level[l].rows * modes * s->n[1],
                                                 starfish_real_size(s->precision)));
            starfish_data_label_2d(s->level_array[b][l], "level", b, l);
            starfish_data_set_owner(s->context, s->level_array[b][l], starfish_runs_owner(&s->modes, b).rank);
        }
    return STARFISH_SUCCESS;
}

starfish_status starfish_reduction_setup(struct starfish_spectral *s, const struct starfish_reduction *product,
                                         const struct starfish_fractions *fractions)
{
    const struct starfish_reduction *reduction = fractions ? fractions->rows : product;
    s->levels = reduction->levels;
    struct place *place = calloc(reduction->n, sizeof *place);
    STARFISH_FAIL_IF(!place, STARFISH_ERROR_MEMORY, "out of memory for tables of rows");
    starfish_status status = make_levels(s, reduction, fractions, place);
    free(place);
    STARFISH_THEN(status, make_places(s, reduction));
    return status == STARFISH_SUCCESS ? register_arrays(s) : status;
}

/* ---- Graph ----------------------------------------------------------------------------------------------------- */

static starfish_status submit_rows(struct starfish_spectral *s, struct starfish_progress *progress, size_t block,
                                   int to_levels)
{
    const struct starfish_rows_task task = {.precision = s->precision,
                                            .to_levels = to_levels,
                                            .width = starfish_runs_rows(&s->modes, block) * s->n[1],
                                            .tiles = s->cut.parts,
                                            .levels = s->levels,
                                            .tile = s->tile[block],
                                            .level = s->level_array[block],
                                            .shape = s->level,
                                            .places = s->places.handle,
                                            .device = starfish_runs_owner(&s->modes, block).device};
    return starfish_submit_rows(progress, STARFISH_PHASE_MODES, &task);
}

struct starfish_reduction_block starfish_reduction_block_of(const struct starfish_spectral *s, size_t block)
{
    return (struct starfish_reduction_block){
        .precision = s->precision,
        .n = s->n[1],
        .numbers = s->numbers,
        .lanes = starfish_runs_rows(&s->modes, block) / starfish_tridiag_parts(s->numbers),
        .periodic = s->line_periodic,
        .shift = s->lambda,
        .has_constant_mode = s->singular && block == 0,
        .line = s->line.handle,
        .shift_x = s->shift_x.handle,
        .first_mode = s->modes.first[block],
        .level = s->level_array[block],
        .workspace = &s->workspace,
        .method = s->chain_method,
        .split = s->split,
        .device = starfish_runs_owner(&s->modes, block).device,
    };
}

starfish_status starfish_graph_reduction_block(struct starfish_spectral *s, struct starfish_progress *progress,
                                               size_t block)
{
    const struct starfish_reduction_block description = starfish_reduction_block_of(s, block);
    struct starfish_level_task task = {.block = &description, .levels = s->level};
    STARFISH_TRY(submit_rows(s, progress, block, 1));
    for (task.depth = s->levels - 1; task.depth > 0; task.depth--)
        STARFISH_TRY(starfish_submit_level(progress, STARFISH_PHASE_MODES, &task));
    task.substitutes = 1;
    for (task.depth = 0; task.depth < s->levels; task.depth++)
        STARFISH_TRY(starfish_submit_level(progress, STARFISH_PHASE_MODES, &task));
    return submit_rows(s, progress, block, 0);
}

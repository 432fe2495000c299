/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Graph of block cyclic reduction on one block of modes: planes of tiles to rows of levels, reduction from the leaves
 * to the root, substitution back to the leaves, rows to planes. And the tables that its tasks read. */
#include "tasks/spectral.h"

#include "base/real.h"
#include "base/sizes.h"
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

/* Blocks first .. end - 1 of a level: all, or those of a subtree. `sums` are its partial fractions, NULL: the product
 * form, whose chains are in `source`. */
struct blocks {
    const struct starfish_reduction_level *source;
    const struct starfish_fractions_level *sums;
    size_t first, end;
    size_t *at; /* where each neighbour of theirs is in the list of their level */
};

static int has_neighbour(const struct blocks *b, size_t v)
{
    return b->source->neighbour[v].block >= b->first && b->source->neighbour[v].block < b->end;
}

/* Puts the neighbours into order, by their parts of the list. */
static void order_neighbours(const struct blocks *b, struct starfish_level *level)
{
    const struct starfish_reduction_level *source = b->source;
    const size_t lower = source->lower, none = source->neighbours;
    size_t next = 0, same = 0;
    for (size_t v = 0; v < source->neighbours; v++)
        b->at[v] = v >= lower && has_neighbour(b, v) && !source->neighbour[v].shares ? next++ : none;
    level->first_lower = next;
    for (size_t v = lower; v < source->neighbours; v++)
        if (has_neighbour(b, v) && source->neighbour[v].shares) {
            while (source->neighbour[same].block != source->neighbour[v].block)
                same++;
            b->at[same] = next++;
        }
    for (size_t v = 0; v < lower; v++)
        if (has_neighbour(b, v) && b->at[v] == none)
            b->at[v] = next++;
    level->vectors = next;
    for (size_t v = lower; v < source->neighbours; v++)
        if (has_neighbour(b, v) && source->neighbour[v].shares)
            b->at[v] = next++;
    level->neighbours = next;
}

static void fill_steps(struct tables *t, const struct starfish_reduction_level *source)
{
    for (size_t s = 0; s < source->steps; s++) {
        t->reals[s] = source->step[s].mu;
        t->reals[source->steps + s] = source->step[s].keep;
        t->reals[2 * source->steps + s] = source->step[s].gain;
    }
}

static void fill_chains(struct tables *t, struct starfish_level *level, const struct blocks *b)
{
    const struct starfish_reduction_level *source = b->source;
    for (size_t v = 0; v < source->neighbours; v++)
        if (has_neighbour(b, v) && !source->neighbour[v].shares) {
            const struct starfish_neighbour *neighbour = &source->neighbour[v];
            put_chain(t, &level->chains.reduce, b->at[v], neighbour->block, &neighbour->reduce);
            put_chain(t, &level->chains.influence, b->at[v], b->at[v], &neighbour->influence);
        }
    for (size_t block = b->first; block < b->end; block++)
        put_chain(t, &level->chains.solve, block - b->first, block, &source->solve[block]);
}

static void add_weights(struct tables *tables, struct starfish_sum_batch *batch, int inputs, int outputs, size_t roots)
{
    batch->inputs = inputs;
    batch->outputs = outputs;
    batch->input_weight = tables->real_count;
    batch->output_weight = batch->input_weight + (size_t)inputs * roots;
    tables->real_count += (size_t)(inputs + outputs) * roots;
}

static void add_sums(struct tables *tables, struct starfish_sum_batch *batch, size_t blocks)
{
    batch->input_row = tables->int_count;
    batch->output_row = batch->input_row + (size_t)batch->inputs * blocks;
    tables->int_count += (size_t)(batch->inputs + batch->outputs) * blocks;
}

/* Reduction: the separators of a block in, to the lower and the upper neighbour out. Substitution: separators, lower
 * and upper neighbour in, the separators out; neighbours are numbered first, then separators. */
static void fill_sum_rows(struct tables *t, struct starfish_level *level, const struct blocks *blocks)
{
    const struct starfish_reduction_level *source = blocks->source;
    const struct starfish_sum_batch *reduce = &level->sums.reduce, *substitute = &level->sums.substitute;
    const size_t separators = (size_t)blocks->sums->separators, inputs = separators + 2,
                 *first_root = blocks->sums->first_root;
    size_t row = level->first_row;
    t->ints[level->sums.first_root] = (int)first_root[blocks->first];
    for (size_t b = 0; b < blocks->end - blocks->first; b++) {
        const struct starfish_block *block = &source->block[blocks->first + b];
        int *from = t->ints + substitute->input_row + inputs * b, *to = t->ints + reduce->output_row + 2 * b;
        t->ints[level->sums.first_root + b + 1] = (int)first_root[blocks->first + b + 1];
        to[0] = to[1] = from[separators] = from[separators + 1] = -1;
        for (size_t i = 0; i < separators; i++) {
            const int has = i < (size_t)block->separators;
            t->ints[reduce->input_row + separators * b + i] = has ? (int)row : -1;
            t->ints[substitute->output_row + separators * b + i] = has ? (int)row : -1;
            from[i] = has ? (int)(level->neighbours + row - level->first_row) : -1;
            row += (size_t)has;
        }
    }
    for (size_t v = 0; v < source->neighbours; v++)
        if (has_neighbour(blocks, v)) {
            const size_t b = source->neighbour[v].block - blocks->first, upper = v >= source->lower;
            t->ints[reduce->output_row + 2 * b + upper] = (int)blocks->at[v];
            t->ints[substitute->input_row + inputs * b + separators + upper] = (int)blocks->at[v];
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

static void fill_rows(struct tables *t, const struct starfish_level *level, const struct blocks *b,
                      const struct place *place)
{
    for (size_t v = 0; v < b->source->neighbours; v++)
        if (has_neighbour(b, v)) {
            const struct starfish_neighbour *neighbour = &b->source->neighbour[v];
            t->ints[level->neighbour_level + b->at[v]] = place[neighbour->row].level;
            t->ints[level->neighbour_row + b->at[v]] = place[neighbour->row].row;
            t->ints[level->vector_block + b->at[v]] = (int)neighbour->block;
        }
    for (size_t r = 0; r < level->rows; r++)
        t->ints[level->all_rows + r] = (int)(level->first_row + r);
}

/* Of some blocks. A block has at most as many roots as rows. */
static void set_shape(struct starfish_level *level, const struct blocks *b, enum starfish_reduction_form form)
{
    for (size_t i = 0; i < b->end; i++)
        *(i < b->first ? &level->first_row : &level->rows) += (size_t)b->source->block[i].separators;
    for (size_t v = 0; v < b->source->neighbours; v++)
        level->neighbours += (size_t)has_neighbour(b, v);
    level->form = form;
    level->sums.groups = form == STARFISH_FRACTION_FORM ? b->end - b->first : 0;
    for (size_t i = b->first; i < b->end && level->sums.groups > 0; i++) {
        const size_t roots = (size_t)(b->source->block[i].hi - b->source->block[i].lo) + 1;
        level->sums.most_roots = starfish_larger(level->sums.most_roots, roots);
        level->sums.block_rows += roots;
    }
}

/* Where the lists of some blocks lie; what the level's lists share is laid out. */
static void lay_out_lists(struct tables *tables, struct starfish_level *level, const struct blocks *b)
{
    const size_t neighbours = level->neighbours, blocks = b->end - b->first;
    level->neighbour_level = tables->int_count;
    level->neighbour_row = level->neighbour_level + neighbours;
    level->vector_block = level->neighbour_row + neighbours;
    level->zeros = level->vector_block + neighbours;
    level->all_rows = level->zeros + starfish_larger(neighbours, level->rows);
    tables->int_count = level->all_rows + level->rows;
    if (!b->sums) {
        add_chains(tables, &level->chains.reduce, level->vectors);
        add_chains(tables, &level->chains.influence, level->vectors);
        add_chains(tables, &level->chains.solve, blocks);
        return;
    }
    level->sums.roots = b->sums->first_root[b->end] - b->sums->first_root[b->first];
    level->sums.first_root = tables->int_count;
    tables->int_count += blocks + 1;
    add_sums(tables, &level->sums.reduce, blocks);
    add_sums(tables, &level->sums.substitute, blocks);
}

static void fill_lists(struct tables *tables, struct starfish_level *level, const struct blocks *b,
                       const struct place *place)
{
    fill_rows(tables, level, b, place);
    if (b->sums)
        fill_sum_rows(tables, level, b);
    else
        fill_chains(tables, level, b);
}

/* The roots of all blocks, and what goes with each. */
static void lay_out_roots(struct tables *tables, struct starfish_level *level, const struct blocks *b)
{
    const struct starfish_fractions_level *sums = b->sums;
    if (sums) {
        tables->real_count = sums->roots;
        add_weights(tables, &level->sums.reduce, sums->separators, 2, sums->roots);
        add_weights(tables, &level->sums.substitute, sums->separators + 2, sums->separators, sums->roots);
    } else {
        level->chains.total_steps = b->source->steps;
        tables->real_count = 3 * b->source->steps;
    }
}

/* All blocks of a level, and those of each subtree, have lists of their own in the same tables. */
static starfish_status make_tables(struct starfish_level *const level[], const struct blocks *blocks, size_t parts,
                                   const struct place *place, starfish_precision precision)
{
    struct tables tables = {NULL, NULL, 0, 0};
    lay_out_roots(&tables, level[0], &blocks[0]);
    for (size_t p = 0; p < parts; p++) {
        level[p]->chains.total_steps = level[0]->chains.total_steps;
        level[p]->sums.reduce = level[0]->sums.reduce;
        level[p]->sums.substitute = level[0]->sums.substitute;
        order_neighbours(&blocks[p], level[p]);
        lay_out_lists(&tables, level[p], &blocks[p]);
    }
    tables.ints = calloc(tables.int_count + 1, sizeof *tables.ints);
    tables.reals = calloc(tables.real_count + 1, sizeof *tables.reals);
    starfish_status status =
        STARFISH_OR_FAIL(tables.ints && tables.reals, STARFISH_ERROR_MEMORY, "out of memory for tables of a level");
    if (status == STARFISH_SUCCESS) {
        if (blocks->sums)
            fill_sum_weights(&tables, level[0], blocks->sums);
        else
            fill_steps(&tables, blocks->source);
        for (size_t p = 0; p < parts; p++)
            fill_lists(&tables, level[p], &blocks[p], place);
        status = starfish_coefficient_table_ints(&level[0]->ints, tables.ints, tables.int_count);
    }
    STARFISH_THEN(status,
                  starfish_coefficient_table_reals(&level[0]->reals, precision, tables.reals, tables.real_count));
    for (size_t p = 1; p < parts; p++) {
        level[p]->ints = level[0]->ints;
        level[p]->reals = level[0]->reals;
    }
    free(tables.ints);
    free(tables.reals);
    return status;
}

/* ---- Subtrees ---------------------------------------------------------------------------------------------------- */

size_t starfish_reduction_subtrees(const struct starfish_reduction *reduction, size_t first[STARFISH_SUBTREES + 1])
{
    for (size_t l = 1; l < reduction->levels; l++) {
        const struct starfish_reduction_level *level = &reduction->level[l];
        if (level->blocks < STARFISH_SUBTREES)
            continue;
        for (size_t t = 0; t < STARFISH_SUBTREES; t++)
            first[t] = (size_t)level->block[t].lo;
        first[STARFISH_SUBTREES] = reduction->n;
        /* Of a ring the first subtree acts on the last row, which arrives last. */
        return level->blocks == STARFISH_SUBTREES && level->block[0].lower < 0 ? l : 0;
    }
    return 0;
}

/* Whether slabs begin where subtrees do, and then which. */
static void find_subtrees(struct starfish_spectral *s, const struct starfish_reduction *reduction)
{
    size_t first[STARFISH_SUBTREES + 1], slab = 0;
    s->trunk = s->subtrees ? starfish_reduction_subtrees(reduction, first) : 0;
    for (size_t t = 0; t <= STARFISH_SUBTREES && s->trunk > 0; t++) {
        while (slab < s->cut.parts && s->cut.first[slab] < first[t])
            slab++;
        s->first_slab[t] = slab;
        if (s->cut.first[slab] != first[t])
            s->trunk = 0;
    }
}

/* The blocks of subtree t. */
static struct blocks blocks_of(const struct starfish_spectral *s, const struct starfish_reduction_level *source,
                               const struct starfish_fractions_level *sums, size_t t)
{
    struct blocks b = {.source = source, .sums = sums};
    const size_t first = s->cut.first[s->first_slab[t]], end = s->cut.first[s->first_slab[t + 1]];
    for (size_t i = 0; i < source->blocks; i++) {
        b.first += (size_t)source->block[i].lo < first;
        b.end += (size_t)source->block[i].lo < end;
    }
    return b;
}

/* Of a level of the trunk: the rows that are planes of the slabs of subtree t. */
static void count_rows(const struct starfish_spectral *s, const struct starfish_reduction_level *source, size_t t,
                       struct starfish_level *level)
{
    const size_t first = s->cut.first[s->first_slab[t]], end = s->cut.first[s->first_slab[t + 1]];
    for (size_t b = 0; b < source->blocks; b++)
        for (int i = 0; i < source->block[b].separators; i++) {
            const size_t plane = (size_t)source->block[b].separator[i];
            level->first_row += plane < first;
            level->rows += plane >= first && plane < end;
        }
}

void starfish_reduction_shapes(struct starfish_spectral *s, const struct starfish_reduction *reduction,
                               enum starfish_reduction_form form)
{
    s->levels = reduction->levels;
    find_subtrees(s, reduction);
    for (size_t l = 0; l < s->levels; l++) {
        const struct blocks all = {.source = &reduction->level[l], .end = reduction->level[l].blocks};
        set_shape(&s->level[l], &all, form);
        for (size_t t = 0; t < STARFISH_SUBTREES && s->trunk > 0; t++) {
            const struct blocks some = blocks_of(s, &reduction->level[l], NULL, t);
            if (l < s->trunk)
                count_rows(s, &reduction->level[l], t, &s->subtree[t][l]);
            else
                set_shape(&s->subtree[t][l], &some, form);
        }
    }
}

static starfish_status make_level(struct starfish_spectral *s, size_t l, const struct starfish_reduction *reduction,
                                  const struct starfish_fractions *fractions, const struct place *place)
{
    const struct starfish_reduction_level *source = &reduction->level[l];
    const struct starfish_fractions_level *sums = fractions ? &fractions->level[l] : NULL;
    const size_t parts = s->trunk > 0 && l >= s->trunk ? 1 + STARFISH_SUBTREES : 1;
    struct blocks blocks[1 + STARFISH_SUBTREES] = {{.source = source, .sums = sums, .end = source->blocks}};
    struct starfish_level *level[1 + STARFISH_SUBTREES] = {&s->level[l]};
    size_t *at = calloc(parts * (source->neighbours + 1), sizeof *at);
    STARFISH_FAIL_IF(!at, STARFISH_ERROR_MEMORY, "out of memory for tables of a level");
    for (size_t p = 0; p < parts; p++) {
        if (p > 0) {
            level[p] = &s->subtree[p - 1][l];
            blocks[p] = blocks_of(s, source, sums, p - 1);
        }
        blocks[p].at = at + p * source->neighbours;
        const int is_singular = l == 0 && s->singular;
        level[p]->chains.pinned_step = is_singular && !fractions ? reduction->zero_root_step : -1;
        level[p]->sums.pinned_root = is_singular && fractions ? (int)fractions->zero_root : -1;
    }
    const starfish_status status = make_tables(level, blocks, parts, place, s->precision);
    free(at);
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
    for (size_t l = 0; l < reduction->levels; l++)
        STARFISH_TRY(make_level(s, l, reduction, fractions, place));
    return STARFISH_SUCCESS;
}

static starfish_status register_arrays(struct starfish_spectral *s)
{
    for (size_t b = 0; b < s->modes.parts; b++)
        for (size_t l = 0; l < s->levels; l++) {
            const size_t modes = starfish_runs_rows(&s->modes, b);
            STARFISH_TRY(starfish_array_register(&s->level_array[b][l], s->level[l].rows * modes * s->n[s->line_axis],
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
    starfish_reduction_shapes(s, reduction, fractions ? STARFISH_FRACTION_FORM : STARFISH_PRODUCT_FORM);
    struct place *place = calloc(reduction->n, sizeof *place);
    STARFISH_FAIL_IF(!place, STARFISH_ERROR_MEMORY, "out of memory for tables of rows");
    starfish_status status = make_levels(s, reduction, fractions, place);
    free(place);
    return status == STARFISH_SUCCESS ? register_arrays(s) : status;
}

/* ---- Graph ----------------------------------------------------------------------------------------------------- */

struct starfish_reduction_block starfish_reduction_block_of(const struct starfish_spectral *s, size_t block)
{
    return (struct starfish_reduction_block){
        .precision = s->precision,
        .n = s->n[s->line_axis],
        .numbers = s->numbers,
        .lanes = starfish_runs_rows(&s->modes, block) / starfish_tridiag_parts(s->numbers),
        .periodic = s->line_periodic,
        .shift = s->lambda,
        .has_constant_mode = s->singular && block == 0,
        .weighted = s->line_axis == 2,
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

/* A subtree, or all of the tree. */
struct tree {
    const struct starfish_level *level;
    size_t first_slab, slabs, top; /* levels `top` and below */
    int priority, some;
};

static struct tree tree_of(const struct starfish_spectral *s, size_t t)
{
    if (t == STARFISH_WHOLE_TREE)
        return (struct tree){.level = s->level, .slabs = s->cut.parts};
    const size_t first = s->first_slab[t];
    return (struct tree){.level = s->subtree[t],
                         .first_slab = first,
                         .slabs = s->first_slab[t + 1] - first,
                         .top = s->trunk,
                         .priority = starfish_spectral_priority(s, first),
                         .some = t > 0};
}

static starfish_status submit_rows(struct starfish_spectral *s, struct starfish_progress *progress, size_t block,
                                   const struct tree *tree, int to_levels)
{
    const struct starfish_rows_task task = {.precision = s->precision,
                                            .to_levels = to_levels,
                                            .priority = to_levels ? 0 : tree->priority,
                                            .width = starfish_runs_rows(&s->modes, block) *
                                                     (s->line_axis == 1 ? s->n[1] : 1),
                                            .pieces = s->pieces,
                                            .first_tile = tree->first_slab,
                                            .tiles = tree->slabs,
                                            .levels = s->levels,
                                            .tile = s->tile[block],
                                            .level = s->level_array[block],
                                            .shape = tree->level,
                                            .some = tree->some,
                                            .places = s->places.handle,
                                            .factors = s->factors.handle,
                                            .device = starfish_runs_owner(&s->modes, block).device};
    return starfish_submit_rows(progress, STARFISH_PHASE_MODES, &task);
}

/* From the leaves up to level `top`, which has something above it. */
static starfish_status reduce(struct starfish_progress *progress, const struct starfish_reduction_block *block,
                              const struct starfish_level *level, size_t end, size_t top)
{
    for (size_t depth = end; depth-- > starfish_larger(top, 1);) {
        const struct starfish_level_task task = {.block = block, .levels = level, .depth = depth};
        STARFISH_TRY(starfish_submit_level(progress, STARFISH_PHASE_MODES, &task));
    }
    return STARFISH_SUCCESS;
}

static starfish_status substitute(struct starfish_progress *progress, const struct starfish_reduction_block *block,
                                  const struct tree *tree, size_t end)
{
    for (size_t depth = tree->top; depth < end; depth++) {
        const struct starfish_level_task task = {
            .block = block, .levels = tree->level, .depth = depth, .substitutes = 1, .priority = tree->priority};
        STARFISH_TRY(starfish_submit_level(progress, STARFISH_PHASE_MODES, &task));
    }
    return STARFISH_SUCCESS;
}

starfish_status starfish_graph_reduction(struct starfish_spectral *s, struct starfish_progress *progress, size_t block,
                                         size_t t)
{
    const struct starfish_reduction_block description = starfish_reduction_block_of(s, block);
    const struct tree tree = tree_of(s, t);
    STARFISH_TRY(submit_rows(s, progress, block, &tree, 1));
    return reduce(progress, &description, tree.level, s->levels, tree.top);
}

starfish_status starfish_graph_trunk(struct starfish_spectral *s, struct starfish_progress *progress, size_t block)
{
    const struct starfish_reduction_block description = starfish_reduction_block_of(s, block);
    const struct tree whole = tree_of(s, STARFISH_WHOLE_TREE);
    STARFISH_TRY(reduce(progress, &description, s->level, s->trunk, 0));
    return substitute(progress, &description, &whole, s->trunk);
}

starfish_status starfish_graph_substitution(struct starfish_spectral *s, struct starfish_progress *progress,
                                            size_t block, size_t t)
{
    const struct starfish_reduction_block description = starfish_reduction_block_of(s, block);
    const struct tree tree = tree_of(s, t);
    STARFISH_TRY(substitute(progress, &description, &tree, s->levels));
    return submit_rows(s, progress, block, &tree, 0);
}

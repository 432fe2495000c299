/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tasks: one level of block cyclic reduction (cyclic_reduction.h): chains or sums of shifted solves, gathered rows, and
 * their differences. */
#include "codelets/cyclic_reduction.h"

#include "codelets/kernel_pair.h"
#include "codelets/reduction_team.h"

#include <math.h>
#include <string.h>

struct arguments {
    struct starfish_task_header header;
    struct starfish_reduction_block block; /* its handles are not used in the task */
    const struct starfish_level *level;
    size_t depth;
};

STARFISH_PLACE_KERNEL(launch_chain, starfish_tridiag_chain)
STARFISH_PLACE_KERNEL(launch_sums, starfish_shifted_sums)

/* What a level's kernels run on: the same sequence serves both kinds of worker. */
static void run_chain(const struct starfish_place *place, const struct arguments *a,
                      const struct starfish_tridiag_chain *chain)
{
    if (!place->gpu)
        starfish_team_chain(a->header.progress->context, place->precision, chain);
    else
        starfish_task_check(&a->header, "tridiagonal chain", launch_chain(place, chain));
}

static void run_sums(const struct starfish_place *place, const struct arguments *a,
                     const struct starfish_shifted_sums *sums)
{
    if (!place->gpu)
        starfish_team_sums(a->header.progress->context, place->precision, sums);
    else
        starfish_task_check(&a->header, "sums of tridiagonal solves", launch_sums(place, sums));
}

static void run_rows(const struct starfish_place *place, const struct arguments *a, const struct starfish_rows *rows,
                     enum starfish_rows_operation operation)
{
    starfish_task_check(&a->header, "rows", starfish_rows_at(place, a->header.progress->context, rows, operation));
}

/* Data: ints, reals, line, shift_x, then the arrays of levels 0 .. depth. */
enum { DATA_INTS, DATA_REALS, DATA_LINE, DATA_SHIFT_X, DATA_LEVELS };

static size_t width_of(const struct arguments *a)
{
    return a->block.n * a->block.lanes * starfish_tridiag_parts(a->block.numbers);
}

static struct starfish_tridiag_operator line_of(void *buffers[], const struct arguments *a)
{
    const size_t reals = a->block.numbers == STARFISH_TRIDIAG_COMPLEX_LINES ? 2 * a->block.n : a->block.n;
    void *line = STARFISH_VECTOR(buffers, DATA_LINE);
    return (struct starfish_tridiag_operator){
        .n = a->block.n,
        .periodic = a->block.periodic,
        .lower = line,
        .diag = starfish_real_at(line, a->block.precision, reals),
        .upper = starfish_real_at(line, a->block.precision, 2 * reals),
        .weight = a->block.weighted ? starfish_real_at(line, a->block.precision, 3 * reals) : NULL,
        .numbers = a->block.numbers};
}

static struct starfish_tridiag_chain chain_of(void *buffers[], const struct arguments *a,
                                              const struct starfish_chain_batch *batch)
{
    const starfish_precision precision = a->block.precision;
    const size_t total = a->level->chains.total_steps;
    const int *ints = STARFISH_VECTOR(buffers, DATA_INTS);
    void *reals = STARFISH_VECTOR(buffers, DATA_REALS);
    return (struct starfish_tridiag_chain){
        .line = line_of(buffers, a),
        .lanes = a->block.lanes,
        .shift_lane = starfish_real_at(STARFISH_VECTOR(buffers, DATA_SHIFT_X), precision, a->block.first_mode),
        .shift = a->block.shift,
        .vectors = batch->vectors,
        .max_steps = batch->max_steps,
        .input_row = ints + batch->input_row,
        .first_step = ints + batch->first_step,
        .steps = ints + batch->steps,
        .scale = starfish_real_at(reals, precision, batch->scale),
        .mu = reals,
        .keep = starfish_real_at(reals, precision, total),
        .gain = starfish_real_at(reals, precision, 2 * total),
        .pinned_step = -1,
        .method = a->block.method,
    };
}

static struct starfish_shifted_sums sums_of(void *buffers[], const struct arguments *a,
                                            const struct starfish_sum_batch *batch)
{
    const starfish_precision precision = a->block.precision;
    const int *ints = STARFISH_VECTOR(buffers, DATA_INTS);
    void *reals = STARFISH_VECTOR(buffers, DATA_REALS);
    return (struct starfish_shifted_sums){
        .line = line_of(buffers, a),
        .lanes = a->block.lanes,
        .shift_lane = starfish_real_at(STARFISH_VECTOR(buffers, DATA_SHIFT_X), precision, a->block.first_mode),
        .shift = a->block.shift,
        .groups = a->level->sums.groups,
        .most_roots = a->level->sums.most_roots,
        .inputs = batch->inputs,
        .outputs = batch->outputs,
        .first_root = ints + a->level->sums.first_root,
        .input_row = ints + batch->input_row,
        .output_row = ints + batch->output_row,
        .mu = reals,
        .input_weight = starfish_real_at(reals, precision, batch->input_weight),
        .output_weight = starfish_real_at(reals, precision, batch->output_weight),
        .pinned_root = -1,
    };
}

/* The rows `first` .. `first + count - 1` of the neighbour list, in the arrays of the levels above, and the vectors
 * from `vector` on. */
static struct starfish_rows neighbour_rows(void *buffers[], const struct arguments *a, void *buffer, size_t first,
                                           size_t count, size_t vector)
{
    const int *ints = STARFISH_VECTOR(buffers, DATA_INTS);
    struct starfish_rows rows = {.width = width_of(a),
                                 .count = count,
                                 .which = ints + a->level->neighbour_level + first,
                                 .position = ints + a->level->neighbour_row + first,
                                 .buffer = starfish_real_at(buffer, a->block.precision, vector * width_of(a))};
    for (size_t l = 0; l < a->depth; l++)
        rows.array[l] = STARFISH_VECTOR(buffers, DATA_LEVELS + l);
    return rows;
}

/* The same for rows of the level itself, at positions listed from `position` on. */
static struct starfish_rows own_rows(void *buffers[], const struct arguments *a, void *buffer, size_t position,
                                     size_t first, size_t count)
{
    const int *ints = STARFISH_VECTOR(buffers, DATA_INTS);
    return (struct starfish_rows){.width = width_of(a),
                                  .count = count,
                                  .array = {STARFISH_VECTOR(buffers, DATA_LEVELS + a->depth)},
                                  .which = ints + a->level->zeros,
                                  .position = ints + position + first,
                                  .buffer = starfish_real_at(buffer, a->block.precision, first * width_of(a))};
}

/* Of the vectors in `buffer`; a shared one counts for both its neighbours. */
static void subtract_from_neighbours(const struct starfish_place *place, void *buffers[], const struct arguments *a,
                                     void *buffer)
{
    const struct starfish_level *level = a->level;
    const size_t upper = level->first_lower, lower = level->vectors - upper,
                 shared = level->neighbours - level->vectors;
    const struct starfish_rows part[] = {
        neighbour_rows(buffers, a, buffer, 0, upper, 0),
        neighbour_rows(buffers, a, buffer, upper, lower, upper),
        neighbour_rows(buffers, a, buffer, level->vectors, shared, upper),
    };
    for (int p = 0; p < 3; p++)
        run_rows(place, a, &part[p], STARFISH_ROWS_SUBTRACT);
}

static void reduce_here(const struct starfish_place *place, void *buffers[], const struct arguments *a)
{
    const struct starfish_level *level = a->level;
    void *buffer = starfish_workspace_here(a->block.workspace);
    struct starfish_tridiag_chain chain = chain_of(buffers, a, &level->chains.reduce);
    chain.input = STARFISH_VECTOR(buffers, DATA_LEVELS + a->depth);
    chain.output = buffer;
    chain.workspace = starfish_real_at(buffer, a->block.precision, level->neighbours * width_of(a));
    run_chain(place, a, &chain);
    subtract_from_neighbours(place, buffers, a, buffer);
}

static void reduce_sums_here(const struct starfish_place *place, void *buffers[], const struct arguments *a)
{
    const struct starfish_level *level = a->level;
    void *buffer = starfish_workspace_here(a->block.workspace);
    struct starfish_shifted_sums sums = sums_of(buffers, a, &level->sums.reduce);
    sums.input = STARFISH_VECTOR(buffers, DATA_LEVELS + a->depth);
    sums.output = buffer;
    sums.workspace = starfish_real_at(buffer, a->block.precision, level->neighbours * width_of(a));
    run_sums(place, a, &sums);
    subtract_from_neighbours(place, buffers, a, buffer);
}

/* Subtract from each separator's right-hand side what its known neighbours contribute. */
static void add_influence(const struct starfish_place *place, void *buffers[], const struct arguments *a, void *from,
                          void *to, void *chain_workspace)
{
    const struct starfish_level *level = a->level;
    const struct starfish_rows known = neighbour_rows(buffers, a, from, 0, level->vectors, 0);
    const struct starfish_rows shared =
        neighbour_rows(buffers, a, from, level->vectors, level->neighbours - level->vectors, level->first_lower);
    run_rows(place, a, &known, STARFISH_ROWS_GATHER);
    run_rows(place, a, &shared, STARFISH_ROWS_ADD);

    struct starfish_tridiag_chain chain = chain_of(buffers, a, &level->chains.influence);
    chain.input = from;
    chain.output = to;
    chain.workspace = chain_workspace;
    run_chain(place, a, &chain);

    const struct starfish_rows upper = own_rows(buffers, a, to, level->vector_block, 0, level->first_lower);
    const struct starfish_rows lower =
        own_rows(buffers, a, to, level->vector_block, level->first_lower, level->vectors - level->first_lower);
    run_rows(place, a, &upper, STARFISH_ROWS_SUBTRACT);
    run_rows(place, a, &lower, STARFISH_ROWS_SUBTRACT);
}

static void substitute_here(const struct starfish_place *place, void *buffers[], const struct arguments *a)
{
    const struct starfish_level *level = a->level;
    const size_t most = level->rows > level->neighbours ? level->rows : level->neighbours;
    void *first = starfish_workspace_here(a->block.workspace);
    void *second = starfish_real_at(first, a->block.precision, most * width_of(a));
    void *chain_workspace = starfish_real_at(second, a->block.precision, most * width_of(a));
    if (level->neighbours > 0)
        add_influence(place, buffers, a, first, second, chain_workspace);

    struct starfish_tridiag_chain chain = chain_of(buffers, a, &level->chains.solve);
    chain.input = STARFISH_VECTOR(buffers, DATA_LEVELS + a->depth);
    chain.output = first;
    chain.workspace = chain_workspace;
    chain.pinned_step = a->block.has_constant_mode ? level->chains.pinned_step : -1;
    run_chain(place, a, &chain);
    const struct starfish_rows solved = own_rows(buffers, a, first, level->all_rows, 0, level->rows);
    run_rows(place, a, &solved, STARFISH_ROWS_SCATTER);
}

/* The sums read copies, neighbours first, and write the level's rows. */
static void substitute_sums_here(const struct starfish_place *place, void *buffers[], const struct arguments *a)
{
    const struct starfish_level *level = a->level;
    void *copies = starfish_workspace_here(a->block.workspace);
    void *own = starfish_real_at(copies, a->block.precision, level->neighbours * width_of(a));
    const struct starfish_rows known = neighbour_rows(buffers, a, copies, 0, level->neighbours, 0);
    const struct starfish_rows separators = own_rows(buffers, a, own, level->all_rows, 0, level->rows);
    run_rows(place, a, &known, STARFISH_ROWS_GATHER);
    run_rows(place, a, &separators, STARFISH_ROWS_GATHER);

    struct starfish_shifted_sums sums = sums_of(buffers, a, &level->sums.substitute);
    sums.input = copies;
    sums.output = STARFISH_VECTOR(buffers, DATA_LEVELS + a->depth);
    sums.workspace = starfish_real_at(own, a->block.precision, level->rows * width_of(a));
    sums.pinned_root = a->block.has_constant_mode ? level->sums.pinned_root : -1;
    run_sums(place, a, &sums);
}

STARFISH_PLACE_CODELET(reduce, arguments, a->block.precision, "blktri_reduce", 0x228833);
STARFISH_PLACE_CODELET(substitute, arguments, a->block.precision, "blktri_substitute", 0xee6677);
STARFISH_PLACE_CODELET(reduce_sums, arguments, a->block.precision, "blktri_reduce_sums", 0x117733);
STARFISH_PLACE_CODELET(substitute_sums, arguments, a->block.precision, "blktri_substitute_sums", 0xaa3377);

static size_t chain_workspace(starfish_worker_kind kind, const struct starfish_level *level, size_t n, size_t lanes,
                              int periodic, size_t size)
{
    const size_t most = level->rows > level->neighbours ? level->rows : level->neighbours;
    size_t chain = 0;
    if (kind == STARFISH_CPU)
        chain = starfish_team_chain_workspace(n, lanes, most, periodic, size);
#ifdef STARFISH_HAVE_GPU
    else
        chain = starfish_tridiag_chain_workspace_cuda(n, lanes, most, periodic, size);
#endif
    return 2 * most * n * lanes * size + chain;
}

static size_t sums_workspace(starfish_worker_kind kind, const struct starfish_level *level, size_t n, size_t lanes,
                             int periodic, size_t size)
{
    size_t sums = 0;
    if (kind == STARFISH_CPU)
        sums = starfish_team_sums_workspace(n, lanes, level->sums.groups, periodic, size);
#ifdef STARFISH_HAVE_GPU
    else
        sums = starfish_shifted_sums_workspace_cuda(n, lanes, level->sums.groups, level->sums.most_roots,
                                                    STARFISH_SHIFTED_SUMS_OUTPUTS, periodic, size);
#endif
    return (level->neighbours + level->rows) * n * lanes * size + sums;
}

size_t starfish_reduction_workspace(starfish_worker_kind kind, const struct starfish_level *level, size_t n,
                                    size_t lanes, int periodic, starfish_precision precision,
                                    enum starfish_tridiag_numbers numbers)
{
    const size_t size = starfish_tridiag_element_size(numbers, starfish_real_size(precision));
    return level->form == STARFISH_PRODUCT_FORM ? chain_workspace(kind, level, n, lanes, periodic, size)
                                                : sums_workspace(kind, level, n, lanes, periodic, size);
}

static int device_of(const struct starfish_reduction_block *block, size_t depth)
{
    if (block->split < 0)
        return block->device;
    return depth < (size_t)block->split ? STARFISH_CORES : STARFISH_GPUS;
}

/* Of chains: an elimination for every step and keep x + gain w, and the difference of what neighbours get, or give. */
static double chain_operations(const struct starfish_level *level, int substitutes)
{
    const struct starfish_level_chains *chains = &level->chains;
    const size_t steps = substitutes ? chains->influence.total + chains->solve.total : chains->reduce.total;
    return (8.0 + 3) * (double)steps + (double)level->neighbours;
}

/* Of sums of solves: an elimination for every root, of what is added up before, and added to sums after it. */
static double sum_operations(const struct starfish_level *level, int substitutes)
{
    const struct starfish_sum_batch *batch = substitutes ? &level->sums.substitute : &level->sums.reduce;
    return (8 + 2.0 * (batch->inputs + batch->outputs)) * (double)level->sums.roots;
}

/* A complex product and sum are four of reals. */
static double flops_of(const struct starfish_reduction_block *block, const struct starfish_level *level,
                       int substitutes)
{
    const double of_number = block->numbers == STARFISH_TRIDIAG_REAL ? 1 : 4;
    const double of_element = level->form == STARFISH_PRODUCT_FORM ? chain_operations(level, substitutes)
                                                                   : sum_operations(level, substitutes);
    return of_number * of_element * (double)(block->n * block->lanes);
}

/* What a level's footprint is made of: rows of blocks instead of roots, so that problems of one size share their
 * models, whatever roots are left out. */
enum level_size {
    SIZE_PRECISION,
    SIZE_NUMBERS,
    SIZE_LINE,
    SIZE_LANES,
    SIZE_PERIODIC,
    SIZE_ROWS,
    SIZE_DEPTH,
    SIZE_METHOD,
    SIZE_STEPS,
    SIZE_LONGEST,
    LEVEL_SIZES
};

/* Chains take their steps one after the other, each a solve of a line, by vectors and lanes side by side: on few of
 * them a step is a latency, which grows with the line; on many it is arithmetic. */
static int chain_growth(const size_t *sizes, size_t count, double term[STARFISH_GROWTH_TERMS])
{
    if (count != LEVEL_SIZES || sizes[SIZE_ROWS] == 0)
        return 0;
    const double number =
        (double)starfish_tridiag_element_size((enum starfish_tridiag_numbers)sizes[SIZE_NUMBERS],
                                              starfish_real_size((starfish_precision)sizes[SIZE_PRECISION]));
    const double n = (double)sizes[SIZE_LINE], lanes = (double)sizes[SIZE_LANES], rows = (double)sizes[SIZE_ROWS];
    const double steps = fmax((double)sizes[SIZE_LONGEST], 1);
    const double bytes = n * lanes * number;
    const double terms[STARFISH_GROWTH_TERMS] = {
        1, steps, steps * n, steps * bytes, (double)sizes[SIZE_STEPS] * bytes, rows * bytes};
    memcpy(term, terms, sizeof terms);
    return 1;
}

/* Steps of the longest chains, or roots of the largest block. */
static size_t longest_of(const struct starfish_level *level, int substitutes)
{
    const struct starfish_level_chains *chains = &level->chains;
    if (level->form == STARFISH_FRACTION_FORM)
        return level->sums.most_roots;
    return (size_t)(substitutes ? chains->influence.max_steps + chains->solve.max_steps : chains->reduce.max_steps);
}

static struct starpu_codelet *codelet_of(const struct starfish_level *level, int substitutes)
{
    if (level->form == STARFISH_PRODUCT_FORM)
        return substitutes ? &substitute_codelet : &reduce_codelet;
    return substitutes ? &substitute_sums_codelet : &reduce_sums_codelet;
}

static void describe(struct starfish_progress *progress, int phase, const struct starfish_level_task *d,
                     struct starfish_task *task, struct arguments *arguments)
{
    /* Reduction reads a level and adds to those above, substitution the other way round. */
    const enum starpu_data_access_mode own = d->substitutes ? STARPU_RW : STARPU_R;
    const enum starpu_data_access_mode above = d->substitutes ? STARPU_R : STARPU_RW;
    const struct starfish_reduction_block *block = d->block;
    const struct starfish_level *level = &d->levels[d->depth];
    starfish_task_begin(task, codelet_of(level, d->substitutes), progress, phase);
    task->name = d->substitutes ? "substitute" : "reduce";
    task->device = device_of(block, d->depth);
    task->step = starfish_reduction_step(d->depth, d->substitutes);
    task->priority = d->priority;
    task->width = block->lanes * (level->form == STARFISH_PRODUCT_FORM ? level->rows : level->sums.roots);
    task->flops = flops_of(block, level, d->substitutes);
    starfish_task_at(task, "block", block->level[d->depth], 0);
    starfish_task_at(task, "level", block->level[d->depth], 1);
    starfish_task_data(task, level->ints.handle, STARPU_R);
    starfish_task_data(task, level->reals.handle, STARPU_R);
    starfish_task_data(task, block->line, STARPU_R);
    starfish_task_data(task, block->shift_x, STARPU_R);
    for (size_t l = 0; l < d->depth; l++)
        starfish_task_data(task, block->level[l], above);
    starfish_task_data(task, block->level[d->depth], own);

    *arguments = (struct arguments){.block = *block, .level = level, .depth = d->depth};
    const size_t sizes[LEVEL_SIZES] = {
        [SIZE_PRECISION] = block->precision,
        [SIZE_NUMBERS] = (size_t)block->numbers,
        [SIZE_LINE] = block->n,
        [SIZE_LANES] = block->lanes,
        [SIZE_PERIODIC] = (size_t)block->periodic,
        [SIZE_ROWS] = level->rows,
        [SIZE_DEPTH] = d->depth,
        [SIZE_METHOD] = (size_t)block->method,
        [SIZE_STEPS] = level->chains.total_steps + level->sums.block_rows,
        [SIZE_LONGEST] = longest_of(level, d->substitutes),
    };
    arguments->header.footprint = starfish_footprint_of(sizes, LEVEL_SIZES);
    arguments->header.growth = level->form == STARFISH_PRODUCT_FORM ? chain_growth : NULL;
}

starfish_status starfish_submit_level(struct starfish_progress *progress, int phase,
                                      const struct starfish_level_task *description)
{
    struct starfish_task task;
    struct arguments arguments;
    describe(progress, phase, description, &task, &arguments);
    return starfish_task_submit(&task, &arguments, sizeof arguments);
}

starfish_status starfish_level_expect(struct starfish_progress *progress, const struct starfish_level_task *description,
                                      double seconds[STARFISH_WORKER_KINDS])
{
    struct starfish_task task;
    struct arguments arguments;
    describe(progress, 0, description, &task, &arguments);
    return starfish_task_expect(&task, &arguments, sizeof arguments, seconds);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Creates a plan: checks the options, cuts the lines into pieces, registers the coefficients, prepares. */
#include "tridiag/plan.h"

#include "base/arithmetic.h"
#include "base/options.h"
#include "base/real.h"
#include "scheduler/runtime/memory.h"
#include "scheduler/runtime/team.h"
#include "tridiag/layout.h"

#include <math.h>

/* A task should be worth 100 microseconds of a core; pieces of lines side by side begin at a cache line of the GPU. */
enum { UNKNOWNS_PER_PIECE = 32768, LINES_TOGETHER = 32, PIECES_PER_CORE = 2, PIECES_PER_GPU = 4 };
/* Where GPUs and teams of cores share a batch: enough to divide it by, each worth a copy to a GPU. Smaller batches are
 * cut for GPUs, and the policy finds the worker of each piece. */
enum { SHARED_PIECES = 32, SHARED_UNKNOWNS_PER_PIECE = 1 << 18, FEWEST_SHARED_PIECES = 8 };
enum { DOUBLES_OF_GROWTH = sizeof(struct starfish_batch_growth) / sizeof(double) };
enum { LONGEST_LINE = 1 << 26, MOST_LINES = 1 << 22 };

/* ---- Problem and options ---------------------------------------------------------------------------------------- */

static starfish_status check_problem(const struct starfish_tridiag_problem *p)
{
    STARFISH_REFUSE_IF(p->n == 0 || p->n > LONGEST_LINE, "problem.n is %zu, not in 1..2^26", p->n);
    STARFISH_REFUSE_IF(p->lines == 0 || p->lines > MOST_LINES, "problem.lines is %zu, not in 1..2^22", p->lines);
    STARFISH_REFUSE_IF(p->rhs == 0 || p->rhs > UINT16_MAX, "problem.rhs is %zu, not in 1..65535", p->rhs);
    STARFISH_NEED(p->lower, "problem.lower");
    STARFISH_NEED(p->diag, "problem.diag");
    STARFISH_NEED(p->upper, "problem.upper");
    return starfish_batch_check_layouts(p);
}

static starfish_status check_options(const struct starfish_context *context, const struct starfish_tridiag_problem *p,
                                     const struct starfish_tridiag_options *o)
{
    STARFISH_REFUSE_ABOVE(p->lines, "slabs", o->slabs);
    STARFISH_REFUSE_IF(o->keep_factors && o->algorithm != STARFISH_ALGORITHM_THOMAS,
                       "options.keep_factors is for options.algorithm STARFISH_ALGORITHM_THOMAS");
    STARFISH_REFUSE_IF(o->check && o->algorithm == STARFISH_ALGORITHM_PIVOTED,
                       "options.check is for algorithms that do not pivot, not STARFISH_ALGORITHM_PIVOTED");
    const size_t longest = starfish_batch_longest_cuda(o->algorithm, starfish_real_size(o->precision));
    STARFISH_FAIL_IF(context->workers_of[STARFISH_GPU] > 0 && p->n > longest, STARFISH_ERROR_UNSUPPORTED,
                     "options.algorithm keeps a line in a GPU's shared memory: problem.n is %zu, at most %zu "
                     "fit; take STARFISH_ALGORITHM_AUTO, or a context without GPUs",
                     p->n, longest);
    return STARFISH_SUCCESS;
}

/* ---- Pieces ----------------------------------------------------------------------------------------------------- */

static size_t shared_pieces(const struct starfish_tridiag_plan *plan)
{
    const struct starfish_tridiag_problem *p = &plan->problem;
    const double worth = (double)p->n * (double)p->lines * (double)p->rhs / SHARED_UNKNOWNS_PER_PIECE;
    const size_t groups = p->lines / LINES_TOGETHER, most = groups < SHARED_PIECES ? groups : SHARED_PIECES;

    return worth < (double)most ? (size_t)worth : most;
}

/* GPUs must have room for what is theirs. */
static int can_share(const struct starfish_tridiag_plan *plan, enum starfish_residence coefficients)
{
    const struct starfish_context *context = plan->plan.context;

    return plan->options.slabs == 0 && context->workers_of[STARFISH_CPU] > 0 && context->workers_of[STARFISH_GPU] > 0 &&
           coefficients < STARFISH_ON_DEVICE && shared_pieces(plan) >= FEWEST_SHARED_PIECES;
}

static size_t choose_pieces(const struct starfish_tridiag_plan *plan, enum starfish_residence coefficients)
{
    const struct starfish_tridiag_problem *p = &plan->problem;
    const size_t cores = plan->plan.context->workers_of[STARFISH_CPU],
                 gpus = plan->plan.context->workers_of[STARFISH_GPU];
    const size_t worth = (size_t)((double)p->n * (double)p->lines * (double)p->rhs / UNKNOWNS_PER_PIECE) + 1;
    const size_t wanted = gpus == 0                            ? PIECES_PER_CORE * cores
                          : coefficients == STARFISH_ON_DEVICE ? gpus
                                                               : PIECES_PER_GPU * gpus;
    const size_t groups = (p->lines + LINES_TOGETHER - 1) / LINES_TOGETHER;
    size_t pieces = wanted < worth ? wanted : worth;

    pieces = pieces < groups ? pieces : groups;
    return pieces < STARFISH_BATCH_MOST_PIECES ? pieces : STARFISH_BATCH_MOST_PIECES;
}

static int has_border(const struct starfish_tridiag_plan *plan)
{
    return starfish_batch_has_border(&plan->piece[0].task.kernel);
}

static const void *at(const void *array, size_t index, size_t size)
{
    return array ? (const char *)array + index * size : NULL;
}

static starfish_status describe_piece(struct starfish_tridiag_plan *plan, size_t number)
{
    const struct starfish_tridiag_problem *p = &plan->problem;
    struct starfish_batch_piece *piece = &plan->piece[number];
    const size_t components = p->complex_rhs ? 2 : 1, first = starfish_batch_first_line(p->lines, plan->pieces, number),
                 lines = starfish_batch_first_line(p->lines, plan->pieces, number + 1) - first;
    const struct starfish_batch_extents coefficients = starfish_batch_coefficients(p);
    const struct starfish_batch_extents vectors = starfish_batch_vectors(p);

    piece->first_line = first;
    piece->task =
        (struct starfish_batch_task){.precision = plan->options.precision,
                                     .kernel = {.n = p->n,
                                                .lines = lines,
                                                .columns = p->rhs * components,
                                                .components = (int)components,
                                                .periodic = p->periodic != 0,
                                                .algorithm = plan->options.algorithm,
                                                .coefficients = p->coefficients,
                                                .vectors = {p->vectors.row * components, p->vectors.line * components},
                                                .column = p->rhs_stride * components},
                                     .coefficient_shape = starfish_batch_shape_of(&coefficients, lines),
                                     .vector_shape = starfish_batch_shape_of(&vectors, lines),
                                     .workspace = &plan->workspace};
    STARFISH_TRY(starfish_data_block_check("problem.coefficients", &piece->task.coefficient_shape.block));
    return starfish_data_block_check("problem.vectors", &piece->task.vector_shape.block);
}

static starfish_status register_coefficients(struct starfish_tridiag_plan *plan, struct starfish_batch_piece *piece)
{
    static const char *const names[] = {"problem.lower", "problem.diag", "problem.upper"};
    const struct starfish_tridiag_problem *p = &plan->problem;
    const void *const arrays[] = {p->lower, p->diag, p->upper};
    const size_t size = starfish_real_size(plan->options.precision);
    struct starfish_batch_task *task = &piece->task;

    for (int i = 0; i < 3; i++) {
        struct starfish_data_block_place lines = {.context = plan->plan.context,
                                                  .name = names[i],
                                                  .memory =
                                                      at(arrays[i], piece->first_line * p->coefficients.line, size),
                                                  .element_size = size};
        STARFISH_TRY(starfish_memory_place(plan->plan.context, names[i], arrays[i], &lines.node, NULL));
        STARFISH_TRY(starfish_data_block_register(&task->coefficient[i], &lines, &task->coefficient_shape.block));
        starfish_data_set_constant(task->coefficient[i], 1);
    }
    if (p->shift)
        STARFISH_TRY(starfish_array_over(&task->shift, plan->plan.context, "problem.shift",
                                         at(p->shift, piece->first_line, size), task->kernel.lines, size));
    starfish_data_set_constant(task->shift, 1);
    return STARFISH_SUCCESS;
}

/* Room for what prepare makes. The kernel's own pointers tell, before there are any, that it will be there. */
static starfish_status register_prepared(struct starfish_tridiag_plan *plan, struct starfish_batch_piece *piece)
{
    const size_t size = starfish_real_size(plan->options.precision);
    struct starfish_batch_task *task = &piece->task;
    const size_t matrices = plan->problem.coefficients.line == 0 && !plan->problem.shift ? 1 : task->kernel.lines;

    if (plan->options.keep_factors) {
        STARFISH_TRY(starfish_array_register(&piece->factors, 2 * matrices * task->kernel.n, size));
        task->factors = piece->factors;
    }
    if (starfish_batch_has_border(&task->kernel)) {
        STARFISH_TRY(starfish_array_register(&piece->border, matrices * task->kernel.n, size));
        task->border = piece->border;
    }
    if (plan->options.check) {
        STARFISH_TRY(starfish_coefficient_table_results(&piece->growth, matrices * DOUBLES_OF_GROWTH));
        task->growth = piece->growth.handle;
    }
    return STARFISH_SUCCESS;
}

/* The most that one of a team's cores needs for its run of the piece's lines. */
static size_t workspace_of_core(const struct starfish_batch *kernel, size_t cores, size_t size)
{
    const size_t runs = starfish_batch_runs(kernel, cores);
    size_t most = starfish_batch_workspace_cpu(kernel, size); /* preparing is one core's where there is one matrix */

    for (size_t run = 0; run < runs; run++) {
        const size_t first = starfish_batch_first_line(kernel->lines, runs, run);
        const struct starfish_batch part =
            starfish_batch_run(kernel, first, starfish_batch_first_line(kernel->lines, runs, run + 1) - first, size);
        const size_t bytes = starfish_batch_workspace_cpu(&part, size);
        most = bytes > most ? bytes : most;
    }
    return most;
}

/* Workspace depends on whether there are shifts, factors and growth, not on where. */
static void count_workspace(const struct starfish_tridiag_plan *plan, size_t bytes[STARFISH_WORKER_KINDS])
{
    const size_t size = starfish_real_size(plan->options.precision);
    const size_t cores = starfish_team_largest(plan->plan.context, STARFISH_CPU);
    size_t cpu = 0, gpu = 0;

    for (size_t i = 0; i < plan->pieces; i++) {
        static char there;
        static struct starfish_batch_growth growth;
        struct starfish_batch kernel = plan->piece[i].task.kernel;
        kernel.shift = plan->problem.shift ? &there : NULL;
        kernel.factors = plan->options.keep_factors ? &there : NULL;
        kernel.growth = plan->options.check ? &growth : NULL;
        const size_t on_cpu = workspace_of_core(&kernel, cores, size);
        const size_t on_gpu = starfish_batch_workspace_cuda(&kernel, size);
        cpu = on_cpu > cpu ? on_cpu : cpu;
        gpu = on_gpu > gpu ? on_gpu : gpu;
    }
    bytes[STARFISH_CPU] = cpu;
    bytes[STARFISH_GPU] = gpu;
}

/* ---- Memory ----------------------------------------------------------------------------------------------------- */

/* Of so many lines: coefficients, one set where all have the same; what is prepared; and right-hand sides and
 * solutions. */
static void count_lines(const struct starfish_tridiag_plan *plan, size_t lines, size_t *coefficients, size_t *prepared,
                        size_t *vectors)
{
    const struct starfish_tridiag_problem *p = &plan->problem;
    const size_t size = starfish_real_size(plan->options.precision), unknowns = p->n * lines;
    const int shared = p->coefficients.line == 0;

    *coefficients = 3 * (shared ? p->n : unknowns) * size + (p->shift ? lines * size : 0);
    *prepared = (plan->options.keep_factors ? 2 : 0) + (has_border(plan) ? 1 : 0);
    *prepared *= (shared && !p->shift ? p->n : unknowns) * size;
    *prepared += plan->options.check ? lines * sizeof(struct starfish_batch_growth) : 0;
    *vectors = 2 * unknowns * p->rhs * plan->element_size;
}

/* A task has a piece of all that. */
static void measure(struct starfish_tridiag_plan *plan)
{
    enum { BESIDE = 4096 };
    size_t work[STARFISH_WORKER_KINDS], coefficients, prepared, vectors, most = 0;

    for (size_t i = 0; i < plan->pieces; i++)
        most = plan->piece[i].task.kernel.lines > most ? plan->piece[i].task.kernel.lines : most;
    count_workspace(plan, work);
    count_lines(plan, plan->problem.lines, &coefficients, &prepared, &vectors);
    plan->plan.memory =
        (struct starfish_memory){.main_bytes = prepared + work[STARFISH_CPU] * plan->plan.context->workers,
                                 .gpu_work = work[STARFISH_GPU] + BESIDE,
                                 .gpu_data = coefficients + prepared + vectors};
    count_lines(plan, most, &coefficients, &prepared, &vectors);
    plan->plan.memory.gpu_least =
        plan->plan.memory.gpu_work + starfish_device_footprint(coefficients + prepared + vectors, 0);
    starfish_memory_complete(plan->plan.context, 0, &plan->plan.memory);
}

/* ---- Preparing -------------------------------------------------------------------------------------------------- */

/* Errors of what `check` accepts are below this many times rounding times the condition. */
static const double most_growth = 16;

/* What a line's algorithm makes of rounding errors: the growth of entries by elimination from the top, where that is
 * the algorithm; else, and of borders, the backward error of trial solves. How TILED cuts lines on GPUs depends on the
 * batch, so there trials say nothing of solves, and only matrices are accepted that are stable in every order. */
static double growth_of(const struct starfish_tridiag_plan *plan, const struct starfish_batch_growth *growth)
{
    const struct starfish_batch *kernel = &plan->piece[0].task.kernel;
    const int on_gpus = plan->plan.context->workers_of[STARFISH_GPU] > 0;

    if (!isinf(growth->any_order))
        return growth->from_top;
    switch (on_gpus ? starfish_batch_choose_cuda(kernel) : starfish_batch_choose_cpu(kernel)) {
    case STARFISH_ALGORITHM_THOMAS:
        return kernel->periodic ? fmax(growth->from_top, growth->trials) : growth->from_top;
    case STARFISH_ALGORITHM_TILED:
        return fmax(growth->from_top, 2 * most_growth);
    default:
        return growth->trials;
    }
}

static starfish_status find_growth(struct starfish_tridiag_plan *plan)
{
    plan->growth = 0;
    plan->growth_line = 0;
    for (size_t i = 0; i < plan->pieces; i++) {
        const struct starfish_batch_piece *piece = &plan->piece[i];
        const struct starfish_batch_growth *growth = piece->growth.memory;
        STARFISH_TRY(starfish_coefficient_table_acquire(&piece->growth, plan->plan.context, STARFISH_READ));
        for (size_t l = 0; l < piece->growth.count / DOUBLES_OF_GROWTH; l++) {
            const double own = growth_of(plan, &growth[l]);
            if (own > plan->growth) {
                plan->growth = own;
                plan->growth_line = piece->first_line + l;
            }
        }
        starfish_coefficient_table_release(&piece->growth);
    }
    return STARFISH_SUCCESS;
}

static starfish_status check_growth(struct starfish_tridiag_plan *plan)
{
    STARFISH_TRY(find_growth(plan));
    STARFISH_FAIL_IF(isinf(plan->growth), STARFISH_ERROR_SINGULAR,
                     "line %zu: elimination without pivoting breaks down: take STARFISH_ALGORITHM_PIVOTED",
                     plan->growth_line);
    STARFISH_FAIL_IF(plan->growth > most_growth, STARFISH_ERROR_NUMERICAL,
                     "line %zu: without pivoting rounding errors may grow by %.3g: take STARFISH_ALGORITHM_PIVOTED",
                     plan->growth_line, plan->growth);
    return STARFISH_SUCCESS;
}

/* Factors and borders are written by prepare alone. */
static void set_prepared(const struct starfish_tridiag_plan *plan, int prepared)
{
    for (size_t i = 0; i < plan->pieces; i++) {
        starfish_data_set_constant(plan->piece[i].factors, prepared);
        starfish_data_set_constant(plan->piece[i].border, prepared);
    }
}

static starfish_status prepare(struct starfish_tridiag_plan *plan)
{
    struct starfish_progress progress;
    starfish_status status = STARFISH_SUCCESS, waited;

    if (!plan->options.keep_factors && !plan->options.check && !has_border(plan))
        return STARFISH_SUCCESS;
    starfish_progress_init(&progress, plan->plan.context);
    set_prepared(plan, 0);
    for (size_t i = 0; i < plan->pieces && status == STARFISH_SUCCESS; i++)
        status = starfish_submit_batch_prepare(&progress, &plan->piece[i].task);
    waited = starfish_progress_wait(&progress);
    set_prepared(plan, 1);
    starfish_progress_destroy(&progress);
    STARFISH_THEN(status, waited);
    return status == STARFISH_SUCCESS && plan->options.check ? check_growth(plan) : status;
}

static starfish_status register_all_coefficients(struct starfish_tridiag_plan *plan)
{
    for (size_t i = 0; i < plan->pieces; i++)
        STARFISH_TRY(register_coefficients(plan, &plan->piece[i]));
    return STARFISH_SUCCESS;
}

static void release_coefficients(struct starfish_tridiag_plan *plan)
{
    for (size_t i = 0; i < plan->pieces; i++) {
        for (int c = 0; c < 3; c++)
            starfish_data_release(&plan->piece[i].task.coefficient[c]);
        starfish_data_release(&plan->piece[i].task.shift);
    }
}

/* ---- Interface -------------------------------------------------------------------------------------------------- */

/* The runtime has no pieces of what is one run. */
static int is_one_run(const struct starfish_batch_extents *array)
{
    return !starfish_batch_shape_of(array, array->extent[STARFISH_BATCH_LINES]).is_nested;
}

static starfish_status cut(struct starfish_tridiag_plan *plan)
{
    const struct starfish_tridiag_problem *p = &plan->problem;
    const struct starfish_batch_extents coefficients = starfish_batch_coefficients(p);
    const struct starfish_batch_extents vectors = starfish_batch_vectors(p);
    enum starfish_residence residence;
    int node;

    STARFISH_TRY(starfish_memory_place(plan->plan.context, "problem.diag", plan->problem.diag, &node, &residence));
    plan->shares = can_share(plan, residence);
    plan->pieces = plan->shares              ? shared_pieces(plan)
                   : plan->options.slabs > 0 ? plan->options.slabs
                                             : choose_pieces(plan, residence);
    if (is_one_run(&vectors) || is_one_run(&coefficients))
        plan->pieces = 1;
    plan->shares = plan->shares && plan->pieces > 1;
    for (size_t i = 0; i < plan->pieces; i++)
        STARFISH_TRY(describe_piece(plan, i));
    measure(plan);
    plan->shares = plan->shares && plan->plan.memory.gpu_least <= plan->plan.memory.gpu_there;
    return STARFISH_SUCCESS;
}

static const struct starfish_member_table problem_table = {.name = "tridiag",
                                                           .size = sizeof(struct starfish_tridiag_problem)};

/* What does not fit into a GPU is the cores', where there are any. */
static starfish_status complete(struct starfish_tridiag_plan *plan)
{
    if (plan->plan.context->workers_of[STARFISH_CPU] == 0)
        STARFISH_TRY(starfish_memory_check("a batch of lines", &plan->plan.memory));
    size_t bytes[STARFISH_WORKER_KINDS];
    count_workspace(plan, bytes);
    STARFISH_TRY(
        starfish_workspace_create(&plan->workspace, plan->plan.context, bytes[STARFISH_CPU], bytes[STARFISH_GPU]));
    STARFISH_TRY(register_all_coefficients(plan));
    for (size_t i = 0; i < plan->pieces; i++)
        STARFISH_TRY(register_prepared(plan, &plan->piece[i]));
    return prepare(plan);
}

starfish_status starfish_tridiag_create_plan(struct starfish_plan *base)
{
    struct starfish_tridiag_plan *plan = (struct starfish_tridiag_plan *)base;
    const struct starfish_tridiag_problem *own = base->problem;
    const struct starfish_tridiag_options *o = &plan->options;

    plan->problem = starfish_batch_normalised(own);
    plan->growth = NAN;
    STARFISH_TRY(check_problem(&plan->problem));
    STARFISH_TRY(check_options(base->context, &plan->problem, o));
    base->about.method = starfish_algorithm_names[o->algorithm];
    base->about.unknowns = plan->problem.n * plan->problem.lines * plan->problem.rhs;
    plan->element_size = starfish_real_size(o->precision) * (own->complex_rhs ? 2 : 1);
    STARFISH_TRY(cut(plan));
    return base->is_measured ? STARFISH_SUCCESS : complete(plan);
}

starfish_status starfish_tridiag_plan_create(starfish_context *context, const struct starfish_tridiag_problem *problem,
                                             const struct starfish_tridiag_options *options, starfish_plan **plan)
{
    STARFISH_OWN_ARITHMETIC;
    return starfish_plan_make(context, &starfish_kind_tridiag, &problem_table, problem, options, plan);
}

starfish_status starfish_tridiag_memory(starfish_context *context, const struct starfish_tridiag_problem *problem,
                                        const struct starfish_tridiag_options *options, struct starfish_memory *memory)
{
    STARFISH_OWN_ARITHMETIC;
    return starfish_plan_measure(context, &starfish_kind_tridiag, &problem_table, problem, options, memory);
}

starfish_status starfish_tridiag_plan_update(starfish_plan *base)
{
    STARFISH_OWN_ARITHMETIC;
    struct starfish_tridiag_plan *plan = (struct starfish_tridiag_plan *)base;

    STARFISH_TRY(starfish_plan_check(base, &starfish_kind_tridiag));
    /* Copies on other devices are of the old values. */
    release_coefficients(plan);
    STARFISH_TRY(register_all_coefficients(plan));
    return prepare(plan);
}

void starfish_tridiag_release(struct starfish_plan *base)
{
    struct starfish_tridiag_plan *plan = (struct starfish_tridiag_plan *)base;

    release_coefficients(plan);
    for (size_t i = 0; i < plan->pieces; i++) {
        starfish_array_unregister(plan->piece[i].factors);
        starfish_array_unregister(plan->piece[i].border);
        starfish_coefficient_table_destroy(&plan->piece[i].growth);
    }
    starfish_workspace_destroy(&plan->workspace);
}

double starfish_tridiag_plan_growth(const starfish_plan *base, size_t *line)
{
    STARFISH_OWN_ARITHMETIC;
    const int is_one = base && base->kind == &starfish_kind_tridiag;
    const struct starfish_tridiag_plan *plan = (const struct starfish_tridiag_plan *)base;

    if (line)
        *line = is_one ? plan->growth_line : 0;
    return is_one ? plan->growth : (double)NAN;
}

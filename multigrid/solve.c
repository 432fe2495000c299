/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Solves: the user's arrays become runtime data, which a pass (iterate.c) works on. */
#include "multigrid/solve.h"

#include "base/precision.h"
#include "scheduler/runtime/ranks.h"
#include "solver/accept.h"

#include <math.h>
#include <string.h>

enum { RHS, SOLUTION };

/* ---- One solve --------------------------------------------------------------------------------------------------- */

/* An array that lacks the ghosts which the engine's vectors have. */
static int needs_copy(const struct starfish_space *space, const struct starfish_vector *vector)
{
    return space->apart && space->halos > 0 && !vector->ghosts;
}

static starfish_status copy(struct starfish_multigrid_solve *solve, enum starfish_multigrid_array which,
                            const struct starfish_vector *from, const struct starfish_vector *to)
{
    const struct starfish_algebra algebra = {solve->progress, STARFISH_PHASE_VECTORS, solve->engine->op.setting.where};

    if (solve->engine->hooks->arrange)
        return solve->engine->hooks->arrange(solve->engine, solve->progress, which, from, to);
    return starfish_algebra_update(&algebra, from, NULL, NULL, to);
}

/* The array as a vector on the engine's space. */
static starfish_status take(struct starfish_multigrid_solve *solve, int which, const struct starfish_vector **vector)
{
    struct starfish_multigrid_engine *engine = solve->engine;
    const struct starfish_space *space = engine->hooks->arrange ? &engine->users : engine->op.space;

    if (!solve->array[which].vector) {
        STARFISH_TRY(starfish_vector_over(&solve->array[which].over, space, engine->options.precision,
                                          solve->array[which].node, solve->array[which].memory,
                                          which == RHS ? "rhs" : "solution"));
        solve->array[which].vector = &solve->array[which].over;
    }
    *vector = solve->array[which].vector;
    if (!engine->hooks->arrange && !needs_copy(space, *vector))
        return STARFISH_SUCCESS;
    *vector = &engine->work.copy[which];
    if (which == SOLUTION && !solve->pass.from_guess)
        return STARFISH_SUCCESS;
    return copy(solve, which == RHS ? STARFISH_MULTIGRID_RHS : STARFISH_MULTIGRID_GUESS, solve->array[which].vector,
                *vector);
}

static starfish_status bring_home(struct starfish_multigrid_solve *solve, const struct starfish_vector *u)
{
    struct starfish_multigrid_engine *engine = solve->engine;

    if (engine->hooks->finish)
        STARFISH_TRY(engine->hooks->finish(engine, solve->progress, u));
    return u == solve->array[SOLUTION].vector
               ? STARFISH_SUCCESS
               : copy(solve, STARFISH_MULTIGRID_SOLUTION, u, solve->array[SOLUTION].vector);
}

starfish_status starfish_multigrid_solve_begin(struct starfish_multigrid_solve *solve, const struct starfish_vector **f,
                                               const struct starfish_vector **u)
{
    struct starfish_multigrid_engine *engine = solve->engine;
    const struct starfish_vector *rhs;

    STARFISH_TRY(take(solve, RHS, &rhs));
    STARFISH_TRY(take(solve, SOLUTION, u));
    *f = rhs;
    return engine->hooks->prepare
               ? engine->hooks->prepare(engine, solve->progress, rhs, f, &solve->result->pertrb, &solve->pass.floor)
               : STARFISH_SUCCESS;
}

int starfish_multigrid_has_result(const struct starfish_multigrid_solve *solve)
{
    const starfish_status status = solve->failure.status;

    return status == STARFISH_SUCCESS ||
           (status == STARFISH_ERROR_NUMERICAL && (solve->pass.steps > 0 || solve->pass.from_guess));
}

/* What cannot be found stays 0. */
static void find_size(struct starfish_multigrid_solve *solve, const struct starfish_vector *u)
{
    const struct starfish_multigrid_engine *engine = solve->engine;
    const struct starfish_operator_step step = {.u = u, .sums = &engine->work.sums, .absolute = 1};
    double square;

    if (solve->failure.status != STARFISH_ERROR_NUMERICAL || !engine->op.setting.kind ||
        !(engine->op.setting.kind->fusing && engine->op.setting.kind->fusing->has_sizes))
        return;
    if (starfish_operator_advance(&engine->op, solve->progress, &step) == STARFISH_SUCCESS &&
        starfish_sums_total(&engine->work.sums, engine->context, &square) == STARFISH_SUCCESS)
        solve->size = sqrt(square);
}

/* Was the right-hand side zero, or are only its squares? Only where cores can look. Squares that are lost beside the
 * floor are rounding errors of a constant that was taken off. */
static starfish_status check_zero(const struct starfish_multigrid_solve *solve)
{
    const struct starfish_multigrid_engine *engine = solve->engine;
    const struct starfish_space *space = engine->hooks->arrange ? &engine->users : engine->op.space;
    const void *const rhs = solve->array[RHS].memory;
    double largest = 0;
    size_t first, rows;

    starfish_space_rows_here(space, &first, &rows);
    if (!rhs || solve->array[RHS].node != STARFISH_MAIN_MEMORY || solve->pass.floor >= STARFISH_LEAST_NORM)
        return STARFISH_SUCCESS;
    for (size_t e = 0; e < rows * space->n[0]; e++)
        largest = fmax(largest, fabs(starfish_element(rhs, engine->options.precision, e)));
    return largest > 0 ? starfish_fail(STARFISH_ERROR_ARGUMENT, STARFISH_RHS_TOO_SMALL, largest) : STARFISH_SUCCESS;
}

/* Arrays come home when they are unregistered. A failure of a task is more than one of the numbers that it left. */
starfish_status starfish_multigrid_solve_end(struct starfish_multigrid_solve *solve, starfish_status status,
                                             const struct starfish_vector *u)
{
    struct starfish_failure *failure = &solve->failure;

    starfish_failure_keep(failure, status);
    if (starfish_multigrid_has_result(solve)) {
        find_size(solve, u);
        status = bring_home(solve, u);
        if (failure->status == STARFISH_SUCCESS)
            starfish_failure_keep(failure, status);
    }
    starfish_failure_keep(failure, starfish_progress_wait(solve->progress));
    if (failure->status == STARFISH_SUCCESS && solve->result->rhs_norm == 0)
        starfish_failure_keep(failure, check_zero(solve));
    if (solve->engine->op.space->on_ranks) /* what has failed on one rank has failed on all */
        starfish_failure_keep(failure, starfish_ranks_agree(solve->engine->context, starfish_failure_repeat(failure)));
    for (int which = 0; which < 2; which++)
        starfish_vector_destroy(&solve->array[which].over);
    return starfish_failure_repeat(failure);
}

/* ---- What is solved ---------------------------------------------------------------------------------------------- */

/* Of several ranks some may have nothing of the arrays. */
starfish_status starfish_multigrid_solve_arrays(struct starfish_multigrid_solve *solve, const void *rhs, void *solution)
{
    const struct starfish_multigrid_engine *engine = solve->engine;
    const struct starfish_space *space = engine->hooks->arrange ? &engine->users : engine->op.space;
    int node[2] = {-1, -1};
    size_t first, rows;

    starfish_space_rows_here(space, &first, &rows);
    STARFISH_TRY(starfish_ranks_agree(
        engine->context,
        rows == 0 ? STARFISH_SUCCESS
                  : starfish_memory_places(engine->context, rhs, solution, engine->options.precision, rows, node)));
    solve->array[RHS].memory = (void *)(uintptr_t)rhs;
    solve->array[SOLUTION].memory = solution;
    for (int which = 0; which < 2; which++)
        solve->array[which].node = node[which];
    return STARFISH_SUCCESS;
}

static int has_the_same_runs(const struct starfish_space *a, const struct starfish_space *b, int direction)
{
    return a->n[direction] == b->n[direction] && a->parts[direction] == b->parts[direction] &&
           memcmp(a->first[direction], b->first[direction], (a->parts[direction] + 1) * sizeof a->first[0][0]) == 0;
}

/* Tasks go by rows, and sweeps by columns alone. */
static starfish_status check_cut(const struct starfish_multigrid_solve *solve, const char *name,
                                 const struct starfish_vector *vector)
{
    const struct starfish_space *a = vector->space, *b = solve->engine->op.space;
    const int columns = has_the_same_runs(a, b, 0) ||
                        (solve->pass.variant != STARFISH_KRYLOV_NONE && a->n[0] == b->n[0] && a->parts[0] == 1);

    STARFISH_REFUSE_IF(vector->precision != solve->engine->options.precision || !columns || !has_the_same_runs(a, b, 1),
                       "%s has another precision or cut than the plan", name);
    return STARFISH_SUCCESS;
}

starfish_status starfish_multigrid_solve_vectors(struct starfish_multigrid_solve *solve,
                                                 const struct starfish_vector *rhs,
                                                 const struct starfish_vector *solution)
{
    STARFISH_TRY(check_cut(solve, "rhs", rhs));
    STARFISH_TRY(check_cut(solve, "solution", solution));
    solve->array[RHS].vector = rhs;
    solve->array[SOLUTION].vector = solution;
    return STARFISH_SUCCESS;
}

/* ---- Jobs of the solve path -------------------------------------------------------------------------------------- */

starfish_status starfish_multigrid_job_take(struct starfish_job *base, struct starfish_multigrid_engine *engine)
{
    struct starfish_multigrid_solve *solve = &((struct starfish_multigrid_job *)base)->solve;

    *solve = (struct starfish_multigrid_solve){.engine = engine,
                                               .pass = starfish_multigrid_pass(&engine->options),
                                               .watch = {&base->cancelled, starfish_job_look, base},
                                               .progress = &base->progress,
                                               .result = &base->result};
    base->of_run = solve;
    base->most = solve->pass.most;
    return starfish_multigrid_solve_arrays(solve, base->request.rhs, base->request.solution);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The outer iteration (iteration.h): submits steps, looks at the residual of some of them, and decides whether it goes
 * on, ends or fails. */
#include "krylov/iteration.h"

#include "scheduler/runtime/ranks.h"

#include <math.h>
#include <string.h>

struct state {
    const struct starfish_iteration *iteration;
    const struct starfish_stopping *stopping;
    struct starfish_iteration_report *report;
    struct starfish_criteria criteria;
    int steps, cycles; /* submitted */
    int counted;       /* steps whose norms are known and that were taken before the iteration was done */
    int cycles_of[STARFISH_KRYLOV_RING];
    int ahead;    /* steps between two looks */
    double clock; /* of the last look */
    int looked;   /* steps that were looked at one by one, where the next is submitted before */
};

static double value(const struct state *s, enum starfish_krylov_scalar scalar)
{
    return s->iteration->scalars->values[scalar];
}

static void add_norm(struct state *s, double norm)
{
    struct starfish_iteration_report *report = s->report;

    report->residual = report->rhs_norm > 0 ? norm / report->rhs_norm : norm;
    if (report->count < report->most_count)
        report->history[report->count++] = report->residual;
}

static void tell(const struct state *s)
{
    if (s->stopping->tell)
        s->stopping->tell(s->stopping->data, s->report);
}

static int small_enough(const struct state *s)
{
    return value(s, STARFISH_KRYLOV_NORM) <= value(s, STARFISH_KRYLOV_LIMIT);
}

/* Where parts are apart, what one step leaves travels while the last one is looked at: a step is submitted before it
 * is known whether it is wanted. One that is not changes nothing, and costs its time. */
static int looks_back(const struct state *s)
{
    const struct starfish_iteration *i = s->iteration;

    return s->criteria.watched && i->scalars->space->apart && !i->scalars->here && !i->steps && i->most_ahead > 1;
}

/* Is the next step likely to be the last one, if it does as much as the one before? */
static int is_near_end(const struct state *s)
{
    const struct starfish_iteration_report *report = s->report;
    const double norm = value(s, STARFISH_KRYLOV_NORM), limit = value(s, STARFISH_KRYLOV_LIMIT);

    if (report->count < 2)
        return 0;
    return norm * report->history[report->count - 1] <= limit * report->history[report->count - 2];
}

void starfish_iteration_fell_short(const struct starfish_stopping *stopping, enum starfish_ending end,
                                   struct starfish_iteration_report *report)
{
    report->end = report->cycles >= stopping->most ? STARFISH_ENDED_EXHAUSTED : end;
}

static void fall_short(struct state *s, enum starfish_ending end)
{
    starfish_iteration_fell_short(s->stopping, end, s->report);
}

static starfish_status find_norm(const struct state *s, enum starfish_krylov_stage stage)
{
    const struct starfish_iteration *i = s->iteration;
    const struct starfish_scalars_task task = {.stage = stage,
                                               .sign = 1,
                                               .criteria = &s->criteria,
                                               .sums = i->sums,
                                               .copy = stage == STARFISH_KRYLOV_WATCH && looks_back(s)
                                                           ? starfish_scalars_copy_of(i->scalars, s->steps)
                                                           : NULL};

    STARFISH_TRY(i->residual(i->self, stage == STARFISH_KRYLOV_RHS, i->sums));
    return starfish_scalars_advance(i->scalars, i->algebra, &task);
}

static starfish_status begin(struct state *s)
{
    STARFISH_TRY(find_norm(s, STARFISH_KRYLOV_RHS));
    if (s->stopping->from_guess)
        STARFISH_TRY(find_norm(s, STARFISH_KRYLOV_GUESS));
    if (!s->criteria.watched)
        return STARFISH_SUCCESS;
    STARFISH_TRY(starfish_scalars_look(s->iteration->scalars));
    s->report->rhs_norm = value(s, STARFISH_KRYLOV_RHS_NORM);
    if (!isfinite(value(s, STARFISH_KRYLOV_NORM))) {
        fall_short(s, STARFISH_ENDED_NOT_FINITE);
        return starfish_fail(STARFISH_ERROR_NUMERICAL, "rhs%s is not finite, or too large to be squared",
                             s->stopping->from_guess ? " or the initial guess" : "");
    }
    STARFISH_REFUSE_IF(s->report->rhs_norm > s->stopping->floor && s->report->rhs_norm < STARFISH_LEAST_NORM,
                       STARFISH_RHS_TOO_SMALL, s->report->rhs_norm);
    add_norm(s, value(s, STARFISH_KRYLOV_NORM));
    s->clock = starfish_progress_seconds(s->iteration->algebra->progress);
    tell(s);
    return STARFISH_SUCCESS;
}

/* A look costs some 50 us, in which a GPU has nothing to do: as many steps lie between two of them as take ten times
 * as long, at most twice as many as before, since first steps are slow. */
static starfish_status choose_ahead(struct state *s, int steps)
{
    const struct starfish_space *space = s->iteration->scalars->space;
    const double enough = 500e-6, now = starfish_progress_seconds(s->iteration->algebra->progress);
    const double per_step = (now - s->clock) / steps;
    int most = 2 * s->ahead < s->iteration->most_ahead ? 2 * s->ahead : s->iteration->most_ahead;

    if (s->iteration->steps) /* the same number each time, of which there is a graph */
        return STARFISH_SUCCESS;
    if (most > STARFISH_KRYLOV_RING)
        most = STARFISH_KRYLOV_RING;
    s->clock = now;
    s->ahead = per_step * most > enough ? (int)ceil(enough / per_step) : most;
    return space->on_ranks /* whose clocks differ */
               ? starfish_ranks_broadcast(space->context, &s->ahead, sizeof s->ahead, 0)
               : STARFISH_SUCCESS;
}

/* What a look has shown. */
static starfish_status judge(struct state *s)
{
    while (s->counted < (int)value(s, STARFISH_KRYLOV_STEPS)) {
        const int slot = ++s->counted % STARFISH_KRYLOV_RING;
        s->report->cycles += s->cycles_of[slot];
        add_norm(s, s->iteration->scalars->values[STARFISH_KRYLOV_NORMS + slot]);
    }
    tell(s);
    if ((int)value(s, STARFISH_KRYLOV_DONE) == STARFISH_KRYLOV_NOT_FINITE) {
        fall_short(s, STARFISH_ENDED_NOT_FINITE);
        return starfish_fail(STARFISH_ERROR_NUMERICAL, "the residual is not finite after %d cycles", s->report->cycles);
    }
    if ((int)value(s, STARFISH_KRYLOV_DONE) == STARFISH_KRYLOV_STAGNATED) {
        fall_short(s, STARFISH_ENDED_STALLED);
        return starfish_fail(STARFISH_ERROR_NUMERICAL,
                             "the residual stopped falling at %.3g of the right-hand side, after %d cycles",
                             s->report->residual, s->report->cycles);
    }
    return STARFISH_SUCCESS;
}

/* What happened since the last look. */
static starfish_status look(struct state *s, int steps)
{
    STARFISH_TRY(starfish_scalars_look(s->iteration->scalars));
    STARFISH_TRY(choose_ahead(s, steps));
    return judge(s);
}

static starfish_status look_back(struct state *s)
{
    STARFISH_TRY(starfish_scalars_look_back(s->iteration->scalars, ++s->looked));
    return judge(s);
}

static starfish_status submit_step_tasks(void *data)
{
    struct state *s = data;
    const struct starfish_iteration *i = s->iteration;
    const int zero = s->steps == 0 && !s->stopping->from_guess;
    int cycles = 0;

    STARFISH_TRY(i->step(i->self, s->steps++, zero, s->stopping->most - s->cycles, &cycles));
    s->cycles += cycles;
    s->cycles_of[s->steps % STARFISH_KRYLOV_RING] = cycles;
    if (s->criteria.watched || (i->needs_residual && s->cycles < s->stopping->most))
        return find_norm(s, STARFISH_KRYLOV_WATCH);
    return STARFISH_SUCCESS;
}

static uintptr_t bits_of(double value)
{
    uintptr_t bits = 0;

    memcpy(&bits, &value, sizeof bits < sizeof value ? sizeof bits : sizeof value);
    return bits;
}

/* What the arguments of a step's tasks depend on besides the plan: the first ones differ from those after them, and
 * vectors take turns. */
static starfish_status submit_step(struct state *s)
{
    const struct starfish_iteration *i = s->iteration;
    const struct starfish_criteria *c = &s->criteria;
    const int number = s->steps < 4 ? s->steps : 4 + s->steps % 2, guess = s->stopping->from_guess != 0;
    const uintptr_t key[STARFISH_GROUP_KEY] = {(uintptr_t)(1 + 2 * number + guess),
                                               bits_of(c->tolerance),
                                               bits_of(c->absolute),
                                               bits_of(c->floor),
                                               bits_of(c->outer),
                                               (uintptr_t)c->watched,
                                               (uintptr_t)c->patience};

    starfish_progress_iterate(i->algebra->progress, s->steps + 1);
    return starfish_gpu_groups_run(i->scalars->here ? NULL : i->groups, i->algebra->progress, "step", i->algebra->phase,
                                   key, submit_step_tasks, s);
}

/* So many steps at once. */
static starfish_status submit_steps(struct state *s, int *steps)
{
    const int left = s->stopping->most - s->cycles;

    *steps = s->ahead < left ? s->ahead : left;
    starfish_progress_iterate(s->iteration->algebra->progress, s->steps + 1);
    STARFISH_TRY(s->iteration->steps(s->iteration->self, s->steps, *steps));
    for (int i = 0; i < *steps; i++)
        s->cycles_of[++s->steps % STARFISH_KRYLOV_RING] = 1;
    s->cycles += *steps;
    return STARFISH_SUCCESS;
}

/* One more step while the one before is looked at; none where that may have been the last one. */
static starfish_status advance_and_look_back(struct state *s)
{
    const int may_go_on = s->cycles < s->stopping->most;

    if (may_go_on && (s->looked == s->steps || !is_near_end(s)))
        STARFISH_TRY(submit_step(s));
    return s->steps - s->looked > 1 || !may_go_on || is_near_end(s) ? look_back(s) : STARFISH_SUCCESS;
}

static starfish_status advance(struct state *s)
{
    int steps = 0;

    if (s->stopping->cancelled && atomic_load(s->stopping->cancelled)) {
        fall_short(s, STARFISH_ENDED_CANCELLED);
        return starfish_fail(STARFISH_ERROR_NUMERICAL, "cancelled after %d cycles", s->report->cycles);
    }
    if (looks_back(s))
        return advance_and_look_back(s);
    if (s->iteration->steps)
        STARFISH_TRY(submit_steps(s, &steps));
    else
        for (; steps < s->ahead && s->cycles < s->stopping->most; steps++)
            STARFISH_TRY(submit_step(s));
    if (s->criteria.watched)
        return look(s, steps);
    s->report->cycles = s->cycles;
    tell(s);
    return STARFISH_SUCCESS;
}

/* A solution that starts as zero gets one step whatever the residual, so that its array is written. */
static starfish_status walk(struct state *s)
{
    const int watched = s->criteria.watched;

    if (watched || s->iteration->needs_residual)
        STARFISH_TRY(begin(s));
    while ((s->steps == 0 && !s->stopping->from_guess) || !watched || !small_enough(s)) {
        if (s->cycles >= s->stopping->most && (!looks_back(s) || s->looked == s->steps))
            break;
        STARFISH_TRY(advance(s));
    }
    if (watched && !small_enough(s)) {
        s->report->end = STARFISH_ENDED_EXHAUSTED;
        return starfish_fail(STARFISH_ERROR_NUMERICAL,
                             "the residual is %.3g of the right-hand side after max_iterations = %d cycles",
                             s->report->residual, s->report->cycles);
    }
    s->report->end = watched ? STARFISH_ENDED_REACHED : STARFISH_ENDED_FIXED;
    return STARFISH_SUCCESS;
}

starfish_status starfish_iterate(const struct starfish_iteration *iteration, const struct starfish_stopping *stopping,
                                 struct starfish_iteration_report *report)
{
    struct state state = {.iteration = iteration,
                          .stopping = stopping,
                          .report = report,
                          .criteria = {.tolerance = stopping->tolerance,
                                       .absolute = stopping->absolute,
                                       .floor = stopping->floor,
                                       .outer = stopping->outer,
                                       .patience = stopping->patience,
                                       .watched = stopping->tolerance > 0 || stopping->absolute > 0},
                          .ahead = iteration->steps ? iteration->most_ahead : 1};

    report->cycles = report->count = 0;
    report->rhs_norm = report->residual = report->factor = (double)NAN;
    const starfish_status status = walk(&state);
    if (state.criteria.watched && report->cycles > 0)
        report->factor =
            pow(value(&state, STARFISH_KRYLOV_NORM) / value(&state, STARFISH_KRYLOV_FIRST_NORM), 1.0 / report->cycles);
    return status;
}

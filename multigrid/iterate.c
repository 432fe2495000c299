/* The outer iteration. */
#include "multigrid/iterate.h"

#include "base/status.h"

#include <math.h>

/* Without any gain in so many steps rounding errors have the last word, or the iteration diverges. */
enum { PATIENCE = 8 };

struct state {
    const struct starfish_iteration *iteration;
    const struct starfish_multigrid_options *options;
    struct starfish_multigrid_info *info;
    int watched; /* residuals are looked at */
    double first, norm, best;
    int steps, since_best;
};

static void remember(struct state *s, double norm)
{
    struct starfish_multigrid_info *info = s->info;

    s->norm = norm;
    info->residual = info->rhs_norm > 0 ? norm / info->rhs_norm : norm;
    if (info->count < STARFISH_MULTIGRID_HISTORY)
        info->history[info->count++] = info->residual;
    s->since_best = norm < s->best ? 0 : s->since_best + 1;
    s->best = norm < s->best ? norm : s->best;
}

static int small_enough(const struct state *s)
{
    return s->norm <= s->options->tolerance * s->info->rhs_norm || s->norm <= s->options->absolute;
}

static starfish_status begin(struct state *s)
{
    double norm = 0;

    STARFISH_TRY(s->iteration->residual(s->iteration->self, 1, &s->info->rhs_norm));
    norm = s->info->rhs_norm;
    if (s->options->initial_guess)
        STARFISH_TRY(s->iteration->residual(s->iteration->self, 0, &norm));
    if (!isfinite(norm))
        return starfish_fail(STARFISH_ERROR_NUMERICAL, "rhs%s is not finite",
                             s->options->initial_guess ? " or the initial guess" : "");
    s->first = s->best = norm;
    remember(s, norm);
    s->since_best = 0;
    return STARFISH_SUCCESS;
}

static starfish_status step(struct state *s)
{
    const struct starfish_iteration *iteration = s->iteration;
    const int zero = s->steps == 0 && !s->options->initial_guess;
    double norm;
    int cycles = 0;

    STARFISH_TRY(iteration->step(iteration->self, s->steps++, zero, s->watched ? s->norm : (double)NAN,
                                 s->options->most_cycles - s->info->cycles, &cycles));
    s->info->cycles += cycles;
    if (!s->watched)
        return STARFISH_SUCCESS;
    STARFISH_TRY(iteration->residual(iteration->self, 0, &norm));
    remember(s, norm);
    if (!isfinite(norm))
        return starfish_fail(STARFISH_ERROR_NUMERICAL, "the residual is not finite after %d cycles", s->info->cycles);
    if (s->since_best >= PATIENCE && !small_enough(s))
        return starfish_fail(STARFISH_ERROR_NUMERICAL,
                             "the residual stopped falling at %.3g of the right-hand side, after %d cycles",
                             s->info->residual, s->info->cycles);
    return STARFISH_SUCCESS;
}

/* A solution that starts as zero gets one step whatever the residual, so that its array is written. */
static starfish_status walk(struct state *s)
{
    if (s->watched)
        STARFISH_TRY(begin(s));
    while ((s->steps == 0 && !s->options->initial_guess) || !s->watched || !small_enough(s)) {
        if (s->info->cycles >= s->options->most_cycles)
            break;
        STARFISH_TRY(step(s));
    }
    if (s->watched && !small_enough(s))
        return starfish_fail(STARFISH_ERROR_NUMERICAL,
                             "the residual is %.3g of the right-hand side after most_cycles = %d cycles",
                             s->info->residual, s->info->cycles);
    return STARFISH_SUCCESS;
}

starfish_status starfish_iterate(const struct starfish_iteration *iteration,
                                 const struct starfish_multigrid_options *options, struct starfish_multigrid_info *info)
{
    struct state state = {.iteration = iteration,
                          .options = options,
                          .info = info,
                          .watched = options->tolerance > 0 || options->absolute > 0};
    starfish_status status;

    info->cycles = info->count = 0;
    info->rhs_norm = info->residual = info->factor = (double)NAN;
    status = walk(&state);
    if (state.watched && info->cycles > 0)
        info->factor = pow(state.norm / state.first, 1.0 / info->cycles);
    return status;
}

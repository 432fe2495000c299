/* The walk along a ladder. */
#include "solver/retry.h"

/* Steps that a pass of a rung may take. */
static int steps_left(const struct starfish_retry *r, int rung)
{
    const struct starfish_rung *it = &r->rung[rung];
    const int has_next = rung + 1 < r->rungs;
    const int left = r->most - (has_next && it->reserve > 0 ? r->most / it->reserve : 0) - r->taken;

    return has_next && it->enough > 0 && it->enough < left ? it->enough : left;
}

static starfish_status pass(struct starfish_retry *r, int rung)
{
    const int taken = r->taken;

    STARFISH_TRY(r->pass(r->self, r->rung[rung].variant, steps_left(r, rung)));
    r->passes++;
    r->fallback += rung > 0 ? r->taken - taken : 0;
    if (!r->keep || !(r->norm < r->best))
        return STARFISH_SUCCESS;
    r->best = r->norm;
    return r->keep(r->self);
}

static starfish_status climb(struct starfish_retry *r)
{
    int rung = 0, misses = 0;

    r->best = r->norm;
    if (r->keep)
        STARFISH_TRY(r->keep(r->self));
    for (;;) {
        const double before = r->keep ? r->best : r->norm;
        STARFISH_TRY(pass(r, rung));
        if (r->stops >> r->end & 1)
            return STARFISH_SUCCESS;
        misses = r->norm < 0.5 * before ? 0 : misses + 1;
        const int gives_up = misses >= r->rung[rung].misses;
        if (gives_up || steps_left(r, rung) <= 0) {
            r->end = gives_up ? STARFISH_ENDED_STALLED : STARFISH_ENDED_EXHAUSTED;
            if (++rung >= r->rungs || r->taken >= r->most)
                return STARFISH_SUCCESS;
            misses = 0;
        }
        if (r->go_back && r->norm > 2 * r->best)
            STARFISH_TRY(r->go_back(r->self));
    }
}

starfish_status starfish_retry(struct starfish_retry *retry)
{
    STARFISH_TRY(climb(retry));
    return retry->go_back && !(retry->norm <= retry->best) ? retry->go_back(retry->self) : STARFISH_SUCCESS;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Walks along a ladder of methods (retry.h): how many steps a pass may take, and whether another one follows. */
#include "solver/retry.h"

/* Steps that a pass of the rung may take. */
static int steps_left(const struct starfish_retry *r)
{
    const struct starfish_rung *it = r->rung;
    const int has_next = r->rungs > 1;
    const int left = r->most - (has_next && it->reserve > 0 ? r->most / it->reserve : 0) - r->taken;

    return has_next && it->enough > 0 && it->enough < left ? it->enough : left;
}

/* After a pass: whether there is another, perhaps of the next rung. */
static int goes_on(struct starfish_retry *r)
{
    if (r->stops >> r->end & 1)
        return 0;
    r->misses = r->norm < 0.5 * r->before ? 0 : r->misses + 1;
    const int gives_up = r->misses >= r->rung->misses;
    if (!gives_up && steps_left(r) > 0)
        return 1;
    r->end = gives_up ? STARFISH_ENDED_STALLED : STARFISH_ENDED_EXHAUSTED;
    r->misses = 0;
    r->rung++;
    return --r->rungs > 0 && r->taken < r->most;
}

starfish_status starfish_retry_next(struct starfish_retry *r)
{
    const int is_first = r->steps == 0;

    r->passes += !is_first;
    if (is_first || r->norm < r->best) {
        r->best = r->norm;
        if (r->keep)
            STARFISH_TRY(r->keep(r->self));
    }
    r->steps = is_first || goes_on(r) ? steps_left(r) : 0;
    if (r->go_back && (r->steps > 0 ? r->norm > 2 * r->best : !(r->norm <= r->best)))
        STARFISH_TRY(r->go_back(r->self));
    r->before = r->keep ? r->best : r->norm;
    return STARFISH_SUCCESS;
}

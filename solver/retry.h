/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Retry: a solve makes passes until its solution is good enough. A ladder is a table of methods, a rung each, which go
 * on one after the other from what the last has left. A pass is one run of an iteration; its owner says what it came to
 * in truth: the residual computed anew, and whether it is solved.
 *
 *     rung        steps                                passes
 *     the first   most - most / reserve, or enough     as long as each leaves half of the residual at most,
 *     the next    all that are left                    but for misses - 1 in a row
 *
 * Where the owner can keep a solution, the best one is kept, and is what the solve ends with; a pass that leaves more
 * than twice its residual is undone before the next. */
#ifndef STARFISH_SOLVER_RETRY_H
#define STARFISH_SOLVER_RETRY_H

#include "solver/accept.h"

struct starfish_rung {
    int variant;         /* for the owner */
    int enough, reserve; /* steps in a pass, and the part of all steps, 1 / reserve, that is left to the next rung; both
                            where there is one. 0: no limit */
    int misses;          /* passes in a row that leave more than half of the residual before the rung gives up; 0: it
                            has one pass */
};

struct starfish_retry {
    /* What to do. */
    const struct starfish_rung *rung; /* of the next pass, */
    int rungs;                        /* and how many are left with it */
    int most;                         /* steps of all passes */
    unsigned stops;                   /* bits 1 << ending: no pass follows one that has ended so */
    void *self;
    starfish_status (*keep)(void *self);    /* the solution, or NULL */
    starfish_status (*go_back)(void *self); /* to what was kept; sets `norm` */
    int steps;                              /* that the next pass may take; 0: no pass follows. Begins as 0 */
    /* So far: the owner sets `taken`, `norm` and `end` after each pass. */
    int taken, passes;         /* steps of all passes, and passes that are over */
    int misses;                /* of this rung in a row */
    double norm, best, before; /* of the residual. Before the first pass: of the right-hand side, or infinite */
    enum starfish_ending end;  /* of the last pass; EXHAUSTED or STALLED where the ladder ended */
};

/* Before the first pass and after each: whether there is a next one, and which. */
starfish_status starfish_retry_next(struct starfish_retry *retry);

#endif

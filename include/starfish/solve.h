/* What a solve came to, for solvers of every family. */
#ifndef STARFISH_SOLVE_H
#define STARFISH_SOLVE_H

#include <starfish/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Of a solve that returns STARFISH_SUCCESS (SOLVED) or STARFISH_ERROR_NUMERICAL (the others); after another error the
 * outcome says nothing. */
typedef enum starfish_outcome {
    STARFISH_SOLVED,
    STARFISH_NOT_CONVERGED, /* all iterations that are allowed were taken */
    STARFISH_STAGNATED,     /* the residual has stopped falling, and rounding errors do not excuse it; or a check of the
                               solution, of a direct method too, has failed */
    STARFISH_DIVERGED,      /* not finite, or larger than the right-hand side without rounding errors explaining it */
    STARFISH_CANCELLED
} starfish_outcome;

/* "solved", "not-converged", "stagnated", "diverged" or "cancelled". Never NULL; static storage; thread-safe. */
STARFISH_API const char *starfish_outcome_name(starfish_outcome outcome);

#ifdef __cplusplus
}
#endif

#endif

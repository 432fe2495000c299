/* The share of teams of cores in lone solves on both kinds of workers, corrected by what solves take.
 *
 * The trial (slab_trial.c) measures the workers on a few planes and for a moment; whole solves show what the cores do
 * while a GPU's copies pass. Solves are watched for a while, then the planes that would have balanced them are
 * proposed, if that is worth cutting the field anew. The best share that was watched is the last word. Not thread-safe.
 */
#ifndef STARFISH_POISSON_BALANCE_H
#define STARFISH_POISSON_BALANCE_H

#include <stddef.h>

enum { STARFISH_BALANCE_SOLVES = 7 }; /* of which the median counts */

struct starfish_balance {
    size_t planes; /* that the cores should take, once `known` */
    int known;     /* 0: as the trial says */
    int settled;   /* nothing is to change any more */
    size_t solves; /* watched since the field was cut */
    size_t cuts;   /* how often it was cut anew */
    double cores_seconds[STARFISH_BALANCE_SOLVES],
        seconds[STARFISH_BALANCE_SOLVES]; /* of the cores on their slabs; in all */
    double best_seconds;                  /* of all shares watched */
    size_t best_planes;
};

/* One solve of a field of `planes`, of which the cores had `cores_planes`, in multiples of `step`. `gpu_rate`: planes
 * per second that the GPUs are known to do at least. 1 when the field is to be cut anew, into `planes`. */
int starfish_balance_watch(struct starfish_balance *balance, size_t planes, size_t cores_planes, size_t step,
                           double gpu_rate, double cores_seconds, double seconds);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The share of teams of cores in lone solves on both kinds of workers, adjusted by measured solve times.
 *
 * A trial on a few items, or the first solves, measure each kind of worker alone for a short time. Whole solves also
 * show the speed of cores during a GPU's copies. Items are planes of a field or pieces of a batch. After some measured
 * solves, the share that would have balanced them is proposed, if the gain is worth a new cut. The best measured share
 * is final. Not thread-safe. */
#ifndef STARFISH_SCHEDULER_RUNTIME_BALANCE_H
#define STARFISH_SCHEDULER_RUNTIME_BALANCE_H

#include <stddef.h>

/* Seconds from the end of a task to the start of one in another memory that waits for it, besides the bytes: StarPU
 * sees the end, starts a copy, sees its end, and starts the task. */
#define STARFISH_EXCHANGE_LATENCY 30e-6
/* Seconds that a solve on both kinds of workers must save: their tasks wait for each other, and for copies that the
 * times of tasks leave out. */
#define STARFISH_LEAST_GAIN 150e-6

enum { STARFISH_BALANCE_SOLVES = 7 }; /* of which the median counts */

struct starfish_balance {
    size_t items;  /* that the cores should take, once `known` */
    int known;     /* 0: what was known before holds */
    int settled;   /* nothing is to change any more */
    size_t solves; /* watched since the last cut */
    size_t cuts;   /* how often there was a new cut */
    double cores_seconds[STARFISH_BALANCE_SOLVES],
        seconds[STARFISH_BALANCE_SOLVES]; /* of the cores on their items; in all */
    double best_seconds;                  /* of all shares watched */
    size_t best_items;
};

/* One solve of `items`, of which the cores had `cores_items`, in multiples of `step`. `gpu_rate`: items per second that
 * the GPUs are known to do at least. 1 when there is to be a new cut, with balance->items for the cores. */
int starfish_balance_watch(struct starfish_balance *balance, size_t items, size_t cores_items, size_t step,
                           double gpu_rate, double cores_seconds, double seconds);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Adjustment of the cores' share (balance.h): medians of measured solves predict the share that would end both kinds
 * together. */
#include "scheduler/runtime/balance.h"

#include <math.h>

enum {
    WARM_UP = 2, /* solves with a new cut: memory is touched for the first time */
    CUTS_AT_MOST = 4,
};
/* A share that promises less is not worth a new cut. */
static const double worthwhile = 0.98;

static double median(const double *values)
{
    double sorted[STARFISH_BALANCE_SOLVES] = {0};
    for (int i = 0; i < STARFISH_BALANCE_SOLVES; i++) {
        int at = i;
        for (; at > 0 && sorted[at - 1] > values[i]; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = values[i];
    }
    return sorted[STARFISH_BALANCE_SOLVES / 2];
}

/* What the slower of both kinds would take. */
static double predict(size_t items, size_t cores_items, double cores_rate, double gpu_rate)
{
    return fmax((double)cores_items / cores_rate, (double)(items - cores_items) / gpu_rate);
}

static int go_back(struct starfish_balance *balance, size_t cores_items)
{
    balance->settled = 1;
    balance->items = balance->best_items;
    return balance->best_items != cores_items;
}

/* The share that would have balanced these solves; none where the GPUs are faster alone. */
static size_t better_share(double cores_seconds, double seconds, size_t items, size_t cores_items, size_t step,
                           double gpu_rate)
{
    const double cores_rate = (double)cores_items / cores_seconds;
    const double rate = fmax(gpu_rate, (double)(items - cores_items) / seconds);
    const size_t share = (size_t)((double)items * cores_rate / (cores_rate + rate)) / step * step;
    const double now = predict(items, cores_items, cores_rate, rate);
    return predict(items, share, cores_rate, rate) < worthwhile * now ? share : cores_items;
}

int starfish_balance_watch(struct starfish_balance *balance, size_t items, size_t cores_items, size_t step,
                           double gpu_rate, double cores_seconds, double seconds)
{
    if (balance->settled || cores_items == items || ++balance->solves <= WARM_UP)
        return 0;
    const size_t at = balance->solves - WARM_UP - 1;
    balance->cores_seconds[at] = cores_seconds;
    balance->seconds[at] = seconds;
    if (at + 1 < STARFISH_BALANCE_SOLVES)
        return 0;
    const double took = median(balance->seconds);
    if (balance->best_seconds > 0 && took >= balance->best_seconds)
        return go_back(balance, cores_items);
    balance->best_seconds = took;
    balance->best_items = cores_items;
    const size_t share = balance->cuts < CUTS_AT_MOST && cores_items > 0
                             ? better_share(median(balance->cores_seconds), took, items, cores_items, step, gpu_rate)
                             : cores_items;
    balance->settled = share == cores_items;
    if (balance->settled)
        return 0;
    balance->solves = 0;
    balance->cuts++;
    balance->known = 1;
    balance->items = share;
    return 1;
}

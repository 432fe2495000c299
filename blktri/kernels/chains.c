/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Chains of steps from roots (chains.h): numerators are paired with close denominators, and the rest ordered so that
 * products stay near one. */
#include "blktri/kernels/chains.h"

#include <math.h>
#include <stdlib.h>

enum { ALONE = -1, CANCELLED = -2 };

/* Give every numerator root its nearest denominator root, both in ascending order: partner[d] is the numerator of
 * denominator d, or ALONE. The same root on both sides is a factor of one. */
static void pair_roots(const double *denominator, size_t denominators, const double *numerator, size_t numerators,
                       int *partner)
{
    for (size_t d = 0; d < denominators; d++)
        partner[d] = ALONE;
    size_t next = 0;
    for (size_t q = 0; q < numerators; q++) {
        const size_t last = denominators - (numerators - q);
        /* Distances fall, then rise, along the sorted list. */
        while (next < last && fabs(denominator[next + 1] - numerator[q]) <= fabs(denominator[next] - numerator[q]))
            next++;
        partner[next] = denominator[next] == numerator[q] ? CANCELLED : (int)q;
        next++;
    }
}

/* log|running product| of a solve with root mu times its share of the factor. */
static double log_of_solve(double mu, double share)
{
    return share - log(fabs(mu) + 1e-300);
}

/* Order unpaired roots so that the running product of share/mu stays near one: take the one that pulls it back.
 * The roots are sorted, but log|mu| need not be monotonous in them when they change sign. */
struct ranked {
    double logarithm;
    size_t index;
};

static int by_logarithm(const void *x, const void *y)
{
    const struct ranked *a = x, *b = y;
    if (a->logarithm != b->logarithm)
        return a->logarithm < b->logarithm ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static void order_unpaired(struct ranked *ranked, size_t count, size_t *order)
{
    qsort(ranked, count, sizeof *ranked, by_logarithm);
    double running = 0;
    for (size_t low = 0, high = count, i = 0; i < count; i++) {
        const struct ranked *next = running > 0 ? &ranked[low++] : &ranked[--high];
        running += next->logarithm;
        order[i] = next->index;
    }
}

static starfish_status append_step(struct starfish_step_list *list, double mu, double keep, double gain)
{
    if (list->count == list->capacity) {
        const size_t capacity = list->capacity > 0 ? 2 * list->capacity : 256;
        struct starfish_step *step = realloc(list->step, capacity * sizeof *step);
        if (!step)
            return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for %zu steps", capacity);
        list->step = step;
        list->capacity = capacity;
    }
    list->step[list->count++] = (struct starfish_step){mu, keep, gain};
    return STARFISH_SUCCESS;
}

struct workspace {
    int *partner;
    struct ranked *ranked;
    size_t *order;
};

/* Unpaired solves and pairs in turn, in proportion, so that neither kind comes all at once. */
static starfish_status append_mixed(struct starfish_step_list *list, const struct workspace *w,
                                    const double *denominator, const double *numerator, size_t pairs, size_t unpaired,
                                    double share)
{
    size_t solves_done = 0, pairs_done = 0, next_pair = 0;
    while (solves_done + pairs_done < unpaired + pairs) {
        if (solves_done < unpaired && (pairs_done == pairs || solves_done * pairs <= pairs_done * unpaired)) {
            STARFISH_TRY(append_step(list, denominator[w->order[solves_done++]], 0, exp(share)));
            continue;
        }
        while (w->partner[next_pair] < 0)
            next_pair++;
        const double mu = denominator[next_pair], nu = numerator[w->partner[next_pair]];
        STARFISH_TRY(append_step(list, mu, 1, nu - mu)); /* (T + nu)/(T + mu) = I + (nu - mu)/(T + mu) */
        next_pair++;
        pairs_done++;
    }
    return STARFISH_SUCCESS;
}

static starfish_status append(struct starfish_step_list *list, const struct workspace *w, const double *denominator,
                              size_t denominators, const double *numerator, size_t numerators, double share)
{
    pair_roots(denominator, denominators, numerator, numerators, w->partner);
    size_t unpaired = 0, pairs = 0;
    for (size_t d = 0; d < denominators; d++) {
        pairs += w->partner[d] >= 0;
        if (w->partner[d] == ALONE) {
            w->ranked[unpaired] = (struct ranked){log_of_solve(denominator[d], share), d};
            unpaired++;
        }
    }
    order_unpaired(w->ranked, unpaired, w->order);
    return append_mixed(list, w, denominator, numerator, pairs, unpaired, share);
}

starfish_status starfish_chain_append(struct starfish_step_list *list, struct starfish_chain *chain,
                                      const double *denominator, size_t denominators, const double *numerator,
                                      size_t numerators, double log_factor, double sign)
{
    const size_t unpaired = denominators - numerators;
    chain->first = list->count;
    chain->count = 0;
    chain->scale = unpaired > 0 ? sign : sign * exp(log_factor);
    if (denominators == 0)
        return STARFISH_SUCCESS;
    struct workspace w = {malloc(denominators * sizeof *w.partner), malloc(denominators * sizeof *w.ranked),
                          malloc(denominators * sizeof *w.order)};
    starfish_status status =
        w.partner && w.ranked && w.order
            ? append(list, &w, denominator, denominators, numerator, numerators,
                     unpaired > 0 ? log_factor / (double)unpaired : 0)
            : starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a chain of %zu steps", denominators);
    free(w.partner);
    free(w.ranked);
    free(w.order);
    chain->count = list->count - chain->first;
    return status;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Placement of a task, from numbers (rule.h): costs of offers by expected end and width, and promises of links. */
#include "scheduler/lab/policies/rule.h"

#include <math.h>

static int suits(const struct starfish_offer *offer, size_t width, size_t wide)
{
    return width == 0 || offer->accelerator == (width >= wide);
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double cost(const struct starfish_offer *offer, size_t width, size_t wide, double now)
{
    const double end = larger(offer->free, offer->arrival) + offer->length;
    const int holds_up = offer->free > now && !suits(offer, width, wide);
    return end + offer->copies + (holds_up ? offer->length : 0);
}

/* Chooses among the offers whose length is unknown in the same way as `length`: by width, then by load. */
static size_t choose_unknown(const struct starfish_offer *offer, size_t count, size_t width, size_t wide, double length)
{
    size_t best = count;
    for (size_t i = 0; i < count; i++) {
        if (isnan(length) ? !isnan(offer[i].length) : offer[i].length > 0)
            continue;
        const int better = best == count ? 1 : suits(&offer[i], width, wide) - suits(&offer[best], width, wide);
        if (better > 0 || (better == 0 && offer[i].load < offer[best].load))
            best = i;
    }
    return best;
}

size_t starfish_offer_choose(const struct starfish_offer *offer, size_t count, size_t width, size_t wide, double now)
{
    size_t best = choose_unknown(offer, count, width, wide, (double)NAN);
    if (best < count)
        return best;
    best = choose_unknown(offer, count, width, wide, 0);
    if (best < count)
        return best;
    best = 0;
    for (size_t i = 1; i < count; i++)
        if (cost(&offer[i], width, wide, now) < cost(&offer[best], width, wide, now))
            best = i;
    return best;
}

double starfish_link_end(const struct starfish_link *link, double copy, double now)
{
    return larger(link->free, now) + copy;
}

double starfish_link_promise(struct starfish_link *link, double copy, double now)
{
    link->free = starfish_link_end(link, copy, now);
    link->promised += copy;
    return link->promised;
}

void starfish_link_finish(struct starfish_link *link, double promised, double now)
{
    const double most = now + (link->promised - promised);
    link->free = link->free < most ? link->free : most;
}

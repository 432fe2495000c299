/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Distribution of a field's planes to ranks: one rule for contexts, readers of problem files and users' programs. */
#ifndef STARFISH_BASE_DEAL_H
#define STARFISH_BASE_DEAL_H

#include <stddef.h>

enum { STARFISH_MOST_RANKS = 64 }; /* with planes: each has a slab at least */

struct starfish_run_of_planes {
    size_t first, count;
};

/* Runs that differ by one plane at most, the longer ones first; and none for ranks beyond the most that may have any.
 */
static inline struct starfish_run_of_planes starfish_deal(size_t n, int rank, int ranks)
{
    const size_t dealt = ranks < STARFISH_MOST_RANKS ? (size_t)ranks : STARFISH_MOST_RANKS, r = (size_t)rank;
    const size_t each = n / dealt, longer = n % dealt;
    if (r >= dealt)
        return (struct starfish_run_of_planes){n, 0};
    return (struct starfish_run_of_planes){each * r + (r < longer ? r : longer), each + (r < longer)};
}

#endif

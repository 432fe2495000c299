/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What an operation takes, by the formula in its kernel's contract. A sum, a difference, a product and a quotient are
 * one floating-point operation each. Bytes are what is read and written where each array goes through the memory once.
 * Places at the ends of a domain count as others do, and entries of a matrix that are computed on the way count
 * nothing: so this is about the least that a device can do. */
#ifndef STARFISH_BASE_COST_H
#define STARFISH_BASE_COST_H

#include "base/real.h"

struct starfish_cost {
    double operations, bytes;
};

/* Of `count` unknowns that take so many operations and words each. */
static inline struct starfish_cost starfish_cost_of(double count, double operations, double words,
                                                    starfish_precision precision)
{
    return (struct starfish_cost){count * operations, count * words * (double)starfish_real_size(precision)};
}

/* Directions of a box in which a place has neighbours. */
static inline int starfish_directions(const size_t n[3])
{
    return (n[0] > 1) + (n[1] > 1) + (n[2] > 1);
}

static inline void starfish_cost_add(struct starfish_cost *sum, struct starfish_cost cost)
{
    sum->operations += cost.operations;
    sum->bytes += cost.bytes;
}

#endif

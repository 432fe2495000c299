/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The rule of the policy starfish-width: of the places where a task could run, which is best. Numbers in, a number out;
 * no StarPU here.
 *
 * A place is a memory node with the workers that share it: the cores of the machine, or one GPU. A task's width is how
 * many lanes of it are independent; a wide step fills a GPU, a narrow one leaves it nearly empty. The task goes where
 *
 *     end + copies + hold-up
 *
 * is least: when it would end there, its data arriving after all copies that its links still owe; the time for which
 * its own copies keep the links from others, so that data move only where that pays; and, where it is of the wrong
 * width and others wait, the time for which it holds up those of the right width, which cannot go elsewhere so well. */
#ifndef STARFISH_SCHEDULER_POLICIES_RULE_H
#define STARFISH_SCHEDULER_POLICIES_RULE_H

#include <stddef.h>

/* Times in microseconds. */
struct starfish_offer {
    int accelerator; /* a GPU works there, not cores */
    double free;     /* when a worker there has done what waits: not before now */
    double arrival;  /* when the data would be there: not before now */
    double copies;   /* how long the task's own copies occupy the links */
    double length;   /* of the task there; NaN: not measured yet; 0: there is no model to measure it */
    double load;     /* what waits there, in tasks; decides where lengths are unknown */
};

/* Lanes from which a step is wide: a GPU's processors with some warps each. */
enum { STARFISH_WIDE = 16384 };

/* The best of `count` >= 1 offers. width 0: not known. While a length is unknown, the task is measured there: first
 * where its width suggests. */
size_t starfish_offer_choose(const struct starfish_offer *offer, size_t count, size_t width, size_t wide, double now);

/* The account of one direction between two memory nodes, which makes copies in the order in which they were
 * promised. */
struct starfish_link {
    double free;     /* when it will have made all copies that it owes */
    double promised; /* how long all of them take, since the beginning */
};

/* When it will have made another copy. */
double starfish_link_end(const struct starfish_link *link, double copy, double now);
/* Promise it. Returns link->promised, which starfish_link_finish takes when the copy is done. */
double starfish_link_promise(struct starfish_link *link, double copy, double now);
/* The copy is done, sooner than promised perhaps, and so are those before: only what was promised since can still be
 * owed. */
void starfish_link_finish(struct starfish_link *link, double promised, double now);

#endif

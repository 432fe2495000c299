/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ranks: the processes that share a context, each with tasks and data of its own.
 *
 * All ranks make the same plans and submit the same tasks, in the same order. Data have an owner, a rank. Who inserts a
 * task (submit.c) asks here which rank executes it: the owner of what it writes. That rank submits it; before that the
 * owners of what it reads send these data, and afterwards it sends what it has written to the owners. Data without an
 * owner (tables, work space) are everybody's own. With one rank there are no owners, and all this is nothing.
 *
 * A message from one rank to another costs far more than a small task. So a task whose result several ranks want, and
 * whose input they have or must get anyway, is executed by each of them: it has copies. They compute the same numbers
 * from the same values, and nothing travels afterwards.
 *
 * What cannot be done by tasks, because whether there will be any is the question, are collectives: whether a step has
 * succeeded on all ranks, and maxima. Each is called by one thread of every rank, in the same order. */
#ifndef STARFISH_SCHEDULER_RUNTIME_RANKS_H
#define STARFISH_SCHEDULER_RUNTIME_RANKS_H

#include "base/deal.h"
#include "scheduler/runtime/context.h"
#include "scheduler/runtime/transport.h"

struct starfish_task;

struct starfish_ranks {
    const struct starfish_transport *transport;
    int64_t next_tag;
};

/* For the MPI library and the program: starfish_context_create as one of the transport's ranks, where that is NULL the
 * error that `text` says. Collective. The transport must outlive the context, which releases it where that is asked
 * for, also after a failure. */
STARFISH_API starfish_status starfish_context_create_ranked(struct starfish_context **context,
                                                            const struct starfish_context_options *options,
                                                            const struct starfish_transport *transport,
                                                            const char *text);
/* starfish_mpi_rank and starfish_mpi_planes. */
STARFISH_API starfish_status starfish_context_tell_rank(const struct starfish_context *context, int *rank, int *ranks);
STARFISH_API starfish_status starfish_context_deal(const struct starfish_context *context, size_t n, int rank,
                                                   size_t *first, size_t *count);
/* 0 and 1 without ranks. */
int starfish_context_rank(const struct starfish_context *context);
int starfish_context_ranks(const struct starfish_context *context);

/* Around the start of the runtime: create.c. */
void starfish_ranks_destroy(struct starfish_context *context);

/* A context of this rank alone, over the workers of a context that ranks share. Other ranks take no part in its solves.
 * Errors: those of starfish_context_create. */
starfish_status starfish_context_create_alone(const struct starfish_context *shared, struct starfish_context **alone);

/* ---- Data -------------------------------------------------------------------------------------------------------- */

/* The rank that owns the data; without ranks it does nothing. Only data that travel need a tag: for these, all ranks
 * make the same calls in the same order. */
void starfish_data_set_owner(const struct starfish_context *context, starpu_data_handle_t data, int rank);
void starfish_data_set_travelling(const struct starfish_context *context, starpu_data_handle_t data, int owner);
/* -1: no owner; every rank has data of its own. */
int starfish_data_owner(starpu_data_handle_t data);

/* The ranks that execute a task: one, or where it has copies those; and whether this one is among them. */
struct starfish_executing {
    int here, ranks;
    const int *rank;
    int one; /* the rank, where `rank` is NULL */
};
static inline int starfish_executing_rank(const struct starfish_executing *executing, int r)
{
    return executing->rank ? executing->rank[r] : executing->one;
}
struct starfish_executing starfish_ranks_of_task(const struct starfish_context *context,
                                                 const struct starfish_task *task);
/* What travels before and after a task, on all ranks. What copies write stays where they are: all of them have it from
 * then on, and the owner must be one of them. Errors: RUNTIME. */
starfish_status starfish_ranks_fetch(const struct starfish_context *context, const struct starfish_task *task,
                                     const struct starfish_executing *executing);
starfish_status starfish_ranks_give_back(const struct starfish_context *context, const struct starfish_task *task,
                                         const struct starfish_executing *executing);

/* ---- Collectives ------------------------------------------------------------------------------------------------- */

/* The first failure of any rank, with its message, on all of them; one of numbers (NUMERICAL) only where there is no
 * other, since it may be what another failure has left. Without ranks `status`. */
starfish_status starfish_ranks_first_failure(const struct starfish_context *context, starfish_status status);
/* The same. Analysers of callers see that a failure of this rank is never forgotten. */
static inline starfish_status starfish_ranks_agree(const struct starfish_context *context, starfish_status status)
{
    const starfish_status all = starfish_ranks_first_failure(context, status);
    return all != STARFISH_SUCCESS ? all : status;
}
/* Of each value the largest one of all ranks; NaN where any rank has one. Errors: RUNTIME. */
starfish_status starfish_ranks_maximum(const struct starfish_context *context, double *values, size_t count);
/* Of each value the sum over all ranks, in their order, so that it is the same on all. Errors: RUNTIME, MEMORY. */
starfish_status starfish_ranks_sum(const struct starfish_context *context, double *values, size_t count);
/* Both: the first failure of any rank, else the maxima. */
starfish_status starfish_ranks_agree_maximum(const struct starfish_context *context, starfish_status status,
                                             double *values, size_t count);
/* `bytes` of every rank, in the order of ranks; of rank `from` on all. Errors: RUNTIME. */
starfish_status starfish_ranks_gather(const struct starfish_context *context, const void *own, size_t bytes, void *all);
starfish_status starfish_ranks_broadcast(const struct starfish_context *context, void *data, size_t bytes, int from);

/* Gathers bytes[r] of rank r on the first rank, in the order of ranks; other ranks ignore `all`. Without ranks a copy.
 * Errors: RUNTIME. */
starfish_status starfish_ranks_collect(const struct starfish_context *context, const void *own, const size_t *bytes,
                                       void *all);

/* ---- What must be alike ------------------------------------------------------------------------------------------ */

/* A walk lists what must be equal on all ranks: a function that adds one thing after the other, each with its name and
 * a fingerprint (base/fingerprint.h). It runs once for the fingerprint of all together, which one collective compares.
 * Only where ranks differ it runs again, for each thing's own and then for the name of the first that differs. Up to
 * that one all ranks must add the same things; what they add afterwards, and how many, does not matter. */

/* "problem.axis[1].length" is {{{NULL, "problem"}, "axis", 2}, "length"}. A text that begins with a blank has no point
 * before it. */
struct starfish_alike_name {
    const struct starfish_alike_name *in;
    const char *text;
    size_t nth; /* element nth - 1; 0: no element */
};

/* State of the current walk; zero at its beginning, except for callers that need more than `all`. */
struct starfish_alike {
    uint64_t all;   /* a fingerprint of everything */
    size_t count;   /* of things */
    uint64_t *each; /* receives the fingerprints of the first `most` things */
    size_t most;
    char *name; /* receives, in STARFISH_MESSAGE bytes, the name of thing `wanted` */
    size_t wanted;
};
/* Fingerprint 0: this rank has nothing to compare. */
void starfish_alike_add(struct starfish_alike *alike, const struct starfish_alike_name *name, uint64_t fingerprint);

typedef void starfish_alike_walk(const void *data, struct starfish_alike *alike);
/* starfish_ranks_agree of ranks that must have alike what their walks say. Where `status` is a failure, nothing is
 * looked at. Errors besides: ARGUMENT (`NAME differs between ranks`), MEMORY. The same for the program's steps before
 * there is a context. */
starfish_status starfish_ranks_agree_on(const struct starfish_context *context, starfish_status status,
                                        starfish_alike_walk *walk, const void *data);
starfish_status starfish_transport_agree_on(const struct starfish_transport *transport, starfish_status status,
                                            starfish_alike_walk *walk, const void *data);
starfish_status starfish_transport_agree(const struct starfish_transport *transport, starfish_status status);

#endif

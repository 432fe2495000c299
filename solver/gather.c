/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plans of which the first rank solves for all. Bound by that rank: its link and its workers. */
#include "solver/gather.h"

#include "scheduler/runtime/idle.h"
#include "scheduler/runtime/ranks.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The whole problem ------------------------------------------------------------------------------------------- */

/* On the first rank: a copy of a plan's problem, whose members of shape "z y x" hold the planes of all ranks. */
struct whole {
    const struct starfish_plan *plan;
    starfish_gather_make *make;
    size_t cells; /* of a plane */
    char *problem;
};

static size_t members_of(const struct whole *whole)
{
    return whole->plan->table ? whole->plan->table->count : 0;
}

static int is_field(const struct starfish_member *member)
{
    return member->shape && strcmp(member->shape, "z y x") == 0;
}

static starfish_status allocate(const struct starfish_gathered *base, struct whole *whole)
{
    const struct starfish_member_table *table = whole->plan->table;
    const size_t cells = base->all * whole->cells;
    int is_complete = 1;

    if (!base->alone || !table)
        return STARFISH_SUCCESS;
    whole->problem = malloc(table->size);
    STARFISH_FAIL_IF(!whole->problem, STARFISH_ERROR_MEMORY, "out of memory for a problem");
    memcpy(whole->problem, whole->plan->problem, table->size);
    for (size_t m = 0; m < table->count; m++) {
        const struct starfish_member *member = &table->member[m];
        if (!is_field(member) || !starfish_member_data(member, whole->plan->problem))
            continue;
        void *const field = malloc(cells * starfish_member_size(member));
        memcpy(whole->problem + member->offset, &field, sizeof field);
        is_complete = is_complete && field;
    }
    return is_complete ? STARFISH_SUCCESS
                       : starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for the coefficients of %zu cells", cells);
}

static void free_whole(struct whole *whole)
{
    for (size_t m = 0; whole->problem && m < members_of(whole); m++) {
        const struct starfish_member *member = &whole->plan->table->member[m];
        if (is_field(member))
            free((void *)(uintptr_t)starfish_member_data(member, whole->problem));
    }
    free(whole->problem);
}

static starfish_status collect(const struct starfish_gathered *base, const struct whole *whole)
{
    for (size_t m = 0; m < members_of(whole); m++) {
        const struct starfish_member *member = &whole->plan->table->member[m];
        const void *const own = starfish_member_data(member, whole->plan->problem);
        if (is_field(member) && own)
            STARFISH_TRY(starfish_gathered_collect(
                base, own, whole->cells * starfish_member_size(member),
                whole->problem ? (void *)(uintptr_t)starfish_member_data(member, whole->problem) : NULL));
    }
    return STARFISH_SUCCESS;
}

/* ---- Plans ------------------------------------------------------------------------------------------------------- */

static starfish_status make_whole(struct starfish_plan *plan, const struct whole *whole)
{
    const struct starfish_gathered *base = plan->gather->base;
    starfish_status status = STARFISH_SUCCESS;

    STARFISH_TRY(collect(base, whole));
    if (base->alone && whole->make)
        status = whole->make(plan, base->alone, &plan->gather->whole);
    else if (base->alone)
        status = starfish_plan_make(base->alone, plan->kind, plan->table, whole->problem, starfish_plan_options(plan),
                                    &plan->gather->whole);
    return starfish_ranks_agree(plan->context, status);
}

/* What the first rank's plan says of itself; of texts the pointers mean nothing on other ranks. */
static starfish_status tell(struct starfish_plan *plan)
{
    struct starfish_gather *gather = plan->gather;
    const char *const kind = plan->about.kind;
    struct {
        struct starfish_about about;
        char method[sizeof gather->method], reason[sizeof gather->reason];
    } told = {.method = ""};

    if (gather->whole) {
        told.about = gather->whole->about;
        snprintf(told.method, sizeof told.method, "%s", told.about.method);
        snprintf(told.reason, sizeof told.reason, "%.200s; solved by the first rank", told.about.reason);
    }
    STARFISH_TRY(starfish_ranks_broadcast(plan->context, &told, sizeof told, 0));
    memcpy(gather->method, told.method, sizeof gather->method);
    memcpy(gather->reason, told.reason, sizeof gather->reason);
    plan->about = told.about;
    plan->about.kind = kind;
    plan->about.method = gather->method;
    plan->about.reason = gather->reason;
    plan->about.owners = 1;
    return STARFISH_SUCCESS;
}

/* plan->gather, which then owns `base`, and room for the problem. */
static starfish_status begin(struct starfish_plan *plan, struct starfish_gathered *base,
                             const struct starfish_gather *shape, struct whole *whole)
{
    struct starfish_gather *gather = calloc(1, sizeof *gather);

    plan->gather = gather;
    plan->run = NULL; /* jobs end before their submission returns */
    STARFISH_FAIL_IF(!gather, STARFISH_ERROR_MEMORY, "out of memory for a plan");
    *gather = *shape;
    gather->base = base;
    return allocate(base, whole);
}

starfish_status starfish_gather_create(struct starfish_plan *plan, const size_t n[3], int slowest,
                                       starfish_precision precision, size_t planes, starfish_gather_make *make)
{
    struct whole whole = {.plan = plan, .make = make, .cells = 1};
    struct starfish_gathered *base;

    for (int d = 0; d < 3; d++)
        whole.cells *= d == slowest ? 1 : n[d];
    const struct starfish_gather shape = {.n = {n[0], n[1], n[2]},
                                          .plane_bytes = whole.cells * starfish_real_size(precision),
                                          .slowest = slowest,
                                          .precision = precision};
    STARFISH_TRY(starfish_gathered_create(&base, plan->context, planes));
    starfish_status status = starfish_ranks_agree(plan->context, begin(plan, base, &shape, &whole));
    if (!plan->gather) {
        starfish_gathered_destroy(base);
        return status;
    }
    if (status == STARFISH_SUCCESS)
        status = make_whole(plan, &whole);
    free_whole(&whole);
    return status == STARFISH_SUCCESS ? tell(plan) : status;
}

void starfish_gather_destroy(struct starfish_gather *gather)
{
    if (!gather)
        return;
    starfish_plan_destroy(gather->whole);
    starfish_gathered_destroy(gather->base);
    free(gather);
}

starfish_status starfish_gather_memory(const struct starfish_gather *gather, struct starfish_memory *memory)
{
    *memory = (struct starfish_memory){.main_bytes = 0};
    if (!gather->whole)
        return STARFISH_SUCCESS;
    STARFISH_TRY(starfish_plan_memory(gather->whole, memory));
    memory->main_bytes += 2 * gather->base->all * gather->plane_bytes;
    return STARFISH_SUCCESS;
}

/* ---- Solves ------------------------------------------------------------------------------------------------------ */

struct solving {
    struct starfish_job *job;
    struct starfish_boundary boundary; /* of all ranks */
};

static starfish_status solve(void *self, const void *rhs, void *solution)
{
    const struct solving *s = self;
    struct starfish_plan *whole = s->job->plan->gather->whole;
    const struct starfish_request request = {.boundary = whole->kind->has_boundary ? &s->boundary : NULL,
                                             .rhs = rhs,
                                             .solution = solution,
                                             .boundary_stays = 1};

    starfish_plan_tell(whole, s->job->tell, s->job->tell_data);
    starfish_idle_call_begin();
    const starfish_status status = starfish_job_create(whole, &request, 1, &s->job->inner);
    starfish_idle_call_end();
    STARFISH_TRY(status);
    s->job->result = s->job->inner->result;
    return starfish_failure_repeat(&s->job->inner->failure);
}

/* Other ranks have done nothing. */
static void clear_counts(struct starfish_result *result)
{
    memset(result->worker, 0, sizeof result->worker);
    result->host_to_device = result->device_to_host = result->device_to_device = 0;
}

starfish_status starfish_gather_solve(struct starfish_job *job)
{
    struct starfish_gather *gather = job->plan->gather;
    struct solving solving = {.job = job};
    const struct starfish_gathered_solve request = {.rhs = job->request.rhs,
                                                    .solution = job->request.solution,
                                                    .plane_bytes = gather->plane_bytes,
                                                    .solve = solve,
                                                    .self = &solving,
                                                    .told = &job->result,
                                                    .told_bytes = sizeof job->result};

    job->has_ended = 1;
    if (job->plan->kind->has_boundary)
        STARFISH_TRY(starfish_gathered_boundary(gather->base, gather->n, gather->slowest, gather->precision,
                                                job->request.boundary, &solving.boundary));
    const starfish_status status = starfish_gathered_solve(gather->base, &request);
    starfish_gathered_free_boundary(&solving.boundary);
    if (!gather->whole)
        clear_counts(&job->result);
    if (status != STARFISH_ERROR_NUMERICAL)
        return status;
    starfish_failure_keep(&job->failure, status);
    return STARFISH_SUCCESS;
}

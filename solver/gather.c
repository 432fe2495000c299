/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plans of which the first rank solves for all. Bound by that rank: its link and its workers. */
#include "solver/gather.h"

#include "base/real.h"
#include "scheduler/runtime/idle.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_first(const struct starfish_gather *gather)
{
    return starfish_context_rank(gather->context) == 0;
}

/* ---- Fields ------------------------------------------------------------------------------------------------------ */

static starfish_status moved(const struct starfish_gather *gather, int code)
{
    const struct starfish_transport *transport = gather->context->ranks->transport;
    return STARFISH_OR_FAIL(code == 0, STARFISH_ERROR_RUNTIME, "MPI: %s", transport->text(transport->state));
}

static const size_t *bytes_of(const struct starfish_gather *gather, size_t plane_bytes)
{
    for (int rank = 0; rank < starfish_context_ranks(gather->context); rank++)
        gather->bytes[rank] = gather->planes[rank] * plane_bytes;
    return gather->bytes;
}

/* Planes of `plane_bytes` each, of all ranks, to the first one. `own` may be NULL where there are no planes. */
static starfish_status collect(const struct starfish_gather *gather, const void *own, size_t plane_bytes, void *whole)
{
    const struct starfish_transport *transport = gather->context->ranks->transport;
    return moved(gather, transport->collect(transport->state, own, bytes_of(gather, plane_bytes), whole));
}

static starfish_status deal(const struct starfish_gather *gather, const void *whole, size_t plane_bytes, void *own)
{
    const struct starfish_transport *transport = gather->context->ranks->transport;
    return moved(gather, transport->deal(transport->state, whole, bytes_of(gather, plane_bytes), own));
}

/* Other ranks sleep until the first rank arrives here and sends each of them a byte of any value. */
static starfish_status wait_for_first(const struct starfish_gather *gather)
{
    const struct starfish_transport *transport = gather->context->ranks->transport;
    char token;
    for (int rank = 0; rank < starfish_context_ranks(gather->context); rank++)
        gather->bytes[rank] = 1;
    return moved(gather, transport->deal(transport->state, gather->planes, gather->bytes, &token));
}

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

static starfish_status allocate(const struct starfish_gather *gather, struct whole *whole)
{
    const struct starfish_member_table *table = whole->plan->table;
    const size_t cells = gather->all * whole->cells;
    int is_complete = 1;

    if (!gather->alone || !table)
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
    return STARFISH_OR_FAIL(is_complete, STARFISH_ERROR_MEMORY, "out of memory for the coefficients of %zu cells",
                            cells);
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

static starfish_status collect_problem(const struct starfish_gather *gather, const struct whole *whole)
{
    for (size_t m = 0; m < members_of(whole); m++) {
        const struct starfish_member *member = &whole->plan->table->member[m];
        const void *const own = starfish_member_data(member, whole->plan->problem);
        if (is_field(member) && own)
            STARFISH_TRY(
                collect(gather, own, whole->cells * starfish_member_size(member),
                        whole->problem ? (void *)(uintptr_t)starfish_member_data(member, whole->problem) : NULL));
    }
    return STARFISH_SUCCESS;
}

/* ---- Plans ------------------------------------------------------------------------------------------------------- */

static starfish_status make_whole(struct starfish_plan *plan, const struct whole *whole)
{
    struct starfish_gather *gather = plan->gather;
    starfish_status status = STARFISH_SUCCESS;

    STARFISH_TRY(collect_problem(gather, whole));
    if (gather->alone && whole->make)
        status = whole->make(plan, gather->alone, &gather->whole);
    else if (gather->alone)
        status = starfish_plan_make(gather->alone, plan->kind, plan->table, whole->problem, starfish_plan_options(plan),
                                    &gather->whole);
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

/* plan->gather, without planes and a whole plan. */
static starfish_status begin(struct starfish_plan *plan, const struct starfish_gather *shape)
{
    const size_t ranks = (size_t)starfish_context_ranks(plan->context);
    struct starfish_gather *gather = calloc(1, sizeof *gather);

    plan->gather = gather;
    plan->run = NULL; /* jobs end before their submission returns */
    STARFISH_FAIL_IF(!gather, STARFISH_ERROR_MEMORY, "out of memory for a plan");
    *gather = *shape;
    gather->planes = calloc(ranks, sizeof *gather->planes);
    gather->bytes = calloc(ranks, sizeof *gather->bytes);
    if (!gather->planes || !gather->bytes)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a plan of %zu ranks", ranks);
    return is_first(gather) ? starfish_context_create_alone(gather->context, &gather->alone) : STARFISH_SUCCESS;
}

starfish_status starfish_gather_create(struct starfish_plan *plan, const size_t n[3], int slowest,
                                       starfish_precision precision, size_t planes, starfish_gather_make *make)
{
    struct whole whole = {.plan = plan, .make = make, .cells = 1};

    for (int d = 0; d < 3; d++)
        whole.cells *= d == slowest ? 1 : n[d];
    const struct starfish_gather shape = {.context = plan->context,
                                          .n = {n[0], n[1], n[2]},
                                          .plane_bytes = whole.cells * starfish_real_size(precision),
                                          .slowest = slowest,
                                          .precision = precision};
    STARFISH_TRY(starfish_ranks_agree(plan->context, begin(plan, &shape)));
    STARFISH_TRY(starfish_ranks_gather(plan->context, &planes, sizeof planes, plan->gather->planes));
    for (int rank = 0; rank < starfish_context_ranks(plan->context); rank++)
        plan->gather->all += plan->gather->planes[rank];
    starfish_status status = starfish_ranks_agree(plan->context, allocate(plan->gather, &whole));
    STARFISH_THEN(status, make_whole(plan, &whole));
    free_whole(&whole);
    return status == STARFISH_SUCCESS ? tell(plan) : status;
}

void starfish_gather_destroy(struct starfish_gather *gather)
{
    if (!gather)
        return;
    starfish_plan_destroy(gather->whole);
    starfish_context_destroy(gather->alone);
    free(gather->planes);
    free(gather->bytes);
    free(gather->array[0]);
    free(gather->array[1]);
    free(gather);
}

starfish_status starfish_gather_memory(const struct starfish_gather *gather, struct starfish_memory *memory)
{
    *memory = (struct starfish_memory){.main_bytes = 0};
    if (!gather->whole)
        return STARFISH_SUCCESS;
    STARFISH_TRY(starfish_plan_memory(gather->whole, memory));
    memory->main_bytes += 2 * gather->all * gather->plane_bytes;
    return STARFISH_SUCCESS;
}

/* ---- Boundary data ----------------------------------------------------------------------------------------------- */

/* What a rank has of the six faces. */
struct faces {
    int array[3][2];
    double constant[3][2];
};

static starfish_status check_host(const struct starfish_gather *gather, const char *name, const void *memory)
{
    enum starfish_residence residence;
    int node;
    if (!memory)
        return STARFISH_SUCCESS;
    STARFISH_TRY(starfish_memory_place(gather->context, name, memory, &node, &residence));
    return residence == STARFISH_ON_DEVICE
               ? starfish_fail(STARFISH_ERROR_UNSUPPORTED,
                               "%s is in device memory: the method solves on one rank of several, from host memory",
                               name)
               : STARFISH_SUCCESS;
}

static starfish_status check_faces(const struct starfish_gather *gather, const struct starfish_boundary *own)
{
    for (int face = 0; own && face < 6; face++)
        STARFISH_TRY(check_host(gather, "boundary", own->array[face / 2][face % 2]));
    return STARFISH_SUCCESS;
}

/* The rank whose face counts: of the slowest direction the one at that end, else the first one with planes. */
static int rank_of_face(const struct starfish_gather *gather, int face)
{
    const int ranks = starfish_context_ranks(gather->context), last = face / 2 == gather->slowest && face % 2 == 1;
    int found = 0;
    for (int i = 0; i < ranks; i++) {
        const int rank = last ? i : ranks - 1 - i;
        found = gather->planes[rank] > 0 ? rank : found;
    }
    return found;
}

/* Who sends how much of a face. */
static starfish_status share_face(const struct starfish_gather *gather, const struct faces *all, int face,
                                  size_t row_bytes)
{
    const int from = rank_of_face(gather, face);
    for (int rank = 0; rank < starfish_context_ranks(gather->context); rank++) {
        const int has = all[rank].array[face / 2][face % 2];
        gather->bytes[rank] =
            face / 2 == gather->slowest ? (rank == from) * row_bytes : gather->planes[rank] * row_bytes;
        STARFISH_REFUSE_IF(gather->bytes[rank] > 0 && has != all[from].array[face / 2][face % 2],
                           "boundary: a face is an array on some ranks alone");
        gather->bytes[rank] *= (size_t)has;
    }
    return STARFISH_SUCCESS;
}

static starfish_status collect_face(const struct starfish_gather *gather, const struct starfish_boundary *own, int face,
                                    struct starfish_boundary *whole)
{
    const struct starfish_transport *transport = gather->context->ranks->transport;
    size_t bytes = 0;
    void *memory = NULL;
    for (int rank = 0; rank < starfish_context_ranks(gather->context); rank++)
        bytes += gather->bytes[rank];
    if (bytes == 0)
        return STARFISH_SUCCESS;
    if (is_first(gather))
        whole->array[face / 2][face % 2] = memory = malloc(bytes);
    STARFISH_TRY(
        starfish_ranks_agree(gather->context, STARFISH_OR_FAIL(memory || !is_first(gather), STARFISH_ERROR_MEMORY,
                                                               "out of memory for boundary data")));
    return moved(gather, transport->collect(transport->state, own->array[face / 2][face % 2], gather->bytes, memory));
}

static starfish_status collect_faces(const struct starfish_gather *gather, const size_t row_bytes[3],
                                     const struct starfish_boundary *own, const struct faces *all,
                                     struct starfish_boundary *whole)
{
    for (int face = 0; face < 6; face++) {
        const int from = rank_of_face(gather, face);
        STARFISH_TRY(share_face(gather, all, face, row_bytes[face / 2]));
        STARFISH_TRY(collect_face(gather, own, face, whole));
        whole->constant[face / 2][face % 2] = all[from].constant[face / 2][face % 2];
    }
    return STARFISH_SUCCESS;
}

static void free_boundary(struct starfish_boundary *whole)
{
    for (int face = 0; face < 6; face++)
        free((void *)(uintptr_t)whole->array[face / 2][face % 2]);
    *whole = (struct starfish_boundary){.array = {{NULL}}};
}

/* On the first rank *whole is of all planes, constants or arrays that free_boundary frees, on others zero. `own` may be
 * NULL on all ranks. Errors: ARGUMENT (an array on some ranks alone; in device memory), MEMORY. */
static starfish_status collect_boundary(const struct starfish_gather *gather, const struct starfish_boundary *own,
                                        struct starfish_boundary *whole)
{
    static const struct starfish_boundary none;
    size_t row_bytes[3];
    const int ranks = starfish_context_ranks(gather->context);
    struct faces here = {.constant = {{0}}}, *all = calloc((size_t)ranks, sizeof *all);
    *whole = none;
    own = own ? own : &none;
    for (int axis = 0; axis < 3; axis++) { /* of a plane; across the planes the whole face */
        row_bytes[axis] = starfish_real_size(gather->precision);
        for (int d = 0; d < 3; d++)
            row_bytes[axis] *= d == axis || d == gather->slowest ? 1 : gather->n[d];
    }
    for (int face = 0; face < 6; face++) {
        here.array[face / 2][face % 2] = own->array[face / 2][face % 2] != NULL;
        here.constant[face / 2][face % 2] = own->constant[face / 2][face % 2];
    }
    starfish_status status =
        all ? check_faces(gather, own) : starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for %d ranks", ranks);
    status = starfish_ranks_agree(gather->context, status);
    STARFISH_THEN(status, starfish_ranks_gather(gather->context, &here, sizeof here, all));
    STARFISH_THEN(status, collect_faces(gather, row_bytes, own, all, whole));
    free(all);
    if (status != STARFISH_SUCCESS)
        free_boundary(whole);
    return status;
}

/* ---- Solves ------------------------------------------------------------------------------------------------------ */

static starfish_status prepare(struct starfish_gather *gather, const struct starfish_request *request)
{
    const size_t bytes = gather->all * gather->plane_bytes;
    if (gather->planes[starfish_context_rank(gather->context)] > 0) {
        STARFISH_NEED(request->rhs, "rhs");
        STARFISH_NEED(request->solution, "solution");
        STARFISH_TRY(check_host(gather, "rhs", request->rhs));
        STARFISH_TRY(check_host(gather, "solution", request->solution));
    }
    for (int i = 0; i < 2 && is_first(gather) && gather->array_bytes < bytes; i++) {
        free(gather->array[i]);
        gather->array[i] = malloc(bytes);
        if (!gather->array[i]) {
            gather->array_bytes = 0;
            return starfish_fail(STARFISH_ERROR_MEMORY,
                                 "out of memory for a whole field of %zu bytes on the first rank", bytes);
        }
    }
    if (gather->array_bytes < bytes)
        gather->array_bytes = bytes;
    return STARFISH_SUCCESS;
}

/* On the first rank alone: from the whole right-hand side to the whole solution. */
static starfish_status solve(struct starfish_job *job, const struct starfish_boundary *boundary)
{
    struct starfish_gather *gather = job->plan->gather;
    const struct starfish_request request = {.boundary = gather->whole->kind->has_boundary ? boundary : NULL,
                                             .rhs = gather->array[0],
                                             .solution = gather->array[1],
                                             .boundary_stays = 1};

    starfish_plan_tell(gather->whole, job->tell, job->tell_data);
    starfish_idle_call_begin();
    const starfish_status status = starfish_job_create(gather->whole, &request, 1, &job->inner);
    starfish_idle_call_end();
    STARFISH_TRY(status);
    job->result = job->inner->result;
    return starfish_failure_repeat(&job->inner->failure);
}

/* The solution is distributed if the first rank's solve returns SUCCESS or NUMERICAL, which is then returned. */
static starfish_status solve_for_all(struct starfish_job *job, const struct starfish_boundary *boundary)
{
    struct starfish_gather *gather = job->plan->gather;
    struct starfish_failure failure = {.status = STARFISH_SUCCESS};
    starfish_status solved = STARFISH_SUCCESS;

    STARFISH_TRY(starfish_ranks_agree(gather->context, prepare(gather, &job->request)));
    STARFISH_TRY(collect(gather, job->request.rhs, gather->plane_bytes, gather->array[0]));
    if (is_first(gather))
        solved = solve(job, boundary);
    STARFISH_TRY(wait_for_first(gather));
    solved = starfish_ranks_agree(gather->context, solved);
    if (solved != STARFISH_SUCCESS && solved != STARFISH_ERROR_NUMERICAL)
        return solved;
    starfish_failure_keep(&failure, solved);
    STARFISH_TRY(starfish_ranks_broadcast(gather->context, &job->result, sizeof job->result, 0));
    STARFISH_TRY(deal(gather, gather->array[1], gather->plane_bytes, job->request.solution));
    return starfish_failure_repeat(&failure);
}

starfish_status starfish_gather_solve(struct starfish_job *job)
{
    struct starfish_gather *gather = job->plan->gather;
    struct starfish_boundary boundary; /* of all ranks */

    job->has_ended = 1;
    memset(&boundary, 0, sizeof boundary);
    if (job->plan->kind->has_boundary)
        STARFISH_TRY(collect_boundary(gather, job->request.boundary, &boundary));
    const starfish_status status = solve_for_all(job, &boundary);
    free_boundary(&boundary);
    if (!gather->whole) { /* other ranks have done nothing */
        memset(job->result.worker, 0, sizeof job->result.worker);
        job->result.host_to_device = job->result.device_to_host = job->result.device_to_device = 0;
    }
    if (status != STARFISH_ERROR_NUMERICAL)
        return status;
    starfish_failure_keep(&job->failure, status);
    return STARFISH_SUCCESS;
}

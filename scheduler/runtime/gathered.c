/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Solves that one rank does for all. Bound by the first rank: its link, which both fields pass, and its workers. */
#include "scheduler/runtime/gathered.h"

#include <stdlib.h>
#include <string.h>

static int is_first(const struct starfish_gathered *gathered)
{
    return starfish_context_rank(gathered->context) == 0;
}

/* ---- Making one -------------------------------------------------------------------------------------------------- */

static starfish_status make(struct starfish_gathered **gathered, struct starfish_context *context)
{
    const size_t ranks = (size_t)starfish_context_ranks(context);
    struct starfish_gathered *made = calloc(1, sizeof *made);
    *gathered = made;
    STARFISH_FAIL_IF(!made, STARFISH_ERROR_MEMORY, "out of memory for a plan");
    made->context = context;
    made->planes = calloc(ranks, sizeof *made->planes);
    made->bytes = calloc(ranks, sizeof *made->bytes);
    if (!made->planes || !made->bytes)
        return starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for a plan of %zu ranks", ranks);
    return is_first(made) ? starfish_context_create_alone(context, &made->alone) : STARFISH_SUCCESS;
}

starfish_status starfish_gathered_create(struct starfish_gathered **gathered, struct starfish_context *context,
                                         size_t planes)
{
    starfish_status status = starfish_ranks_agree(context, make(gathered, context));
    if (status == STARFISH_SUCCESS)
        status = starfish_ranks_gather(context, &planes, sizeof planes, (*gathered)->planes);
    for (int rank = 0; status == STARFISH_SUCCESS && rank < starfish_context_ranks(context); rank++)
        (*gathered)->all += (*gathered)->planes[rank];
    if (status == STARFISH_SUCCESS)
        return STARFISH_SUCCESS;
    starfish_gathered_destroy(*gathered);
    *gathered = NULL;
    return status;
}

void starfish_gathered_destroy(struct starfish_gathered *gathered)
{
    if (!gathered)
        return;
    starfish_context_destroy(gathered->alone);
    free(gathered->planes);
    free(gathered->bytes);
    free(gathered->array[0]);
    free(gathered->array[1]);
    free(gathered);
}

/* ---- Fields ------------------------------------------------------------------------------------------------------ */

static starfish_status moved(const struct starfish_gathered *gathered, int code)
{
    const struct starfish_transport *transport = gathered->context->ranks->transport;
    return code == 0 ? STARFISH_SUCCESS
                     : starfish_fail(STARFISH_ERROR_RUNTIME, "MPI: %s", transport->text(transport->state));
}

static const size_t *bytes_of(const struct starfish_gathered *gathered, size_t plane_bytes)
{
    for (int rank = 0; rank < starfish_context_ranks(gathered->context); rank++)
        gathered->bytes[rank] = gathered->planes[rank] * plane_bytes;
    return gathered->bytes;
}

starfish_status starfish_gathered_collect(const struct starfish_gathered *gathered, const void *own, size_t plane_bytes,
                                          void *whole)
{
    const struct starfish_transport *transport = gathered->context->ranks->transport;
    return moved(gathered, transport->collect(transport->state, own, bytes_of(gathered, plane_bytes), whole));
}

static starfish_status deal(const struct starfish_gathered *gathered, const void *whole, size_t plane_bytes, void *own)
{
    const struct starfish_transport *transport = gathered->context->ranks->transport;
    return moved(gathered, transport->deal(transport->state, whole, bytes_of(gathered, plane_bytes), own));
}

/* Other ranks sleep until the first rank arrives here and sends each of them a byte of any value. */
static starfish_status wait_for_first(const struct starfish_gathered *gathered)
{
    const struct starfish_transport *transport = gathered->context->ranks->transport;
    char token;
    for (int rank = 0; rank < starfish_context_ranks(gathered->context); rank++)
        gathered->bytes[rank] = 1;
    return moved(gathered, transport->deal(transport->state, gathered->planes, gathered->bytes, &token));
}

/* ---- Boundary data ----------------------------------------------------------------------------------------------- */

/* What a rank has of the six faces. */
struct faces {
    int array[3][2];
    double constant[3][2];
};

static starfish_status check_host(const struct starfish_gathered *gathered, const char *name, const void *memory)
{
    enum starfish_residence residence;
    int node;
    if (!memory)
        return STARFISH_SUCCESS;
    STARFISH_TRY(starfish_memory_place(gathered->context, name, memory, &node, &residence));
    return residence == STARFISH_ON_DEVICE
               ? starfish_fail(STARFISH_ERROR_UNSUPPORTED,
                               "%s is in device memory: the method solves on one rank of several, from host memory",
                               name)
               : STARFISH_SUCCESS;
}

static starfish_status check_faces(const struct starfish_gathered *gathered, const struct starfish_boundary *own)
{
    for (int face = 0; own && face < 6; face++)
        STARFISH_TRY(check_host(gathered, "boundary", own->array[face / 2][face % 2]));
    return STARFISH_SUCCESS;
}

/* The rank whose face counts: of the slowest direction the one at that end, else the first one with planes. */
static int rank_of_face(const struct starfish_gathered *gathered, int slowest, int face)
{
    const int ranks = starfish_context_ranks(gathered->context), last = face / 2 == slowest && face % 2 == 1;
    int found = 0;
    for (int i = 0; i < ranks; i++) {
        const int rank = last ? i : ranks - 1 - i;
        found = gathered->planes[rank] > 0 ? rank : found;
    }
    return found;
}

/* Who sends how much of a face. */
static starfish_status share_face(const struct starfish_gathered *gathered, const struct faces *all, int slowest,
                                  int face, size_t row_bytes)
{
    const int from = rank_of_face(gathered, slowest, face);
    for (int rank = 0; rank < starfish_context_ranks(gathered->context); rank++) {
        const int has = all[rank].array[face / 2][face % 2];
        gathered->bytes[rank] = face / 2 == slowest ? (rank == from) * row_bytes : gathered->planes[rank] * row_bytes;
        if (gathered->bytes[rank] > 0 && has != all[from].array[face / 2][face % 2])
            return starfish_fail(STARFISH_ERROR_ARGUMENT, "boundary: a face is an array on some ranks alone");
        gathered->bytes[rank] *= (size_t)has;
    }
    return STARFISH_SUCCESS;
}

static starfish_status collect_face(const struct starfish_gathered *gathered, const struct starfish_boundary *own,
                                    int face, struct starfish_boundary *whole)
{
    const struct starfish_transport *transport = gathered->context->ranks->transport;
    size_t bytes = 0;
    void *memory = NULL;
    for (int rank = 0; rank < starfish_context_ranks(gathered->context); rank++)
        bytes += gathered->bytes[rank];
    if (bytes == 0)
        return STARFISH_SUCCESS;
    if (is_first(gathered))
        whole->array[face / 2][face % 2] = memory = malloc(bytes);
    STARFISH_TRY(starfish_ranks_agree(gathered->context,
                                      memory || !is_first(gathered)
                                          ? STARFISH_SUCCESS
                                          : starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for boundary data")));
    return moved(gathered,
                 transport->collect(transport->state, own->array[face / 2][face % 2], gathered->bytes, memory));
}

static starfish_status collect_faces(const struct starfish_gathered *gathered, const size_t row_bytes[3], int slowest,
                                     const struct starfish_boundary *own, const struct faces *all,
                                     struct starfish_boundary *whole)
{
    for (int face = 0; face < 6; face++) {
        const int from = rank_of_face(gathered, slowest, face);
        STARFISH_TRY(share_face(gathered, all, slowest, face, row_bytes[face / 2]));
        STARFISH_TRY(collect_face(gathered, own, face, whole));
        whole->constant[face / 2][face % 2] = all[from].constant[face / 2][face % 2];
    }
    return STARFISH_SUCCESS;
}

starfish_status starfish_gathered_boundary(const struct starfish_gathered *gathered, const size_t n[3], int slowest,
                                           starfish_precision precision, const struct starfish_boundary *own,
                                           struct starfish_boundary *whole)
{
    static const struct starfish_boundary none;
    size_t row_bytes[3];
    const int ranks = starfish_context_ranks(gathered->context);
    struct faces here = {.constant = {{0}}}, *all = calloc((size_t)ranks, sizeof *all);
    *whole = none;
    own = own ? own : &none;
    for (int axis = 0; axis < 3; axis++) { /* of a plane; across the planes the whole face */
        row_bytes[axis] = starfish_real_size(precision);
        for (int d = 0; d < 3; d++)
            row_bytes[axis] *= d == axis || d == slowest ? 1 : n[d];
    }
    for (int face = 0; face < 6; face++) {
        here.array[face / 2][face % 2] = own->array[face / 2][face % 2] != NULL;
        here.constant[face / 2][face % 2] = own->constant[face / 2][face % 2];
    }
    starfish_status status =
        all ? check_faces(gathered, own) : starfish_fail(STARFISH_ERROR_MEMORY, "out of memory for %d ranks", ranks);
    status = starfish_ranks_agree(gathered->context, status);
    if (status == STARFISH_SUCCESS)
        status = starfish_ranks_gather(gathered->context, &here, sizeof here, all);
    if (status == STARFISH_SUCCESS)
        status = collect_faces(gathered, row_bytes, slowest, own, all, whole);
    free(all);
    if (status != STARFISH_SUCCESS)
        starfish_gathered_free_boundary(whole);
    return status;
}

void starfish_gathered_free_boundary(struct starfish_boundary *whole)
{
    for (int face = 0; face < 6; face++)
        free((void *)(uintptr_t)whole->array[face / 2][face % 2]);
    *whole = (struct starfish_boundary){.array = {{NULL}}};
}

/* ---- Solves ------------------------------------------------------------------------------------------------------ */

static starfish_status prepare(struct starfish_gathered *gathered, const struct starfish_gathered_solve *request)
{
    const size_t bytes = gathered->all * request->plane_bytes;
    if (gathered->planes[starfish_context_rank(gathered->context)] > 0) {
        STARFISH_NEED(request->rhs, "rhs");
        STARFISH_NEED(request->solution, "solution");
        STARFISH_TRY(check_host(gathered, "rhs", request->rhs));
        STARFISH_TRY(check_host(gathered, "solution", request->solution));
    }
    for (int i = 0; i < 2 && is_first(gathered) && gathered->array_bytes < bytes; i++) {
        free(gathered->array[i]);
        gathered->array[i] = malloc(bytes);
        if (!gathered->array[i]) {
            gathered->array_bytes = 0;
            return starfish_fail(STARFISH_ERROR_MEMORY,
                                 "out of memory for a whole field of %zu bytes on the first rank", bytes);
        }
    }
    if (gathered->array_bytes < bytes)
        gathered->array_bytes = bytes;
    return STARFISH_SUCCESS;
}

starfish_status starfish_gathered_solve(struct starfish_gathered *gathered,
                                        const struct starfish_gathered_solve *request)
{
    struct starfish_context *context = gathered->context;
    starfish_status solved = STARFISH_SUCCESS;
    STARFISH_TRY(starfish_ranks_agree(context, prepare(gathered, request)));
    STARFISH_TRY(starfish_gathered_collect(gathered, request->rhs, request->plane_bytes, gathered->array[0]));
    if (is_first(gathered))
        solved = request->solve(request->self, gathered->array[0], gathered->array[1]);
    STARFISH_TRY(wait_for_first(gathered));
    solved = starfish_ranks_agree(context, solved);
    if (solved != STARFISH_SUCCESS && solved != STARFISH_ERROR_NUMERICAL)
        return solved;
    struct starfish_failure failure = {.status = STARFISH_SUCCESS};
    starfish_failure_keep(&failure, solved);
    STARFISH_TRY(starfish_ranks_broadcast(context, request->told, request->told_bytes, 0));
    STARFISH_TRY(deal(gathered, gathered->array[1], request->plane_bytes, request->solution));
    return starfish_failure_repeat(&failure);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of functions over StarPU-MPI and MPI (scheduler/runtime/transport.h). Errors of MPI become texts; nothing
 * here ends the process. */
#include "mpi/transport.h"

#include "mpi/share.h"

#include <starpu_mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct state {
    struct starfish_transport transport;
    MPI_Comm data, agreement; /* StarPU-MPI's messages, and ours: its thread must not take these for its own */
    char text[256];
};

/* StarPU-MPI has one communicator and one thread in a process. */
static int in_use;

static int explain(struct state *state, const char *what, int code)
{
    char error[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, error, &length);
    snprintf(state->text, sizeof state->text, "%s: %.*s", what, length, error);
    return -1;
}

static const char *text_of(void *data)
{
    const struct state *state = data;
    return state->text;
}

/* ---- The runtime ------------------------------------------------------------------------------------------------- */

static int take_share(void *data, int asked, struct starfish_node_share *share)
{
    struct state *state = data;
    return starfish_mpi_take_share(state->agreement, asked, share, state->text, sizeof state->text);
}

/* The thread that moves messages is bound to no core, so that it takes none from a worker: it sleeps while nothing is
 * on its way, and runs where there is room else. */
static int start(void *data)
{
    struct state *state = data;
    setenv("STARPU_MPI_NOBIND", "1", 0);
    const int code = starpu_mpi_init_comm(NULL, NULL, 0, state->data);
    if (code != 0)
        snprintf(state->text, sizeof state->text, "starpu_mpi_init_comm returned %d", code);
    return code == 0 ? 0 : -1;
}

static void stop(void *data)
{
    const struct state *state = data;
    starpu_mpi_shutdown_comm(state->data);
}

/* ---- Data -------------------------------------------------------------------------------------------------------- */

static void name_data(void *data, starpu_data_handle_t handle, int64_t tag, int owner)
{
    const struct state *state = data;
    starpu_mpi_data_register_comm(handle, (starpu_mpi_tag_t)tag, owner, state->data);
}

static int send(struct state *state, starpu_data_handle_t handle, int to, int priority, void (*done)(void *))
{
    const int code =
        starpu_mpi_isend_detached_prio(handle, to, starpu_mpi_data_get_tag(handle), priority, state->data, done, NULL);
    if (code == 0)
        return 1;
    snprintf(state->text, sizeof state->text, "starpu_mpi_isend_detached to rank %d returned %d", to, code);
    return -1;
}

static int receive(struct state *state, starpu_data_handle_t handle, int from, int priority)
{
    const int code = starpu_mpi_irecv_detached_prio(handle, from, starpu_mpi_data_get_tag(handle), priority,
                                                    state->data, NULL, NULL);
    if (code == 0)
        return 0;
    snprintf(state->text, sizeof state->text, "starpu_mpi_irecv_detached from rank %d returned %d", from, code);
    return -1;
}

static int fetch(void *data, starpu_data_handle_t handle, int to, int priority, void (*done)(void *))
{
    struct state *state = data;
    const int me = state->transport.rank, owner = starpu_mpi_data_get_rank(handle);
    if (owner == to || (me != owner && me != to))
        return 0;
    if (me == owner)
        return starpu_mpi_cached_send_set(handle, to) ? 0 : send(state, handle, to, priority, done);
    return starpu_mpi_cached_receive_set(handle) ? 0 : receive(state, handle, owner, priority);
}

static int give_back(void *data, starpu_data_handle_t handle, int from, int priority, void (*done)(void *))
{
    struct state *state = data;
    const int me = state->transport.rank, owner = starpu_mpi_data_get_rank(handle);
    int posted = 0;
    if (owner != from && me == owner)
        posted = receive(state, handle, from, priority);
    else if (owner != from && me == from)
        posted = send(state, handle, owner, priority, done);
    starpu_mpi_cached_send_clear(handle);
    starpu_mpi_cached_receive_clear(handle);
    return posted;
}

/* The record says of each of these ranks what it would say if the data had travelled there. */
static void keep(void *data, starpu_data_handle_t handle, int ranks, const int *rank)
{
    const struct state *state = data;
    const int me = state->transport.rank, owner = starpu_mpi_data_get_rank(handle);
    int here = 0;
    starpu_mpi_cached_send_clear(handle);
    for (int r = 0; r < ranks; r++) {
        here |= rank[r] == me;
        if (me == owner && rank[r] != me)
            starpu_mpi_cached_send_set(handle, rank[r]);
    }
    if (!here)
        starpu_mpi_cached_receive_clear(handle);
    else if (me != owner)
        starpu_mpi_cached_receive_set(handle);
}

/* ---- Collectives ------------------------------------------------------------------------------------------------- */

static int gather(void *data, const void *own, size_t bytes, void *all)
{
    struct state *state = data;
    const int code = MPI_Allgather(own, (int)bytes, MPI_BYTE, all, (int)bytes, MPI_BYTE, state->agreement);
    return code == MPI_SUCCESS ? 0 : explain(state, "MPI_Allgather", code);
}

static int broadcast(void *data, void *values, size_t bytes, int from)
{
    struct state *state = data;
    const int code = MPI_Bcast(values, (int)bytes, MPI_BYTE, from, state->agreement);
    return code == MPI_SUCCESS ? 0 : explain(state, "MPI_Bcast", code);
}

/* ---- Fields ------------------------------------------------------------------------------------------------------ */

enum { MOST_BYTES = 1 << 30, FIELD_TAG = 1 }; /* of a message, whose length MPI counts in ints */

/* A message may be long in coming: no core is taken by the wait. */
static int await(struct state *state, int from)
{
    struct timespec nap = {.tv_nsec = 20000};
    int there = 0;
    for (;;) {
        const int code = MPI_Iprobe(from, FIELD_TAG, state->agreement, &there, MPI_STATUS_IGNORE);
        if (code != MPI_SUCCESS || there)
            return code;
        nanosleep(&nap, NULL);
        nap.tv_nsec = nap.tv_nsec < 1000000 ? 2 * nap.tv_nsec : nap.tv_nsec;
    }
}

static int receive_bytes(struct state *state, char *to, size_t bytes, int from)
{
    for (size_t at = 0; at < bytes; at += MOST_BYTES) {
        const size_t count = bytes - at < MOST_BYTES ? bytes - at : MOST_BYTES;
        int code = await(state, from);
        if (code == MPI_SUCCESS)
            code = MPI_Recv(to + at, (int)count, MPI_BYTE, from, FIELD_TAG, state->agreement, MPI_STATUS_IGNORE);
        if (code != MPI_SUCCESS)
            return explain(state, "MPI_Recv", code);
    }
    return 0;
}

static int send_bytes(struct state *state, const char *from, size_t bytes, int to)
{
    for (size_t at = 0; at < bytes; at += MOST_BYTES) {
        const size_t count = bytes - at < MOST_BYTES ? bytes - at : MOST_BYTES;
        const int code = MPI_Send(from + at, (int)count, MPI_BYTE, to, FIELD_TAG, state->agreement);
        if (code != MPI_SUCCESS)
            return explain(state, "MPI_Send", code);
    }
    return 0;
}

static int collect(void *data, const void *own, const size_t *bytes, void *all)
{
    struct state *state = data;
    const int me = state->transport.rank;
    char *to = all;
    if (me > 0)
        return send_bytes(state, own, bytes[me], 0);
    if (bytes[0] > 0)
        memcpy(to, own, bytes[0]);
    for (int rank = 1; rank < state->transport.ranks; rank++) {
        to += bytes[rank - 1];
        if (receive_bytes(state, to, bytes[rank], rank) != 0)
            return -1;
    }
    return 0;
}

static int deal(void *data, const void *all, const size_t *bytes, void *own)
{
    struct state *state = data;
    const int me = state->transport.rank;
    const char *from = all;
    if (me > 0)
        return receive_bytes(state, own, bytes[me], 0);
    if (bytes[0] > 0)
        memcpy(own, from, bytes[0]);
    for (int rank = 1; rank < state->transport.ranks; rank++) {
        from += bytes[rank - 1];
        if (send_bytes(state, from, bytes[rank], rank) != 0)
            return -1;
    }
    return 0;
}

/* ---- Making one -------------------------------------------------------------------------------------------------- */

/* What MPI itself would end the program for is looked at before MPI is called. */
static int check_mpi(MPI_Comm communicator, char *text, size_t size)
{
    int there = 0, gone = 0, level = MPI_THREAD_SINGLE;
    MPI_Initialized(&there);
    MPI_Finalized(&gone);
    if (there && !gone)
        MPI_Query_thread(&level);
    if (!there || gone)
        snprintf(text, size, gone ? "MPI has been finalised" : "MPI is not initialised");
    else if (communicator == MPI_COMM_NULL || communicator == (MPI_Comm)0)
        snprintf(text, size, "there is no such communicator");
    else if (level != MPI_THREAD_MULTIPLE)
        snprintf(text, size, "MPI must be initialised by MPI_Init_thread with MPI_THREAD_MULTIPLE");
    else if (in_use)
        snprintf(text, size, "there is a context on a communicator already: StarPU-MPI has one in a process");
    else
        return 0;
    return -1;
}

static void set_functions(struct state *state)
{
    state->transport.size = sizeof state->transport;
    state->transport.state = state;
    state->transport.take_share = take_share;
    state->transport.start = start;
    state->transport.stop = stop;
    state->transport.text = text_of;
    state->transport.name = name_data;
    state->transport.fetch = fetch;
    state->transport.give_back = give_back;
    state->transport.keep = keep;
    state->transport.gather = gather;
    state->transport.broadcast = broadcast;
    state->transport.collect = collect;
    state->transport.deal = deal;
}

struct starfish_transport *starfish_mpi_transport_create(MPI_Comm communicator, char *text, size_t size)
{
    if (check_mpi(communicator, text, size) != 0)
        return NULL;
    struct state *state = calloc(1, sizeof *state);
    int there = state != NULL, all = 0;
    if (MPI_Allreduce(&there, &all, 1, MPI_INT, MPI_MIN, communicator) != MPI_SUCCESS || !all || !state) {
        snprintf(text, size, "no memory, or the communicator cannot be used");
        free(state);
        return NULL;
    }
    if (MPI_Comm_dup(communicator, &state->data) != MPI_SUCCESS ||
        MPI_Comm_dup(communicator, &state->agreement) != MPI_SUCCESS) {
        snprintf(text, size, "MPI_Comm_dup failed");
        free(state);
        return NULL;
    }
    MPI_Comm_set_errhandler(state->agreement, MPI_ERRORS_RETURN);
    MPI_Comm_rank(state->data, &state->transport.rank);
    MPI_Comm_size(state->data, &state->transport.ranks);
    set_functions(state);
    in_use = 1;
    return &state->transport;
}

void starfish_mpi_transport_destroy(struct starfish_transport *transport)
{
    struct state *state = transport ? transport->state : NULL;
    int finalized = 0;
    if (!state)
        return;
    MPI_Finalized(&finalized);
    if (!finalized) {
        MPI_Comm_free(&state->agreement);
        MPI_Comm_free(&state->data);
    }
    in_use = 0;
    free(state);
}

const struct starfish_transport *starfish_mpi_open(char *text, size_t size)
{
    int level;
    /* Ranks that wait for each other must not keep others from their cores. */
    setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0);
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_MULTIPLE, &level) != MPI_SUCCESS) {
        snprintf(text, size, "MPI_Init_thread failed");
        return NULL;
    }
    return starfish_mpi_transport_create(MPI_COMM_WORLD, text, size);
}

void starfish_mpi_close(const struct starfish_transport *transport)
{
    starfish_mpi_transport_destroy(transport ? transport->state : NULL);
    MPI_Finalize();
}

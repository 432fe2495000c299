/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Right-hand sides and solutions of solves that are measured (arrays.h): memory at a place, filled on the host and
 * copied there. */
#include "apps/plans/arrays.h"

#include "base/precision.h"
#include "base/real.h"
#include "base/status.h"
#include "bench/peers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void *solve_memory(starfish_context *context, enum solve_place place, size_t bytes, const void *values)
{
    void *memory = NULL;

    if (place == SOLVE_DEVICE)
        memory = peer_device_alloc(bytes);
    else if (place == SOLVE_PAGEABLE)
        memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    else if (starfish_alloc(context, bytes, &memory) != STARFISH_SUCCESS)
        return NULL;
    if (!memory || !values)
        return memory;
    if (place != SOLVE_DEVICE)
        return memcpy(memory, values, bytes);
    if (peer_device_write(memory, values, bytes))
        return memory;
    peer_device_free(memory);
    return NULL;
}

void solve_memory_free(starfish_context *context, enum solve_place place, size_t bytes, void *memory)
{
    if (place == SOLVE_DEVICE)
        peer_device_free(memory);
    else if (place == SOLVE_PAGEABLE)
        free(memory);
    else if (memory)
        starfish_free(context, memory, bytes);
}

static size_t bytes_of(const struct solve_arrays *a)
{
    return a->count * starfish_real_size(a->precision);
}

static void fill(const struct solve_arrays *a, void *array, const double *load, double constant)
{
    if (!load && isnan(constant))
        solve_array_random(array, a->precision, a->count);
    else
        for (size_t i = 0; i < a->count; i++)
            starfish_element_set(array, a->precision, i, load ? load[i] : constant);
}

starfish_status solve_arrays_make(struct solve_arrays *a, const double *load, double constant)
{
    void *host = a->place == SOLVE_DEVICE ? malloc(bytes_of(a)) : NULL;
    int made = a->place != SOLVE_DEVICE || host;

    if (host)
        fill(a, host, load, constant);
    a->rhs = made ? solve_memory(a->context, a->place, bytes_of(a), host) : NULL;
    a->solution = made ? solve_memory(a->context, a->place, bytes_of(a), host) : NULL;
    made = a->rhs && a->solution;
    if (made && !host) {
        fill(a, a->rhs, load, constant);
        memset(a->solution, 0, bytes_of(a));
    }
    free(host);
    return made ? STARFISH_SUCCESS
                : starfish_fail(STARFISH_ERROR_MEMORY, "no memory for two arrays of %zu bytes", bytes_of(a));
}

void solve_arrays_free(struct solve_arrays *a)
{
    solve_memory_free(a->context, a->place, bytes_of(a), a->rhs);
    solve_memory_free(a->context, a->place, bytes_of(a), a->solution);
    a->rhs = a->solution = NULL;
}

void solve_array_random(void *array, starfish_precision precision, size_t count)
{
    unsigned state = 1;

    for (size_t i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u; /* the linear congruential generator of Numerical Recipes */
        starfish_element_set(array, precision, i, (double)(state >> 8) / (1 << 24) - 0.5);
    }
}

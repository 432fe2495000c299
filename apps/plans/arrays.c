/* Right-hand sides and solutions of solves that are measured. */
#include "apps/plans/arrays.h"

#include "base/precision.h"
#include "base/real.h"
#include "base/status.h"
#include "bench/peers.h"

static size_t bytes_of(const struct solve_arrays *a)
{
    return a->count * starfish_real_size(a->precision);
}

starfish_status solve_arrays_make(struct solve_arrays *a, const double *load, double constant, int device)
{
    STARFISH_TRY(starfish_alloc(a->context, bytes_of(a), &a->rhs));
    STARFISH_TRY(starfish_alloc(a->context, bytes_of(a), &a->solution));
    for (size_t i = 0; i < a->count; i++)
        starfish_element_set(a->rhs, a->precision, i, load ? load[i] : constant);
    if (!device)
        return STARFISH_SUCCESS;
    for (int array = 0; array < 2; array++)
        a->on_device[array] = peer_device_alloc(bytes_of(a));
    if (!a->on_device[0] || !a->on_device[1] || !peer_device_write(a->on_device[0], a->rhs, bytes_of(a)))
        return starfish_fail(STARFISH_ERROR_MEMORY, "no memory for arrays of %zu bytes on the GPU", bytes_of(a));
    return STARFISH_SUCCESS;
}

void solve_arrays_free(struct solve_arrays *a)
{
    starfish_free(a->context, a->rhs, bytes_of(a));
    starfish_free(a->context, a->solution, bytes_of(a));
    for (int array = 0; array < 2; array++)
        peer_device_free(a->on_device[array]);
}

void solve_array_random(void *array, starfish_precision precision, size_t count)
{
    unsigned state = 1;

    for (size_t i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u; /* the linear congruential generator of Numerical Recipes */
        starfish_element_set(array, precision, i, (double)(state >> 8) / (1 << 24) - 0.5);
    }
}

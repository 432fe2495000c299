/* Right-hand sides and solutions of solves that are measured. */
#ifndef STARFISH_APPS_PLANS_ARRAYS_H
#define STARFISH_APPS_PLANS_ARRAYS_H

#include <starfish/starfish.h>

/* Set context, precision and count; zero the rest. */
struct solve_arrays {
    starfish_context *context;
    starfish_precision precision;
    size_t count;         /* elements of an array */
    void *rhs, *solution; /* in host memory, pinned where there are GPUs */
    void *on_device[2];   /* the same two in device memory, where that was asked for, else NULL */
};

/* rhs[i] = load[i], or `constant` where load is NULL; `device`: on the device as well. Free them also after a failure.
 * Errors: MEMORY. */
starfish_status solve_arrays_make(struct solve_arrays *arrays, const double *load, double constant, int device);
void solve_arrays_free(struct solve_arrays *arrays);

/* `count` numbers between -0.5 and 0.5, the same ones in every run. */
void solve_array_random(void *array, starfish_precision precision, size_t count);

#endif

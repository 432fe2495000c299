/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Right-hand sides and solutions of solves that are measured: pageable or pinned host memory, or the memory of a
 * GPU. */
#ifndef STARFISH_APPS_PLANS_ARRAYS_H
#define STARFISH_APPS_PLANS_ARRAYS_H

#include <starfish/starfish.h>

/* Where arrays are: in host memory as malloc has it, or pinned where there are GPUs, or in a GPU's memory. */
enum solve_place { SOLVE_PAGEABLE, SOLVE_PINNED, SOLVE_DEVICE };

/* NULL without memory. `values`: what it holds then; or NULL. */
void *solve_memory(starfish_context *context, enum solve_place place, size_t bytes, const void *values);
void solve_memory_free(starfish_context *context, enum solve_place place, size_t bytes, void *memory);

/* Set context, precision, count and place; zero the rest. */
struct solve_arrays {
    starfish_context *context;
    starfish_precision precision;
    enum solve_place place;
    size_t count; /* elements of an array */
    void *rhs, *solution;
};

/* rhs[i] = load[i], or `constant` where load is NULL; NaN: random numbers. Every page of both is there then. Free them
 * also after a failure. Errors: MEMORY. */
starfish_status solve_arrays_make(struct solve_arrays *arrays, const double *load, double constant);
void solve_arrays_free(struct solve_arrays *arrays);

/* `count` numbers between -0.5 and 0.5, the same ones in every run. */
void solve_array_random(void *array, starfish_precision precision, size_t count);

#endif

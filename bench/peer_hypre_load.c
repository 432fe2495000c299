/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hypre by its module, if there is one where it was built. */
#include "bench/peer_hypre.h"

#include <dlfcn.h>
#include <string.h>

typedef __typeof__(peer_hypre_here) peer_hypre_function;

/* Stays loaded: MPI ends with the process. MPI's own modules want to see its symbols. */
static peer_hypre_function *find(void)
{
    peer_hypre_function *function = NULL;
#ifdef STARFISH_HYPRE_MODULE
    void *module = dlopen(STARFISH_HYPRE_MODULE, RTLD_NOW | RTLD_GLOBAL);
    void *symbol = module ? dlsym(module, "peer_hypre_here") : NULL;

    memcpy(&function, &symbol, sizeof function); /* C has no cast from an object's pointer to a function's */
#endif
    return function;
}

int peer_hypre(enum peer_hypre_solver which, const struct peer_hypre_problem *p, double *solution, int repeat,
               double *seconds, double *setup, int *iterations)
{
    peer_hypre_function *const function = find();

    return function ? function(which, p, solution, repeat, seconds, setup, iterations) : 0;
}

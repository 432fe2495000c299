/* The methods of the separable solvers. */
#ifndef STARFISH_POISSON_METHODS_H
#define STARFISH_POISSON_METHODS_H

#include <starfish/poisson.h>

enum { STARFISH_METHODS = STARFISH_METHOD_MULTIGRID + 1 };

/* Their names by enum starfish_method, "auto" first, and NULL behind the last one. */
extern const char *const starfish_method_list[STARFISH_METHODS + 1];

#endif

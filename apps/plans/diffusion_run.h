/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pressure equations of two-phase flow solved again and again, for `starfish bench dpcg` and `starfish reproduce
 * gupta-...`: the problems, the seven versions of the paper's code, times. */
#ifndef STARFISH_APPS_PLANS_DIFFUSION_RUN_H
#define STARFISH_APPS_PLANS_DIFFUSION_RUN_H

#include "apps/measured/repeat.h"

#include <starfish/starfish.h>

/* A problem and its data, of which `problem` has pointers. */
struct diffusion_case {
    struct starfish_diffusion_problem problem;
    size_t count;
    double *k, *rhs, *exact; /* k and exact may be NULL */
    long long *regions;      /* or NULL */
    int dirichlet_nodes;     /* the option of that name */
};
/* The paper's first matrix: n x n unknowns, 4 on the diagonal and -1 beside it; a solution of random numbers in [1, 2],
 * always the same ones, and the right-hand side that belongs to it. */
starfish_status diffusion_laplacian(size_t n, struct diffusion_case *given);
/* n cells per direction of the unit square or cube, Neumann; bubbles (four in 2D, five in 3D) with a coefficient
 * `contrast` times that of what is around them; f a product of cosines. */
starfish_status diffusion_bubbles(size_t dimensions, size_t n, double contrast, struct diffusion_case *given);
/* n x n, Neumann: two phases with an interface through the middle, whose coefficients are as 1 to contrast; arithmetic
 * means, as the paper's stencil has them. */
starfish_status diffusion_two_phase(size_t n, double contrast, struct diffusion_case *given);
void diffusion_case_free(struct diffusion_case *given);

/* The paper's versions, DPCG1 to DPCG7 in its order, as options of the one solver. */
enum { DIFFUSION_VERSIONS = 7 };
struct diffusion_version {
    const char *name, *says; /* the paper's name; what it adds */
    int preconditioned, deflated, incomplete_poisson;
    int stores_az, fast_coarse; /* optimisations of level 1 and 2 */
};
extern const struct diffusion_version diffusion_versions[DIFFUSION_VERSIONS];
/* Options of a version for n x n unknowns: blocks of `block` unknowns, `vectors` stripes. */
void diffusion_set_version(const struct diffusion_version *version, size_t block, size_t vectors,
                           struct starfish_diffusion_options *options);

/* Solve a case as often as `what` says, with its arrays; what is not solved is a result too. */
starfish_status diffusion_repeat(const struct diffusion_case *given, const struct starfish_diffusion_options *options,
                                 struct repeats what, struct repeated *times);

#endif

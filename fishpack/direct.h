/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Direct solves of separable problems (weight X + Y + Z) u = f: small ones in the calling thread, without StarPU.
 *
 * x and y are transformed, or x changes to the eigenvectors of its matrix, and lines in z are tridiagonal systems. A
 * field has x fastest, then y, then z. What depends on x and y alone is kept between calls (kept.h); z may change with
 * every call, at no cost. A large problem that is solved for the second time becomes a plan of the library
 * (starfish/fishpack.h says from which size on, and on which workers). */
#ifndef STARFISH_FISHPACK_DIRECT_H
#define STARFISH_FISHPACK_DIRECT_H

#include "poisson/direction.h"
#include <starfish/poisson.h>

/* Longer matrices in x are not diagonalised but reduced, by a plan, where there may be any. */
enum { STARFISH_MOST_DIAGONALISED = 1024 };
enum { STARFISH_DIRECT_PLAIN = -1 }; /* no kind of problem: its axes have no metric */

struct starfish_direct {
    /* n = 1 for y in two dimensions. x.scale_y: what right-hand sides are multiplied by. z.weight_x: what rows multiply
     * X by, 0 where a row's unknowns are one. z.imaginary: complex lines. z has lambda. */
    struct starfish_direction x, y, z;
    /* The same problem for a plan, z without lambda where the kind has it. Where axis[0] is a matrix, the plan is of
     * starfish_separable2d_plan_create and reduces along x. */
    struct starfish_axis axis[3];
    int kind;                           /* starfish_kind, or STARFISH_DIRECT_PLAIN */
    double lambda;                      /* of that kind */
    size_t parts;                       /* doubles of a number: 1, or 2 of complex ones */
    int no_plan;                        /* axes do not say all */
    struct starfish_prepared *prepared; /* NULL, or what starfish_direct_prepare has found */
};

/* Finds what solves in the calling thread need, for directions that stay, until `unprepare`. Errors: NOT_SYMMETRIZABLE,
 * MEMORY, NUMERICAL (LAPACK). */
starfish_status starfish_direct_prepare(struct starfish_direct *direct);
void starfish_direct_unprepare(struct starfish_direct *direct);
/* Frees the directions, and unprepares. */
void starfish_direct_free(struct starfish_direct *direct);

/* All that an axis says, coefficients included. */
struct starfish_key;
void starfish_key_add_axis(struct starfish_key *key, const struct starfish_axis *axis);

/* How a problem will be solved, and where its unknowns lie. */
struct starfish_direct_way {
    double *field; /* all unknowns */
    size_t x, z;   /* numbers from one unknown to the next, in two dimensions */
    int by_plan;   /* not in the calling thread */
    struct starfish_prepared *prepared;
    int is_found; /* prepared is to be released */
    int is_lent;  /* the field's memory, by what is kept */
    void *memory; /* else the solve's own */
};
/* Errors: NOT_SYMMETRIZABLE, MEMORY, NUMERICAL (LAPACK). */
starfish_status starfish_direct_begin(const struct starfish_direct *direct, struct starfish_direct_way *way);
/* Solves in the field. The right-hand side of a singular problem must have no pertrb, and any constant may be added to
 * its solution. Errors: MEMORY, and those of plans. */
starfish_status starfish_direct_solve(const struct starfish_direct *direct, const struct starfish_direct_way *way);
/* After a begin that has succeeded; the field is no more. */
void starfish_direct_end(struct starfish_direct_way *way);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Flat domains written down from the definitions of include/starfish/atmosphere.h, sharing no code with the solver: the
 * box by differences of values, the panel by vectors in space. */
#ifndef STARFISH_TESTS_ATMOSPHERE_ORACLE_H
#define STARFISH_TESTS_ATMOSPHERE_ORACLE_H

#include <starfish/atmosphere.h>

/* f = A u, equations per volume; both n[0] * n[1] * n[2], x fastest, then y. */
void test_atmosphere_apply(const struct starfish_atmosphere_problem *problem, const double *u, double *f);

/* The middle of cell (i,j,k): in a box its coordinates, on a panel a point of the unit sphere and its height in
 * place[3]. */
void test_atmosphere_place(const struct starfish_atmosphere_problem *problem, const size_t cell[3], double place[4]);

#endif

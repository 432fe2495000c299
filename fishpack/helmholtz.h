/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ten two-dimensional drivers of FISHPACK: HW... on nodes, HST... on cells, in five systems of coordinates. */
#ifndef STARFISH_FISHPACK_HELMHOLTZ_H
#define STARFISH_FISHPACK_HELMHOLTZ_H

#include "fishpack/arguments.h"
#include "fishpack/shape.h"

/* IERROR: that of the last test that fails, 0 where none does. *solves: whether the call goes on. */
int starfish_helmholtz_error(const struct starfish_helmholtz *problem, int *solves);

/* Solves, and sets f, PERTRB and IERROR. Errors: ARGUMENT (IERROR says which one), and those of solves. */
starfish_status starfish_helmholtz_call(struct starfish_call *call, enum starfish_coordinate_system system, int cells);

#endif

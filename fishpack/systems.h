/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* FISHPACK's routines for systems of equations: coefficients in the first direction, and in the second one either
 * second differences of unit spacing or coefficients too. */
#ifndef STARFISH_FISHPACK_SYSTEMS_H
#define STARFISH_FISHPACK_SYSTEMS_H

#include "fishpack/arguments.h"

enum starfish_system { STARFISH_SYSTEM_GENBUN, STARFISH_SYSTEM_CMGNBN, STARFISH_SYSTEM_POISTG };

/* Solve, and set y and IERROR. Errors: ARGUMENT (IERROR says which one), and those of solves. */
starfish_status starfish_genbun_call(struct starfish_call *call, enum starfish_system system);
starfish_status starfish_blktri_call(struct starfish_call *call, int is_complex);
starfish_status starfish_pois3d_call(struct starfish_call *call);
starfish_status starfish_hw3crt_call(struct starfish_call *call);

#endif

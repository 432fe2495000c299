/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SEPELI and SEPX4: separable equations whose coefficients are the caller's functions, in second order or, by one
 * deferred correction, in fourth. */
#ifndef STARFISH_FISHPACK_SEPARABLE_H
#define STARFISH_FISHPACK_SEPARABLE_H

#include "fishpack/arguments.h"

/* Solves, and sets USOL, GRHS, W(1), PERTRB and IERROR; `constant_y`: SEPX4. Errors: ARGUMENT (IERROR says which one),
 * and those of solves. */
starfish_status starfish_sepeli_call(struct starfish_call *call, int constant_y);

#endif

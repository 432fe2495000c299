/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lengths of FISHPACK's work array W, which these routines return in W(1) and do not use. */
#ifndef STARFISH_FISHPACK_WORK_H
#define STARFISH_FISHPACK_WORK_H

#include "fishpack/arguments.h"
#include <starfish/fishpack.h>

double starfish_work_of_sepeli(int m, int n, int periodic);
double starfish_work_of_sepx4(int m, int n);
/* After a call that has solved: W(1), of routines that set it and neither of those two. */
void starfish_work_set(const struct starfish_call *call, starfish_fishpack_routine routine);

#endif

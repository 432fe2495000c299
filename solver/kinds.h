/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kinds of plans, a row for each starfish_kind(NAME) in the CMakeLists.txt of a folder, which defines
 * starfish_kind_NAME. The table is written when a build is configured (StarfishTargets.cmake), since this folder knows
 * no kind. */
#ifndef STARFISH_SOLVER_KINDS_H
#define STARFISH_SOLVER_KINDS_H

#include "solver/solver.h"

extern const struct starfish_kind *const starfish_kinds[]; /* ended by NULL */

#endif

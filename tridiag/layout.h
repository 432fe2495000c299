/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Layouts of a batch's arrays: checks, and extents and strides by direction. */
#ifndef STARFISH_TRIDIAG_LAYOUT_H
#define STARFISH_TRIDIAG_LAYOUT_H

#include "codelets/batch.h"

/* Strides of directions of extent 1 do not matter, and become 1. */
struct starfish_tridiag_problem starfish_batch_normalised(const struct starfish_tridiag_problem *problem);
/* Of a problem with those: errors ARGUMENT (names the member). */
starfish_status starfish_batch_check_layouts(const struct starfish_tridiag_problem *problem);

/* Lower, diag or upper; one line where all share the coefficients. */
struct starfish_batch_extents starfish_batch_coefficients(const struct starfish_tridiag_problem *problem);
/* Right-hand sides or solutions. */
struct starfish_batch_extents starfish_batch_vectors(const struct starfish_tridiag_problem *problem);

#endif

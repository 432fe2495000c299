/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pictures of a benchmark's rows, for the options --plot and --roofline of all that measures: bars, curves and a
 * roofline. */
#ifndef STARFISH_APPS_FRAME_DRAW_H
#define STARFISH_APPS_FRAME_DRAW_H

#include "apps/frame/frame.h"

/* bench->plot: the times as bars, or, where the bench says so, curves over one of the rows' numbers. Errors: FILE,
 * MEMORY, UNSUPPORTED (there is nothing to draw). */
starfish_status bench_draw(const struct bench *bench);
/* bench->roofline: operations per second over operations per byte, of the rows that know both, under the rates of
 * memory that they were compared with. Errors: the same. */
starfish_status bench_draw_roofline(const struct bench *bench);

#endif

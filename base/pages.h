/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Memory for large arrays that are walked across: in large pages where the system has them, as a column of an array of
 * 4 KiB rows touches a page per row, and the processor remembers few. Measured: line smoothing on 511^2 unknowns takes
 * a fifth less. */
#ifndef STARFISH_BASE_PAGES_H
#define STARFISH_BASE_PAGES_H

#include <stddef.h>

/* Aligned to 64 bytes, not cleared; released by free(). NULL when there is none. */
void *starfish_pages_alloc(size_t bytes);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Allocation of large arrays in large pages, if the system has them, for loops across rows: a column of an array with 4
 * KiB rows touches one page per row, and TLBs are small. Measured: line smoothing on 511^2 unknowns takes a fifth less
 * time. */
#ifndef STARFISH_BASE_PAGES_H
#define STARFISH_BASE_PAGES_H

#include <stddef.h>

/* Aligned to 64 bytes, not cleared; released by free(). NULL when there is none. */
void *starfish_pages_alloc(size_t bytes);

#endif

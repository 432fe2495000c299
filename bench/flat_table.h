/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tables of flat domains (multigrid/kernels/flat_kind.h) whose kernels are timed without a problem. */
#ifndef STARFISH_BENCH_FLAT_TABLE_H
#define STARFISH_BENCH_FLAT_TABLE_H

#ifdef __cplusplus
extern "C" {
#endif

struct starfish_flat_shape;

/* Fill a table of starfish_flat_table_entry(shape, STARFISH_FLAT_ENTRIES) numbers, which have the size that w = 4.2 h
 * gives them: couplings across 18, upwards 1000, corners below a third of the former. Returns 0, or -1: no memory. */
int flat_table_fill(const struct starfish_flat_shape *shape, double *table);

#ifdef __cplusplus
}
#endif

#endif

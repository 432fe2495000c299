/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Chains of real vectors of one lane that are too few to run side by side, on cores; for tridiag_chain_cpu.c. */
#ifndef STARFISH_TRIDIAG_KERNELS_TRIDIAG_CHAIN_LINE_H
#define STARFISH_TRIDIAG_KERNELS_TRIDIAG_CHAIN_LINE_H

#include "tridiag/kernels/tridiag.h"

/* Vectors first .. first + count - 1, one after the other, with bytes of the chain's work space as below. */
void starfish_chain_of_a_line_f32(const struct starfish_tridiag_chain *arguments, size_t first, size_t count);
void starfish_chain_of_a_line_f64(const struct starfish_tridiag_chain *arguments, size_t first, size_t count);
size_t starfish_chain_of_a_line_workspace_f32(size_t n);
size_t starfish_chain_of_a_line_workspace_f64(size_t n);
/* Is that faster than as many vectors side by side, row by row? */
int starfish_chain_of_a_line_pays_f32(const struct starfish_tridiag_chain *arguments, size_t side_by_side);
int starfish_chain_of_a_line_pays_f64(const struct starfish_tridiag_chain *arguments, size_t side_by_side);

#endif

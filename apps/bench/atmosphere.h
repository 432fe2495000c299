/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts of `starfish bench atmosphere`: solves and their rows are in atmosphere.c, products with the matrix beside
 * cuSPARSE's in atmosphere_product.c. */
#ifndef STARFISH_APPS_BENCH_ATMOSPHERE_H
#define STARFISH_APPS_BENCH_ATMOSPHERE_H

#include "apps/frame/frame.h"
#include "multigrid/flat.h"

/* Rows of products with the matrix in f64 on a GPU: ours, and cuSPARSE's where it can and there is memory. */
void bench_atmosphere_products(struct bench *bench, const struct starfish_flat_problem *matrix);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Columns on the CPU (transform.h) while memory delivers what this core reads next: transforms in cache leave memory
 * idle. */
#ifndef STARFISH_FFT_KERNELS_COLUMNS_WHILE_H
#define STARFISH_FFT_KERNELS_COLUMNS_WHILE_H

#include "base/fetch.h"
#include "fft/kernels/transform.h"

/* As starfish_transform_columns_cpu; `fetch` is fetched at a steady pace until the lines are done. Few lines, which are
 * not transformed side by side, fetch nothing. */
void starfish_transform_columns_cpu_while(const struct starfish_transform_cpu *plan,
                                          enum starfish_transform_direction direction,
                                          const struct starfish_transform_columns *arguments,
                                          struct starfish_fetch *fetch);

#endif

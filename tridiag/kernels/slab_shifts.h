/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shifts of lanes of slab_lines.h on cores: of lanes side by side, in the row that a kernel is at. */
#ifndef STARFISH_TRIDIAG_KERNELS_SLAB_SHIFTS_H
#define STARFISH_TRIDIAG_KERNELS_SLAB_SHIFTS_H

#include "base/clones.h"
#include "tridiag/kernels/slab_lines.h"

/* Of `width` lanes from lane `first` on, in row k. */
STARFISH_ALWAYS_INLINE void slab_shifts_set(const struct starfish_slab_lines *lines, size_t first, size_t width,
                                            size_t k, real *restrict shift)
{
    const real *inner = lines->shift_inner, *outer = lines->shift_outer, everywhere = (real)lines->shift;
    const real weight = lines->weight ? ((const real *)lines->weight)[k] : 1;

    for (size_t l = 0; l < width;) {
        const size_t lane = first + l, i = lane % lines->inner, left = lines->inner - i;
        const size_t run = left < width - l ? left : width - l;
        const real of_outer = outer ? outer[lane / lines->inner] : 0;
#pragma omp simd
        for (size_t r = 0; r < run; r++)
            shift[l + r] = (inner ? weight * inner[i + r] : 0) + of_outer + everywhere;
        l += run;
    }
}

/* Before row k is used, where the shifts are those of any row. */
STARFISH_ALWAYS_INLINE void slab_shifts_of_row(const struct starfish_slab_lines *lines, size_t first, size_t width,
                                               size_t k, real *restrict shift)
{
    if (lines->weight)
        slab_shifts_set(lines, first, width, k, shift);
}

#endif

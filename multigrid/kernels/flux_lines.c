/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* How many lines pass through the cache together on the CPU, and the work space that smoothing by lines takes. */
#include "multigrid/kernels/flux_lines.h"

/* Half of the second-level cache of the server cores of today; no narrower than a few cache lines, of which both ends
 * are wasted. */
enum { CACHED_BYTES = 512 * 1024, NARROWEST_BYTES = 256, LANES_BYTES = 128, CACHE_LINE = 64 };

size_t starfish_flux_lines_width(const struct starfish_flux_lines *lines, size_t real_size)
{
    const size_t n = lines->matrix.axis[lines->direction].n, nx = lines->matrix.axis[0].n;
    const size_t narrowest = NARROWEST_BYTES / real_size, arrays = 3;
    const size_t fitting = CACHED_BYTES / (arrays * n * real_size) / narrowest * narrowest;
    const size_t width = fitting > narrowest ? fitting : narrowest;

    if (lines->direction == 0)
        return LANES_BYTES / real_size;
    return width < nx ? width : nx;
}

size_t starfish_flux_lines_pitch(const struct starfish_flux_lines *lines, size_t real_size)
{
    const size_t line = CACHE_LINE / real_size;

    return (starfish_flux_lines_width(lines, real_size) + line - 1) / line * line;
}

size_t starfish_flux_lines_work_cpu(const struct starfish_flux_lines *lines, size_t real_size)
{
    const size_t n = lines->matrix.axis[lines->direction].n, nx = lines->matrix.axis[0].n;
    const size_t rows = (lines->direction == 0 ? FLUX_LINES_ARRAYS_X : FLUX_LINES_ARRAYS) * n + FLUX_LINES_LOOSE_ROWS;

    return (rows * starfish_flux_lines_pitch(lines, real_size) + FLUX_LINES_GRID_ROWS * nx) * real_size + CACHE_LINE;
}

size_t starfish_flux_lines_work_cuda(const struct starfish_flux_lines *lines, size_t real_size)
{
    const struct starfish_flux_axis *axis = lines->matrix.axis;
    const size_t arrays = axis[lines->direction].periodic ? 3 : 2;

    return arrays * axis[0].n * axis[1].n * axis[2].n * real_size;
}

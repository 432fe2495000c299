/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* x and y of whole planes on the CPU, plane by plane: what the first transform wrote is still in cache for the second
 * (2 MB for 512 x 512 in f64, the L2 of one core), so memory sees one read and one write. */
#include "base/real.h"
#include "fft/kernels/planes.h"
#include "fft/kernels/transform_cpu.h"

#include <stdint.h>
#include <string.h>

size_t starfish_transform_planes_cpu_workspace(const struct starfish_transform_cpu *x,
                                               const struct starfish_transform_cpu *y)
{
    const size_t rows = starfish_transform_cpu_workspace(x), columns = starfish_transform_cpu_workspace(y);
    return rows > columns ? rows : columns;
}

/* A plane's values and its modes, which may be one. */
static void forward(const struct starfish_transform_cpu *x, const struct starfish_transform_cpu *y,
                    struct starfish_transform_rows *rows, struct starfish_transform_columns *columns)
{
    starfish_transform_rows_cpu(x, STARFISH_FORWARD, rows);
    columns->data = rows->tile[0];
    starfish_transform_columns_cpu(y, STARFISH_FORWARD, columns);
}

static void backward(const struct starfish_transform_cpu *x, const struct starfish_transform_cpu *y,
                     struct starfish_transform_rows *rows, struct starfish_transform_columns *columns)
{
    if (rows->tile[0] != rows->rows && rows->strides.row == 0)
        rows->tile[0] = memcpy(rows->rows, rows->tile[0], x->n * y->n * starfish_real_size(x->precision));
    columns->data = rows->tile[0];
    starfish_transform_columns_cpu(y, STARFISH_BACKWARD, columns);
    starfish_transform_rows_cpu(x, STARFISH_BACKWARD, rows);
}

void starfish_transform_planes_cpu(const struct starfish_transform_cpu *x, const struct starfish_transform_cpu *y,
                                   enum starfish_transform_direction direction,
                                   const struct starfish_transform_planes *arguments)
{
    const size_t size = starfish_real_size(x->precision), plane = x->n * y->n * size;
    const int is_forward = direction == STARFISH_FORWARD;
    char *const in = (char *)(uintptr_t)arguments->in, *const out = arguments->out;
    struct starfish_transform_rows rows = {.count = y->n,
                                           .tiles = 1,
                                           .first_mode = {0, x->n},
                                           .scale = 1,
                                           .workspace = arguments->workspace,
                                           .strides = arguments->strides};
    struct starfish_transform_columns columns = {
        .inner = x->n, .outer = 1, .scale = arguments->scale, .workspace = arguments->workspace};
    for (size_t k = 0; k < arguments->planes; k++) {
        const size_t values =
            arguments->strides.row > 0 ? starfish_strides_plane(&arguments->strides, k) * size : k * plane;
        rows.rows = (is_forward ? in : out) + values;
        rows.tile[0] = (is_forward ? out : in) + k * plane;
        (is_forward ? forward : backward)(x, y, &rows, &columns);
    }
}

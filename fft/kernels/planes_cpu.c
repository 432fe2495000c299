/* x and y of whole planes on the CPU, plane by plane: what the first transform wrote is still in cache for the second
 * (2 MB for 512 x 512 in f64, the L2 of one core), so memory sees one read and one write. */
#include "base/real.h"
#include "fft/kernels/planes.h"
#include "fft/kernels/transform_cpu.h"

#include <string.h>

size_t starfish_transform_planes_cpu_workspace(const struct starfish_transform_cpu *x,
                                               const struct starfish_transform_cpu *y)
{
    const size_t rows = starfish_transform_cpu_workspace(x), columns = starfish_transform_cpu_workspace(y);
    return rows > columns ? rows : columns;
}

static void forward(const struct starfish_transform_cpu *x, const struct starfish_transform_cpu *y,
                    struct starfish_transform_rows *rows, const struct starfish_transform_columns *columns, char *in,
                    char *out)
{
    rows->rows = in;
    rows->tile[0] = out;
    starfish_transform_rows_cpu(x, STARFISH_FORWARD, rows);
    starfish_transform_columns_cpu(y, STARFISH_FORWARD, columns);
}

static void backward(const struct starfish_transform_cpu *x, const struct starfish_transform_cpu *y,
                     struct starfish_transform_rows *rows, const struct starfish_transform_columns *columns, char *in,
                     char *out)
{
    if (in != out)
        memcpy(out, in, x->n * y->n * starfish_real_size(x->precision));
    rows->rows = rows->tile[0] = out;
    starfish_transform_columns_cpu(y, STARFISH_BACKWARD, columns);
    starfish_transform_rows_cpu(x, STARFISH_BACKWARD, rows);
}

void starfish_transform_planes_cpu(const struct starfish_transform_cpu *x, const struct starfish_transform_cpu *y,
                                   enum starfish_transform_direction direction,
                                   const struct starfish_transform_planes *arguments)
{
    const size_t plane = x->n * y->n * starfish_real_size(x->precision);
    struct starfish_transform_rows rows = {
        .count = y->n, .tiles = 1, .first_mode = {0, x->n}, .scale = 1, .workspace = arguments->workspace};
    for (size_t k = 0; k < arguments->planes; k++) {
        char *in = (char *)arguments->in + k * plane, *out = (char *)arguments->out + k * plane;
        const struct starfish_transform_columns columns = {
            .inner = x->n, .outer = 1, .data = out, .scale = arguments->scale, .workspace = arguments->workspace};
        (direction == STARFISH_FORWARD ? forward : backward)(x, y, &rows, &columns, in, out);
    }
}

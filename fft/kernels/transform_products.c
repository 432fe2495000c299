/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The matrices of transforms by products: what the CPU's transform makes of unit vectors. */
#include "fft/kernels/transform_products.h"

#include "base/precision.h"
#include "base/real.h"
#include "fft/kernels/line_plan.h"

#include <stdint.h>
#include <stdlib.h>

enum {
    GROUP_BYTES = 256 << 20,
    LEAST = 128,          /* of shorter lines cuFFT's kernels are bound by memory */
    MOST_MIRRORED = 1024, /* products take 2 n operations for an element, n where a line has halves */
    MOST = 512
};

/* ---- Shape ------------------------------------------------------------------------------------------------------- */

struct starfish_transform_products starfish_transform_products_shape(enum starfish_transform_kind kind, size_t n)
{
    const int periodic = kind == STARFISH_TRANSFORM_PERIODIC;
    const int mirrored = periodic || kind == STARFISH_TRANSFORM_DD_NODE || kind == STARFISH_TRANSFORM_NN_NODE ||
                         kind == STARFISH_TRANSFORM_DD_CELL || kind == STARFISH_TRANSFORM_NN_CELL;
    struct starfish_transform_products products = {.n = n, .even = n, .reflect = n - 1, .first_odd = n, .step = 1};
    if (periodic) {
        products.reflect = n;
        products.skip = 1;
        products.even = products.first_odd = n / 2 + 1;
    } else if (mirrored) {
        products.even = n - n / 2;
        products.first_odd = 1;
        products.step = 2;
    }
    products.even = products.even < n ? products.even : n;
    products.odd = n - products.even;
    return products;
}

/* Not in f32, where errors of sums of n products are several times those of an FFT: solves of 500^3 unknowns between
 * nodes had residuals of 2e-4. */
int starfish_transform_has_products(enum starfish_transform_kind kind, size_t n, starfish_precision precision)
{
    const struct starfish_transform_shape shape = starfish_transform_shape(kind, n);
    const size_t most = starfish_transform_products_shape(kind, n).odd > 0 ? MOST_MIRRORED : MOST;
    return precision == STARFISH_F64 && shape.fft != STARFISH_FFT_NONE && n >= LEAST && n <= most &&
           !starfish_line_fits(&shape);
}

size_t starfish_transform_products_group(size_t n, size_t max_lines)
{
    const size_t most = GROUP_BYTES / (n * sizeof(double));
    return max_lines < most ? max_lines : most;
}

/* ---- Matrices ---------------------------------------------------------------------------------------------------- */

/* image[n * j + k]: output k of the unit vector j. */
static void fill(struct starfish_transform_products *products, enum starfish_transform_direction direction,
                 const double *image)
{
    const size_t n = products->n, size[2] = {products->even, products->odd};
    const size_t element[2] = {0, products->skip}, mode[2] = {0, products->first_odd};
    double *to = products->matrix[direction];
    for (int half = 0; half < 2; half++)
        for (size_t m = 0; m < size[half]; m++)
            for (size_t i = 0; i < size[half]; i++) {
                const size_t k = mode[half] + products->step * m, j = element[half] + i;
                *to++ = image[direction == STARFISH_FORWARD ? n * j + k : n * k + j];
            }
}

/* unit: n * n, the unit vectors; image: n * n more. */
static starfish_status make(struct starfish_transform_products *products, enum starfish_transform_kind kind,
                            const double *unit, double *image)
{
    const size_t n = products->n;
    struct starfish_transform_cpu *plan;
    STARFISH_TRY(starfish_transform_cpu_create(&plan, kind, n, STARFISH_F64));
    void *const workspace = malloc(starfish_transform_cpu_workspace(plan) + 1), *const in = (void *)(uintptr_t)unit;
    for (int direction = 0; direction < 2 && workspace; direction++) {
        const int forward = direction == STARFISH_FORWARD;
        const struct starfish_transform_rows rows = {.count = n,
                                                     .rows = forward ? in : image,
                                                     .tiles = 1,
                                                     .tile = {forward ? image : in},
                                                     .first_mode = {0, n},
                                                     .scale = 1,
                                                     .workspace = workspace};
        starfish_transform_rows_cpu(plan, (enum starfish_transform_direction)direction, &rows);
        fill(products, (enum starfish_transform_direction)direction, image);
    }
    starfish_transform_cpu_destroy(plan);
    const starfish_status status =
        workspace ? STARFISH_SUCCESS : starfish_fail(STARFISH_ERROR_MEMORY, "no memory for matrices of a transform");
    free(workspace);
    return status;
}

starfish_status starfish_transform_products_create(struct starfish_transform_products *products,
                                                   enum starfish_transform_kind kind, size_t n)
{
    *products = starfish_transform_products_shape(kind, n);
    const size_t reals = products->even * products->even + products->odd * products->odd;
    double *const unit = calloc(2 * n * n, sizeof *unit);
    for (int direction = 0; direction < 2; direction++)
        products->matrix[direction] = malloc(reals * sizeof(double));
    starfish_status status = STARFISH_SUCCESS;
    if (!unit || !products->matrix[0] || !products->matrix[1])
        status = starfish_fail(STARFISH_ERROR_MEMORY, "no memory for matrices of a transform with n = %zu", n);
    for (size_t j = 0; unit && j < n; j++)
        unit[j * n + j] = 1;
    if (status == STARFISH_SUCCESS)
        status = make(products, kind, unit, unit + n * n);
    free(unit);
    return status;
}

void starfish_transform_products_destroy(struct starfish_transform_products *products)
{
    free(products->matrix[0]);
    free(products->matrix[1]);
    products->matrix[0] = products->matrix[1] = NULL;
}

size_t starfish_transform_cuda_workspace(enum starfish_transform_kind kind, size_t n, size_t max_lines,
                                         starfish_precision precision)
{
    struct starfish_transform_shape shape = starfish_transform_shape(kind, n);
    size_t real_size = precision == STARFISH_F32 ? sizeof(float) : sizeof(double);
    if (starfish_line_fits(&shape))
        return 0;
    const size_t bytes = starfish_transform_group(&shape, max_lines, precision) * shape.line * real_size;
    if (!starfish_transform_has_products(kind, n, precision))
        return bytes;
    const size_t products = starfish_transform_products_group(n, max_lines) * n * real_size;
    return bytes > products ? bytes : products; /* by cuFFT on devices without such tensor cores */
}

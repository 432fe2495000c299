/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The matrices of transforms by products: what the CPU's transform makes of unit vectors. */
#include "fft/kernels/transform_products.h"

#include "base/precision.h"
#include "base/real.h"
#include "fft/kernels/line_plan.h"

#include <stdint.h>
#include <stdlib.h>

enum {
    PITCH = 4, /* reals that are 16 bytes in f32 */
    GROUP_BYTES = 128 << 20,
    LEAST = 128,          /* of shorter lines cuFFT's kernels are bound by memory */
    MOST_MIRRORED = 1024, /* products take 2 n operations for an element, n where a line has halves */
    MOST = 512
};

static size_t padded(size_t reals)
{
    return (reals + PITCH - 1) / PITCH * PITCH;
}

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
    products.pitch[0] = padded(products.even);
    products.pitch[1] = padded(products.odd);
    return products;
}

size_t starfish_transform_products_reals(const struct starfish_transform_products *products)
{
    return products->pitch[0] * products->pitch[0] + products->pitch[1] * products->pitch[1];
}

size_t starfish_transform_products_line(const struct starfish_transform_products *products)
{
    return products->pitch[0] + products->pitch[1];
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

/* Whole numbers of 4 lines, so that lanes of columns that are padded to that fit as well, and some more, for planes
 * whose rows are padded. */
size_t starfish_transform_products_group(const struct starfish_transform_products *products, size_t max_lines,
                                         starfish_precision precision)
{
    const size_t most = GROUP_BYTES / (starfish_transform_products_line(products) * starfish_real_size(precision));
    const size_t lines = max_lines < most ? max_lines : most;
    return padded(lines + lines / 16 + 8);
}

size_t starfish_transform_products_workspace(const struct starfish_transform_products *products, size_t max_lines,
                                             starfish_precision precision)
{
    const size_t lines = starfish_transform_products_group(products, max_lines, precision);
    const size_t bytes = 2 * lines * starfish_transform_products_line(products) * starfish_real_size(precision);
    return (bytes + 255) / 256 * 256 + STARFISH_PRODUCTS_BLAS_BYTES;
}

/* ---- Matrices ---------------------------------------------------------------------------------------------------- */

/* image[n * j + k]: output k of the unit vector j. Rows and columns that fill E and O up stay zero. */
static void fill(struct starfish_transform_products *products, enum starfish_transform_direction direction,
                 const double *image, starfish_precision precision)
{
    const size_t n = products->n, size[2] = {products->even, products->odd};
    const size_t element[2] = {0, products->skip}, mode[2] = {0, products->first_odd};
    size_t start = 0;
    for (int half = 0; half < 2; half++) {
        for (size_t m = 0; m < size[half]; m++)
            for (size_t i = 0; i < size[half]; i++) {
                const size_t k = mode[half] + products->step * m, j = element[half] + i;
                starfish_element_set(products->matrix[direction], precision, start + m * products->pitch[half] + i,
                                     image[direction == STARFISH_FORWARD ? n * j + k : n * k + j]);
            }
        start += products->pitch[half] * products->pitch[half];
    }
}

/* unit: n * n, the unit vectors; image: n * n more. */
static starfish_status make(struct starfish_transform_products *products, enum starfish_transform_kind kind,
                            starfish_precision precision, const double *unit, double *image)
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
        fill(products, (enum starfish_transform_direction)direction, image, precision);
    }
    starfish_transform_cpu_destroy(plan);
    const starfish_status status =
        workspace ? STARFISH_SUCCESS : starfish_fail(STARFISH_ERROR_MEMORY, "no memory for matrices of a transform");
    free(workspace);
    return status;
}

starfish_status starfish_transform_products_create(struct starfish_transform_products *products,
                                                   enum starfish_transform_kind kind, size_t n,
                                                   starfish_precision precision)
{
    *products = starfish_transform_products_shape(kind, n);
    const size_t reals = starfish_transform_products_reals(products);
    double *const unit = calloc(2 * n * n, sizeof *unit);
    for (int direction = 0; direction < 2; direction++)
        products->matrix[direction] = calloc(reals, starfish_real_size(precision));
    starfish_status status = STARFISH_SUCCESS;
    if (!unit || !products->matrix[0] || !products->matrix[1])
        status = starfish_fail(STARFISH_ERROR_MEMORY, "no memory for matrices of a transform with n = %zu", n);
    for (size_t j = 0; unit && j < n; j++)
        unit[j * n + j] = 1;
    if (status == STARFISH_SUCCESS)
        status = make(products, kind, precision, unit, unit + n * n);
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
    if (starfish_transform_has_products(kind, n, precision)) {
        const struct starfish_transform_products products = starfish_transform_products_shape(kind, n);
        return starfish_transform_products_workspace(&products, max_lines, precision);
    }
    return starfish_transform_group(&shape, max_lines, precision) * shape.line * real_size;
}

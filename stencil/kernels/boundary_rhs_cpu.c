/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Boundary data moved to the right-hand side, on the CPU: a copy of each plane, then the faces that its rows lie on. */
#include "stencil/kernels/stencil.h"

#include "base/past_caches.h"
#include "base/real.h"

#include <string.h>

/* Elements begin .. end-1 of a row, which may lie apart: element i is at values[(i - begin) * stride]. */
struct piece {
    size_t begin, end, stride;
    real *values;
    real unscaled; /* 1 / scale_y of the row */
};

static real given(const struct starfish_boundary_rhs *a, int axis, int end, size_t index)
{
    const real *face = a->face[axis][end];
    return face ? face[index] : (real)a->constant[axis][end];
}

static real datum(const struct starfish_boundary_rhs *a, int axis, int end, size_t index)
{
    return (real)a->weight[axis][end] * given(a, axis, end, index);
}

static int has_data(const struct starfish_boundary_rhs *a, int axis, int end)
{
    return a->weight[axis][end] != 0 && (a->face[axis][end] || a->constant[axis][end] != 0);
}

static int is_point(const struct starfish_boundary_rhs *a, size_t k)
{
    return a->weight_x && a->weight_x[k % a->planes] == 0;
}

/* The whole row of a point takes the data of the plane beside it. */
static void subtract_beside_point(const struct starfish_boundary_rhs *a, const struct piece *p, size_t k)
{
    const int high = k % a->planes > 0;
    const size_t beside = high ? k - 1 : k + 1;
    for (int end = 0; end < 2; end++)
        for (size_t i = p->begin; has_data(a, 0, end) && i < p->end; i++)
            p->values[(i - p->begin) * p->stride] -= (real)a->at_point[high][end] * given(a, 0, end, beside);
}

static void subtract_x(const struct starfish_boundary_rhs *a, const struct piece *p, size_t j, size_t k)
{
    const real factor = a->weight_x ? p->unscaled * (real)a->weight_x[k % a->planes] : p->unscaled;
    if (is_point(a, k)) {
        subtract_beside_point(a, p, k);
        return;
    }
    for (int end = 0; end < 2; end++) {
        const size_t i = end ? a->n[0] - 1 : 0;
        if (i >= p->begin && i < p->end && has_data(a, 0, end))
            p->values[(i - p->begin) * p->stride] -= factor * datum(a, 0, end, j + a->n[1] * k);
    }
}

/* A row that lies on an end of an axis: `face` is where its data begin. */
static void subtract_row(const struct starfish_boundary_rhs *a, int axis, int end, size_t face, const struct piece *p)
{
    if (has_data(a, axis, end))
        for (size_t i = p->begin; i < p->end; i++)
            p->values[(i - p->begin) * p->stride] -= p->unscaled * datum(a, axis, end, face + i);
}

/* Of row j of plane k of all problems' planes. */
static void subtract_faces(const struct starfish_boundary_rhs *a, size_t j, size_t k, const struct piece *p)
{
    const size_t nx = a->n[0], ny = a->n[1], z = k % a->planes, problem = k / a->planes;
    subtract_x(a, p, j, k);
    if (j == 0)
        subtract_row(a, 1, 0, nx * k, p);
    if (j == ny - 1)
        subtract_row(a, 1, 1, nx * k, p);
    if (z == 0)
        subtract_row(a, 2, 0, nx * (j + ny * problem), p);
    if (z == a->planes - 1)
        subtract_row(a, 2, 1, nx * (j + ny * problem), p);
}

static real unscaled(const struct starfish_boundary_rhs *a, size_t j)
{
    return a->scale_y ? (real)(1 / a->scale_y[j]) : 1;
}

void REAL_NAME(starfish_boundary_row_cpu)(const struct starfish_boundary_rhs *a, size_t j, size_t k, void *row,
                                          size_t stride)
{
    subtract_faces(a, j, k, &(struct piece){0, a->n[0], stride, row, unscaled(a, j)});
}

void REAL_NAME(starfish_boundary_element_cpu)(const struct starfish_boundary_rhs *a, const size_t at[3], void *value)
{
    subtract_faces(a, at[1], at[2], &(struct piece){at[0], at[0] + 1, 1, value, unscaled(a, at[1])});
}

enum { SHORT_ROW = 1024 }; /* bytes, below which a copy is more calls than bytes */

/* A plane is one run where short rows follow one another in both arrays. */
static void copy_plane(const struct starfish_boundary_rhs *a, const real *from, size_t from_row, real *to,
                       size_t to_row)
{
    const size_t nx = a->n[0], ny = a->n[1];
    const int packed = from_row == nx && to_row == nx && nx * sizeof(real) < SHORT_ROW;
    const size_t runs = packed ? 1 : ny, bytes = (packed ? nx * ny : nx) * sizeof(real);
    for (size_t run = 0; run < runs; run++)
        if (a->past_caches)
            starfish_store_past_caches(to + run * to_row, from + run * from_row, bytes);
        else
            memcpy(to + run * to_row, from + run * from_row, bytes);
}

static int has_any_data(const struct starfish_boundary_rhs *a)
{
    int any = 0;
    for (int axis = 0; axis < 3; axis++)
        any = any || has_data(a, axis, 0) || has_data(a, axis, 1);
    return any;
}

void REAL_NAME(starfish_boundary_rhs_cpu)(const struct starfish_boundary_rhs *a)
{
    const size_t nx = a->n[0], ny = a->n[1], rows = has_any_data(a) ? ny : 0;
    const struct starfish_strides from = starfish_strides_or_packed(a->rhs_strides, nx, ny, a->n[2]);
    const struct starfish_strides to = starfish_strides_or_packed(a->result_strides, nx, ny, a->n[2]);
    for (size_t k = 0; k < a->n[2]; k++) {
        const real *const source = (const real *)a->rhs + starfish_strides_plane(&from, k);
        real *const target = (real *)a->result + starfish_strides_plane(&to, k);
        if (a->result != a->rhs)
            copy_plane(a, source, from.row, target, to.row);
        for (size_t i = 1; is_point(a, a->first_plane + k) && i < nx; i++)
            target[i] = target[0];
        for (size_t j = 0; j < rows; j++)
            REAL_NAME(starfish_boundary_row_cpu)(a, j, a->first_plane + k, target + j * to.row, 1);
    }
    starfish_past_caches_done();
}

/* Boundary data moved to the right-hand side, on the CPU: one copy of the slab, then its six faces. */
#include "stencil/kernels/stencil.h"

#include "base/real.h"

#include <string.h>

static real datum(const struct starfish_boundary_rhs *a, int axis, int end, size_t index)
{
    const real *face = a->face[axis][end];
    return (real)a->weight[axis][end] * (face ? face[index] : (real)a->constant[axis][end]);
}

static int has_data(const struct starfish_boundary_rhs *a, int axis, int end)
{
    return a->weight[axis][end] != 0 && (a->face[axis][end] || a->constant[axis][end] != 0);
}

static void x_and_y_faces(const struct starfish_boundary_rhs *a, real *result)
{
    const size_t nx = a->n[0], ny = a->n[1];
    for (int end = 0; end < 2; end++) {
        if (has_data(a, 0, end))
            for (size_t k = 0; k < a->n[2]; k++)
                for (size_t j = 0; j < ny; j++)
                    result[(end ? nx - 1 : 0) + nx * (j + ny * k)] -= datum(a, 0, end, j + ny * (a->first_plane + k));
        if (has_data(a, 1, end))
            for (size_t k = 0; k < a->n[2]; k++)
                for (size_t i = 0; i < nx; i++)
                    result[i + nx * ((end ? ny - 1 : 0) + ny * k)] -= datum(a, 1, end, i + nx * (a->first_plane + k));
    }
}

void REAL_NAME(starfish_boundary_rhs_cpu)(const struct starfish_boundary_rhs *a)
{
    const size_t plane = a->n[0] * a->n[1];
    real *result = a->result;
    if (a->result != a->rhs)
        memcpy(result, a->rhs, plane * a->n[2] * sizeof(real));
    x_and_y_faces(a, result);
    if (a->first_plane == 0 && has_data(a, 2, 0))
        for (size_t p = 0; p < plane; p++)
            result[p] -= datum(a, 2, 0, p);
    if (a->first_plane + a->n[2] == a->planes && has_data(a, 2, 1))
        for (size_t p = 0; p < plane; p++)
            result[plane * (a->n[2] - 1) + p] -= datum(a, 2, 1, p);
}

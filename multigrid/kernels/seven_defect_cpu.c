/* The defect on the CPU, row by row. */
#include "multigrid/kernels/seven_row.h"

#include <string.h>

/* Of row (j,k), into `out`. */
static void defect_row(const struct starfish_seven_defect *a, size_t j, size_t k, real *out)
{
    const size_t nx = a->matrix.axis[0].n, start = nx * (j + a->matrix.axis[1].n * k);
    const real *f = a->f ? (const real *)a->f + start : NULL;

    if (!a->u) {
        if (f)
            memmove(out, f, nx * sizeof(real));
        return;
    }
    const struct seven_row row = REAL_NAME(starfish_seven_row)(&a->matrix, j, k);
    const struct seven_values values = REAL_NAME(starfish_seven_values)(&a->matrix, a->u, j, k);
    seven_prefetch_after(values.side[SEVEN_ABOVE], nx);
    seven_prefetch_after(f, nx);
    REAL_NAME(starfish_seven_row_defect)(&row, &values, f, out);
}

void REAL_NAME(starfish_seven_defect_cpu)(const struct starfish_seven_defect *a)
{
    const size_t nx = a->matrix.axis[0].n, ny = a->matrix.axis[1].n;
    double sum = 0;

    for (size_t k = a->at.z0; k < a->at.z1; k++)
        for (size_t j = a->at.y0; j < a->at.y1; j++) {
            real *out = a->result ? (real *)a->result + nx * (j + ny * k) : seven_work_row(a->work, nx, 0);
            defect_row(a, j, k, out);
            if (a->sums)
                sum += REAL_NAME(starfish_seven_row_squares)(out, nx);
        }
    if (!a->sums)
        return;
    memset(a->sums, 0, STARFISH_BAND_SUMS * sizeof *a->sums);
    a->sums[0] = sum;
}

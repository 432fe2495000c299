/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Naive references of the kernels on Q1 matrices (band.h): every entry from its definition, in f64. They belong to the
 * tests, not to the library; nothing here is fast. */
#include "multigrid/kernels/band_ref.h"

#include <math.h>

/* Where the neighbours of the stored bands lie: the row sum itself, E, NW, N, NE. */
static const int ahead[5][2] = {{0, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}};

static int is_inside(const struct starfish_band_ref *ref, size_t i, size_t j, int dx, int dy)
{
    const long x = (long)i + dx, y = (long)j + dy;

    return x >= 0 && y >= 0 && x < (long)ref->n[0] && y < (long)ref->n[1];
}

double starfish_band_ref_stored(const struct starfish_band_ref *ref, size_t i, size_t j, int dx, int dy)
{
    const int forward = dy > 0 || (dy == 0 && dx >= 0);
    const size_t here = i + j * ref->n[0];

    if (!is_inside(ref, i, j, dx, dy))
        return 0;
    const size_t owner = forward ? here : (size_t)((long)here + dx + dy * (long)ref->n[0]);
    for (size_t b = 0; b < 5; b++)
        if (ahead[b][0] == (forward ? dx : -dx) && ahead[b][1] == (forward ? dy : -dy))
            return ref->table[starfish_band_table_start(ref->n[0], ref->n[1], b) + owner];
    return (double)NAN;
}

/* Entry (i, i + dx) of a direction's stiffness and mass matrices of linear elements. */
static void axis_entry(const struct starfish_band_ref *ref, int d, size_t i, int dx, double *stiffness, double *mass)
{
    const double *width = ref->width[d] + i, *inverse = ref->inverse[d] + i;

    *stiffness = dx == 0 ? inverse[0] + inverse[1] : -inverse[dx > 0];
    *mass = dx == 0 ? (width[0] + width[1]) / 3 : width[dx > 0] / 6;
}

double starfish_band_ref_entry(const struct starfish_band_ref *ref, size_t i, size_t j, int dx, int dy)
{
    if (!is_inside(ref, i, j, dx, dy))
        return 0;
    if (!ref->table) {
        double s[2], m[2];
        axis_entry(ref, 0, i, dx, &s[0], &m[0]);
        axis_entry(ref, 1, j, dy, &s[1], &m[1]);
        return s[0] * m[1] + m[0] * s[1] + ref->reaction * m[0] * m[1];
    }
    double entry = starfish_band_ref_stored(ref, i, j, dx, dy);
    for (int k = 0; k < 9 && dx == 0 && dy == 0 && !ref->diagonals; k++)
        entry -= k == 4 ? 0 : starfish_band_ref_stored(ref, i, j, k % 3 - 1, k / 3 - 1);
    return entry;
}

double starfish_band_ref_residual(const struct starfish_band_ref *ref, const double *u, const double *f, size_t i,
                                  size_t j)
{
    const size_t here = i + j * ref->n[0];
    double value = f ? f[here] : 0;

    for (int k = 0; u && k < 9; k++) {
        const int dx = k % 3 - 1, dy = k / 3 - 1;
        if (is_inside(ref, i, j, dx, dy))
            value -= starfish_band_ref_entry(ref, i, j, dx, dy) * u[(long)here + dx + dy * (long)ref->n[0]];
    }
    return value;
}

void starfish_band_ref_colours(const struct starfish_band_ref *ref, size_t parity, double damping, size_t y0, size_t y1,
                               const double *f, double *v)
{
    for (size_t odd = 0; odd < 2; odd++)
        for (size_t j = y0 + (y0 + parity) % 2; j < y1; j += 2)
            for (size_t i = odd; i < ref->n[0]; i += 2)
                v[i + j * ref->n[0]] +=
                    damping * starfish_band_ref_residual(ref, v, f, i, j) / starfish_band_ref_entry(ref, i, j, 0, 0);
}

void starfish_band_ref_line(const struct starfish_band_ref *ref, int direction, size_t line, const double *u,
                            const double *f, double *x, double *work)
{
    const int dx = direction == 0, dy = direction == 1;

    for (size_t k = 0; k < ref->n[direction]; k++) {
        const size_t i = dx ? k : line, j = dx ? line : k;
        const double lower = starfish_band_ref_entry(ref, i, j, -dx, -dy);
        const double pivot = starfish_band_ref_entry(ref, i, j, 0, 0) - (k > 0 ? lower * work[k - 1] : 0);
        work[k] = starfish_band_ref_entry(ref, i, j, dx, dy) / pivot;
        x[k] = (starfish_band_ref_residual(ref, u, f, i, j) - (k > 0 ? lower * x[k - 1] : 0)) / pivot;
    }
    for (size_t k = ref->n[direction] - 1; k-- > 0;)
        x[k] -= work[k] * x[k + 1];
}

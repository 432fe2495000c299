/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One direction of the FFTW peers' problem (peer_axis.h): kinds of transforms by ends and grid, their eigenvalues, and
 * tridiagonal rows. */
#include "bench/peer_axis.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

struct peer_axis peer_axis_of(size_t n, const starfish_end ends[2], starfish_grid grid)
{
    /* [grid][low end is Neumann][high end is Neumann] */
    static const struct {
        fftw_r2r_kind forward, backward;
        int more; /* intervals beyond n */
        double shift;
    } kinds[2][2][2] = {
        [STARFISH_NODE] = {{{FFTW_RODFT00, FFTW_RODFT00, 1, 1}, {FFTW_RODFT01, FFTW_RODFT10, 0, 0.5}},
                           {{FFTW_REDFT01, FFTW_REDFT10, 0, 0.5}, {FFTW_REDFT00, FFTW_REDFT00, -1, 0}}},
        [STARFISH_CELL] = {{{FFTW_RODFT10, FFTW_RODFT01, 0, 1}, {FFTW_RODFT11, FFTW_RODFT11, 0, 0.5}},
                           {{FFTW_REDFT11, FFTW_REDFT11, 0, 0.5}, {FFTW_REDFT10, FFTW_REDFT01, 0, 0}}},
    };
    if (ends[0] == STARFISH_PERIODIC)
        return (struct peer_axis){n, 1, FFTW_R2HC, FFTW_HC2R, (double)n, 0, (double)n};
    const int low = ends[0] == STARFISH_NEUMANN, high = ends[1] == STARFISH_NEUMANN;
    const double m = (double)n + kinds[grid][low][high].more;
    return (struct peer_axis){
        n, 0, kinds[grid][low][high].forward, kinds[grid][low][high].backward, m, kinds[grid][low][high].shift, 2 * m};
}

double peer_axis_eigenvalue(const struct peer_axis *axis, size_t k)
{
    const size_t wave = k < axis->n - k ? k : axis->n - k;
    const double place = axis->periodic ? 2 * (double)wave : (double)k + axis->shift;
    const double s = 2 * axis->m * sin(pi * place / (2 * axis->m));
    return -s * s;
}

void peer_axis_row(const struct peer_axis *axis, const starfish_end ends[2], starfish_grid grid, size_t k,
                   double row[3])
{
    const double off = axis->m * axis->m;
    row[0] = row[2] = off;
    row[1] = -2 * off;
    for (int end = 0; end < 2; end++) {
        if (k != (end ? axis->n - 1 : 0))
            continue;
        row[end ? 2 : 0] = 0;
        if (grid == STARFISH_CELL)
            row[1] += ends[end] == STARFISH_NEUMANN ? off : -off;
        else if (ends[end] == STARFISH_NEUMANN)
            row[end ? 0 : 2] *= 2;
    }
}

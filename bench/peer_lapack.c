/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* LAPACK's gtsv on all cores, compiled for each precision: a line at a time, copied to work space since gtsv overwrites
 * its matrix. */
#include "base/real.h"
#include "bench/clock.h"
#include "bench/peer_lines.h"

#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

#ifdef STARFISH_REAL_F32
#define GTSV LAPACKE_sgtsv_work
#else
#define GTSV LAPACKE_dgtsv_work
#endif

/* One line, through four arrays of n reals. */
static int solve(const struct peer_lines *p, size_t line, real *work)
{
    const size_t n = p->n, bytes = n * sizeof(real);
    real *lower = work, *diag = lower + n, *upper = diag + n, *x = (real *)p->solution + line * n;

    memcpy(lower, (const real *)p->lower + line * n + 1, bytes - sizeof(real));
    memcpy(diag, (const real *)p->diag + line * n, bytes);
    memcpy(upper, (const real *)p->upper + line * n, bytes);
    memcpy(x, (const real *)p->rhs + line * n, bytes);
    return GTSV(LAPACK_COL_MAJOR, (lapack_int)n, 1, lower, diag, upper, x, (lapack_int)n) == 0;
}

static int solve_all(const struct peer_lines *p)
{
    int good = 1;
#pragma omp parallel reduction(&& : good)
    {
        real *work = malloc(3 * p->n * sizeof *work);
        good = good && work;
#pragma omp for
        for (size_t line = 0; line < p->lines; line++)
            good = good && solve(p, line, work);
        free(work);
    }
    return good;
}

int REAL_NAME(peer_lapack)(const struct peer_lines *lines, int repeat, double *seconds)
{
    const double begin = clock_now();
    int measured = 0;

    if (!solve_all(lines))
        return 0;
    while (!peer_lines_enough(measured, repeat, begin)) {
        const double start = clock_now();
        if (!solve_all(lines))
            return 0;
        seconds[measured++] = clock_now() - start;
    }
    return measured;
}

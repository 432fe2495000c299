/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* FISHPACK's formulas for the words of W; a caller with less has a program that FISHPACK would have broken. */
#include "fishpack/work.h"

#include <math.h>

/* floor(log2(n)). */
static int log2_of(int n)
{
    int k = 0;
    while (n > 1) {
        n /= 2;
        k++;
    }
    return k;
}

/* BLKTRI's roots of n unknowns: (K - 2) L + K. */
static double of_roots(int n)
{
    const int k = log2_of(n) + 1;
    return (k - 2) * ldexp(1, k + 1) + k;
}

double starfish_work_of_sepeli(int m, int n, int periodic)
{
    return of_roots(periodic ? n : n + 1) + fmax(2 * (n + 1), 6 * (m + 1)) + 5 + 6 * (m + n + 2) + 1 +
           (periodic ? 2 * (n + 1) : 0);
}

double starfish_work_of_sepx4(int m, int n)
{
    return 4 * (n + 1) + (10 + round(log2(n + 1))) * (m + 1) + 6 * (m + n + 2) + 1;
}

static double of_blktri(const struct starfish_call *call, int columns)
{
    const int periodic = starfish_call_integer(call, 1) == 0, n = starfish_call_integer(call, 2);
    return of_roots(periodic ? n - 1 : n) + 5 + fmax(2 * n, columns * starfish_call_integer(call, 7)) +
           (periodic ? 2 * n : 0);
}

void starfish_work_set(const struct starfish_call *call, starfish_fishpack_routine routine)
{
    enum { W_OF_DRIVERS = 17, W_OF_GENBUN = 10, W_OF_BLKTRI = 14 };
    const int first = routine == STARFISH_FISHPACK_HWSCSP || routine == STARFISH_FISHPACK_HSTCSP;
    int at = W_OF_DRIVERS + first;
    double words = 0;
    if (routine <= STARFISH_FISHPACK_HSTCSP) {
        const int m = starfish_call_integer(call, first + 2), n = starfish_call_integer(call, first + 8);
        const int code = starfish_call_integer(call, first + 9);
        const int radii = n + 1 - (code == 1 || code == 5 ? 2 : code == 3 ? 0 : 1);
        const double more = fmax(2 * n, 6 * m);
        words = routine == STARFISH_FISHPACK_HWSCSP   ? of_roots(radii) + 5 * (m + n) + more + 23
                : routine == STARFISH_FISHPACK_HSTCSP ? of_roots(n) + 4 * (m + n) + 5 + more
                : routine <= STARFISH_FISHPACK_HWSSSP
                    ? 4 * (n + 1) + ((routine == STARFISH_FISHPACK_HWSSSP ? 16 : 13) + log2_of(n + 1)) * (m + 1)
                    : 13 * m + 4 * n + m * log2_of(n);
    } else if (routine == STARFISH_FISHPACK_GENBUN || routine == STARFISH_FISHPACK_CMGNBN ||
               routine == STARFISH_FISHPACK_POISTG) {
        const int n = starfish_call_integer(call, 1), m = starfish_call_integer(call, 3);
        at = W_OF_GENBUN;
        words = 4 * n + ((routine == STARFISH_FISHPACK_POISTG ? 9 : 10) + log2_of(n)) * m;
    } else if (routine == STARFISH_FISHPACK_BLKTRI || routine == STARFISH_FISHPACK_CBLKTR) {
        at = W_OF_BLKTRI;
        words = of_blktri(call, routine == STARFISH_FISHPACK_BLKTRI ? 6 : 12);
    }
    if (words > 0 && !call->keeps_work && call->at[at])
        starfish_call_set_real(call, at, words);
}

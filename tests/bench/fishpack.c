/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* FISHPACK as a peer: sources with BLKTRI's interface are compiled and called with the problem that ours solves. The
 * folder of a stand-in is the first argument. Exit status 77 without a Fortran compiler. */
#include "bench/peer_fishpack.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { M = 9, N = 7, REPEAT = 2 };
static const char *folder;

/* f of u = sin(pi x) sin(2 pi y) on the nodes, whose differences have eigenvalues. */
static void compiled_sources_solve(void **state)
{
    (void)state;
    const double pi = acos(-1), hx = 1.0 / (M + 1), hy = 1.0 / (N + 1);
    const double sx = sin(pi * hx / 2) / hx, sy = sin(pi * hy) / hy, eigenvalue = -4 * (sx * sx + sy * sy);
    static double rhs[M * N], solution[M * N];
    const struct peer_fishpack_problem problem = {M, N, rhs, solution};
    double seconds[REPEAT] = {-1, -1};
    for (int j = 0; j < N; j++)
        for (int i = 0; i < M; i++)
            rhs[i + M * j] = eigenvalue * sin(pi * hx * (i + 1)) * sin(2 * pi * hy * (j + 1));
    assert_int_equal(peer_fishpack(folder, &problem, REPEAT, seconds), 1);
    for (int e = 0; e < M * N; e++)
        assert_true(fabs(solution[e] - rhs[e] / eigenvalue) < 1e-13); /* in double precision */
    assert_true(seconds[0] >= 0 && seconds[1] >= 0);
}

static void what_is_not_there_is_no_peer(void **state)
{
    (void)state;
    static double rhs[M * N], solution[M * N];
    const struct peer_fishpack_problem problem = {M, N, rhs, solution};
    double seconds[REPEAT];
    assert_int_equal(peer_fishpack("/nowhere", &problem, REPEAT, seconds), 0);
    const struct peer_fishpack_problem refused = {200, 200, calloc(40000, 8), calloc(40000, 8)};
    assert_int_equal(peer_fishpack(folder, &refused, REPEAT, seconds), 0);
    free((void *)(uintptr_t)refused.rhs);
    free(refused.solution);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(compiled_sources_solve),
                                       cmocka_unit_test(what_is_not_there_is_no_peer)};
    if (argc < 2 || system("${FC:-gfortran} --version > /dev/null 2>&1") != 0)
        return 77;
    folder = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}

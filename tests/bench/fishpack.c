/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* FISHPACK as a peer: all sources of a folder are compiled, and routines called by name with FISHPACK's arguments. The
 * folder of a stand-in is the first argument. Exit status 77 without a Fortran compiler. */
#include "bench/peer_fishpack.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { M = 9, N = 7 };
static const char *folder;

/* u = x^2 + y is a solution of the differences, too, with u given on the sides. */
static void compiled_sources_solve(void **state)
{
    (void)state;
    double from = 0, to = 1, lambda = 0, field[N + 1][M + 1], boundary = 0, pertrb = -1, work = 0;
    int m = M, n = N, code = 1, row = M + 1, error = -1;
    void *arguments[PEER_FISHPACK_ARGUMENTS] = {&from,   &to,   &m,   &code,   &boundary, &boundary,
                                                &from,   &to,   &n,   &code,   &boundary, &boundary,
                                                &lambda, field, &row, &pertrb, &error,    &work};
    for (int j = 0; j <= N; j++)
        for (int i = 0; i <= M; i++)
            field[j][i] = i == 0 || i == M || j == 0 || j == N ? (double)i * i / (M * M) + (double)j / N : 2;
    void *const library = peer_fishpack_open(folder);
    assert_non_null(library);
    assert_int_equal(peer_fishpack_call(library, "hwscrt", arguments), 1);
    assert_int_equal(error, 0);
    for (int j = 0; j <= N; j++)
        for (int i = 0; i <= M; i++) /* in double precision */
            assert_true(fabs(field[j][i] - (double)i * i / (M * M) - (double)j / N) < 1e-13);
    code = 9;
    assert_int_equal(peer_fishpack_call(library, "hwscrt", arguments), 1);
    assert_int_equal(error, 2);
    assert_int_equal(peer_fishpack_call(library, "hstcrt", arguments), 0);
    peer_fishpack_close(library);
}

static void what_is_not_there_is_no_peer(void **state)
{
    (void)state;
    assert_null(peer_fishpack_open("/nowhere"));
    peer_fishpack_close(NULL);
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

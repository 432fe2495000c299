/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lines of a seven-point matrix: the equations of the lines, and the naive reference's elimination. */
#include "tests/common/reals.h"
#include "tests/multigrid/flux_grid.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The step that was made, v - u over the damping, must solve the lines' equations, and be zero on lines of the other
 * colour. */
static void check_steps(const struct test_flux_grid *g, const struct starfish_flux_lines *a, int in_place)
{
    const double tolerance = 512 * test_real_epsilon(g->precision);
    double *u = test_flux_copy(a->u ? g->u : NULL, g->count), *residual = malloc(g->count * sizeof *residual);
    double *x = test_flux_download(g, a->v, g->count);

    starfish_flux_ref_residual(&g->ref, u, g->f, residual);
    for (size_t e = 0; e < g->count; e++)
        x[e] = (x[e] - u[e]) / g->damping;
    for (size_t e = 0; e < g->count; e++) {
        const size_t at[3] = {e % g->n[0], e / g->n[0] % g->n[1], e / g->n[0] / g->n[1]};
        const size_t colour = (at[0] + at[1] + at[2] - at[a->direction]) % 2;
        if (!test_flux_in_part(&a->at, g->n, e))
            assert_true(in_place ? x[e] == 0 : isnan(x[e]));
        else if (a->which != STARFISH_FLUX_ALL_LINES && colour != (a->which == STARFISH_FLUX_ODD_LINES))
            assert_true(x[e] == 0);
        else
            assert_true(fabs(starfish_flux_ref_along_line(&g->ref, a->direction, x, e) - residual[e]) <= tolerance);
    }
    free(x);
    free(u);
    free(residual);
}

/* The solution itself. Its error is that of the equations times the norm of the inverse of a line's matrix, which is
 * diagonally dominant by the rest, at least a few hundredths. */
static void check_solution(struct test_flux_grid *g, const struct starfish_flux_lines *a, int in_place)
{
    const struct starfish_flux_part whole = g->at;
    double *expected = test_flux_copy(a->u ? g->u : NULL, g->count);

    assert_int_equal(starfish_flux_ref_lines(&g->ref, a->direction, a->which, g->damping, g->f, expected), 0);
    g->at = a->at;
    test_flux_compare(g, g->n, a->v, expected, in_place ? g->u : NULL, 512 * 16);
    g->at = whole;
    free(expected);
}

static void check_lines(struct test_flux_grid *g, int d, enum starfish_flux_lines_of which, int with_u, int in_place)
{
    void *v = in_place ? test_flux_upload(g, g->u, g->count) : test_flux_result(g);
    const void *u = with_u ? g->device_u : NULL;
    struct starfish_flux_lines a = {.matrix = g->matrix,
                                    .at = g->at,
                                    .direction = d,
                                    .which = which,
                                    .damping = g->damping,
                                    .u = in_place ? v : u,
                                    .f = g->device_f,
                                    .v = v};

    if (d == 1)
        a.at.y0 = 0, a.at.y1 = g->n[1];
    if (d == 2)
        a.at.z0 = 0, a.at.z1 = g->n[2];
    a.work = g->device->memory->upload(NULL, g->device->lines_work(&a, starfish_real_size(g->precision)));
    g->device->lines[g->precision](&a);
    check_steps(g, &a, in_place);
    check_solution(g, &a, in_place);
}

/* Whether lines along d of one colour are never neighbours. */
static int colours_are_apart(const struct test_flux_grid *g, int d)
{
    for (int e = 0; e < 3; e++)
        if (e != d && g->matrix.axis[e].periodic && g->n[e] % 2 != 0 && g->n[e] > 1)
            return 0;
    return 1;
}

void test_flux_lines(struct test_flux_grid *g, int thirds)
{
    g->at = test_flux_part(g->n, thirds);
    for (int d = 0; d < 3; d++) {
        if (g->matrix.axis[d].decoupled)
            continue;
        for (int with_u = 0; with_u < 2; with_u++) {
            check_lines(g, d, STARFISH_FLUX_ALL_LINES, with_u, 0);
            check_lines(g, d, STARFISH_FLUX_EVEN_LINES, with_u, 0);
            check_lines(g, d, STARFISH_FLUX_ODD_LINES, with_u, 0);
        }
        if (!colours_are_apart(g, d))
            continue;
        check_lines(g, d, STARFISH_FLUX_EVEN_LINES, 1, 1);
        check_lines(g, d, STARFISH_FLUX_ODD_LINES, 1, 1);
    }
}

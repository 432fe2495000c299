/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ghosts, by their definition from the solution and the boundary data: the formulas that docs/library.md states for
 * arrays with halos. */
#include "tests/poisson/arrays_cases.h"

#include "tests/common/check.h"
#include "tests/common/reals.h"
#include "tests/poisson/oracle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of the unknowns of a problem, ghosts by their definition: one direction's, at any place of the other two. */
struct ghost_case {
    const struct arrays_case *c;
    const struct arrays_made *m;
    const double *u; /* with ghosts */
    size_t problem;
};

static size_t with_ghosts(const struct arrays_case *c, ptrdiff_t i, ptrdiff_t j, ptrdiff_t k)
{
    return (size_t)(i + 1) + (c->n[0] + 2) * ((size_t)(j + 1) + (c->n[1] + 2) * (size_t)(k + 1));
}

static double face_datum(const struct ghost_case *g, int axis, int end, const ptrdiff_t at[3])
{
    const int p = axis == 0 ? 1 : 0, q = axis == 2 ? 1 : 2;
    size_t index[2];
    for (int other = 0; other < 2; other++) {
        const ptrdiff_t n = (ptrdiff_t)g->c->n[other ? q : p], i = at[other ? q : p];
        index[other] = (size_t)(i < 0 ? 0 : i < n ? i : n - 1);
    }
    const double *face = g->m->face[axis][end];
    if (!face)
        return g->m->boundary.constant[axis][end];
    return face[index[0] + g->c->n[p] * index[1] + g->problem * (g->m->elements / g->c->n[axis])];
}

/* From the positions of grids and the formulas that the interface states. */
static double expected_ghost(const struct ghost_case *g, int axis, int end, const ptrdiff_t at[3])
{
    const struct starfish_axis *a = &g->m->problem.axis[axis];
    const ptrdiff_t n = (ptrdiff_t)a->n;
    ptrdiff_t here[3] = {at[0], at[1], at[2]}, next[3] = {at[0], at[1], at[2]};
    here[axis] = a->ends[0] == STARFISH_PERIODIC ? (end ? 0 : n - 1) : end ? n - 1 : 0;
    next[axis] = end ? n - 2 : 1;
    const double u = g->u[with_ghosts(g->c, here[0], here[1], here[2])], datum = face_datum(g, axis, end, at);
    if (a->ends[0] == STARFISH_PERIODIC)
        return u;
    if (a->ends[end] == STARFISH_DIRICHLET)
        return a->grid == STARFISH_CELL ? 2 * datum - u : datum;
    const double sign = end ? 1 : -1;
    if (a->grid == STARFISH_CELL) {
        const double h = a->kind == STARFISH_STRETCHED
                             ? (end ? a->coordinates[n] - a->coordinates[n - 1] : a->coordinates[1] - a->coordinates[0])
                             : a->length / (double)n;
        return u + sign * h * datum;
    }
    const int opposite = a->ends[1 - end] == STARFISH_DIRICHLET;
    double h = a->length / (double)(n - 1 + opposite), beside;
    if (a->kind == STARFISH_STRETCHED)
        h = fabs(test_position(a, end ? (size_t)n - 1 : 0) - test_position(a, end ? (size_t)n - 2 : 1));
    beside = n > 1 ? g->u[with_ghosts(g->c, next[0], next[1], next[2])] : face_datum(g, axis, 1 - end, at);
    return beside + sign * 2 * h * datum;
}

static void check_ghosts_of(const char *what, const struct ghost_case *g, double tolerance)
{
    for (int axis = 0; axis < 3; axis++) {
        ptrdiff_t first[3] = {0, 0, 0}, last[3], at[3];
        for (int d = 0; d < 3; d++) {
            last[d] = (ptrdiff_t)g->c->n[d] - 1;
            first[d] = d < axis ? -1 : 0;
            last[d] += d < axis ? 1 : 0;
        }
        for (int end = 0; end < 2; end++) {
            first[axis] = last[axis] = end ? (ptrdiff_t)g->c->n[axis] : -1;
            for (at[2] = first[2]; at[2] <= last[2]; at[2]++)
                for (at[1] = first[1]; at[1] <= last[1]; at[1]++)
                    for (at[0] = first[0]; at[0] <= last[0]; at[0]++) {
                        const double ghost = g->u[with_ghosts(g->c, at[0], at[1], at[2])];
                        const double wanted = expected_ghost(g, axis, end, at);
                        if (!(fabs(ghost - wanted) <= tolerance))
                            fail_msg("%s: ghost (%td, %td, %td) is %g, not %g", what, at[0], at[1], at[2], ghost,
                                     wanted);
                    }
        }
    }
}

static void check_ghosts(struct arrays_case *c, unsigned *seed)
{
    struct arrays_made m = arrays_make(c, seed);
    const struct starfish_array_layout layout = arrays_full(c, c->options.solution_layout);
    const size_t size = starfish_real_size(c->options.precision), all = m.elements * m.count;
    const struct starfish_array_layout packed = arrays_full(c, (struct starfish_array_layout){0});
    void *rhs = arrays_spread(c, &packed, m.f, all), *empty = arrays_spread(c, &layout, NULL, 0);
    const size_t elements = arrays_size(c, &layout) + layout.row + layout.plane;
    void *solution = malloc(elements * sizeof(double)), *back = malloc(elements * sizeof(double));
    double *u = malloc((c->n[0] + 2) * (c->n[1] + 2) * (c->n[2] + 2) * sizeof *u);
    starfish_plan *plan;
    char what[400];
    arrays_describe(c, what, sizeof what);
    for (size_t e = 0; e < elements; e++)
        test_real_put(solution, c->options.precision, e, arrays_between);
    if (starfish_poisson_plan_create(arrays_context, &m.problem, &c->options, &plan) != STARFISH_SUCCESS)
        fail_msg("%s: %s", what, starfish_error_message());
    void *const given = arrays_memory->upload(rhs, arrays_size(c, &packed) * size);
    void *const got = arrays_memory->upload(solution, elements * size);
    const starfish_status status = starfish_plan_solve(plan, &m.boundary, given, got, NULL);
    const int no_core = !arrays_can_fill_ghosts();
    assert_int_equal(status, no_core ? STARFISH_ERROR_UNSUPPORTED : STARFISH_SUCCESS);
    arrays_memory->download(back, got, elements * size);
    for (size_t p = 0; p < m.count && !no_core; p++) {
        for (size_t e = 0; e < (c->n[0] + 2) * (c->n[1] + 2) * (c->n[2] + 2); e++) {
            const size_t i = e % (c->n[0] + 2), j = e / (c->n[0] + 2) % (c->n[1] + 2),
                         k = e / (c->n[0] + 2) / (c->n[1] + 2);
            const size_t at = layout.offset - 1 - layout.row - layout.plane + i + j * layout.row + k * layout.plane +
                              p * layout.problem;
            u[e] = test_real_get(back, c->options.precision, at);
            test_real_put(back, c->options.precision, at, arrays_between);
        }
        const struct ghost_case g = {c, &m, u, p};
        check_ghosts_of(what, &g, c->options.precision == STARFISH_F64 ? 1e-13 : 2e-5);
    }
    for (size_t e = 0; e < elements && !no_core; e++)
        if (test_real_get(back, c->options.precision, e) != arrays_between)
            fail_msg("%s: element %zu beyond the ghosts was written", what, e);
    arrays_memory->release();
    starfish_plan_destroy(plan);
    free(rhs), free(empty), free(solution), free(back), free(u);
    arrays_free(&m);
}

int arrays_can_fill_ghosts(void)
{
    return arrays_memory->on_device || starfish_context_workers_of(arrays_context, STARFISH_CPU) > 0;
}

void ghosts_are_filled(void **state)
{
    (void)state;
    unsigned seed = 99;
    for (int i = 0; i < 66; i++) {
        struct arrays_case c = {.axis = {arrays_ends[i % ARRAYS_UNIFORM], arrays_ends[(i / 2 + 4) % ARRAYS_ENDS],
                                         arrays_ends[(i * 7 + 2) % ARRAYS_ENDS]},
                                .lambda = -1,
                                .options = STARFISH_POISSON_OPTIONS_DEFAULTS,
                                .with_boundary = i % 5 > 0};
        for (int axis = 0; axis < 3; axis++)
            c.n[axis] = 2 + arrays_draw(&seed, 7);
        if (i % 9 == 2 || i % 9 == 6)
            c.n[0] = 1;
        const size_t row = c.n[0] + 2 + arrays_draw(&seed, 3), plane = row * (c.n[1] + 2) + arrays_draw(&seed, 4);
        c.options.precision = i % 4 ? STARFISH_F64 : STARFISH_F32;
        c.options.count = i % 3 ? 1 : 4;
        c.options.method =
            i % 3 == 1 && !strstr(c.axis[1], "stretched") ? STARFISH_METHOD_BLKTRI : STARFISH_METHOD_AUTO;
        c.options.check_residual = i % 7 == 0;
        c.options.check_data = i % 2;
        c.options.ghosts = 1;
        c.options.solution_layout =
            (struct starfish_array_layout){.offset = 1 + row + plane + arrays_draw(&seed, 3),
                                           .row = row,
                                           .plane = plane,
                                           .problem = plane * (c.n[2] + 2) + arrays_draw(&seed, 5)};
        check_ghosts(&c, &seed);
    }
}

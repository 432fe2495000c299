/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the tests of arrays share: f = A u by the oracle for each problem, its rows anywhere. */
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

const struct test_memory *arrays_memory;
starfish_context *arrays_context;

const char *const arrays_ends[ARRAYS_ENDS] = {"periodic", "dd node",           "dn node",          "nd node",
                                              "nn node",  "dd cell",           "dn cell",          "nd cell",
                                              "nn cell",  "dd cell stretched", "nn node stretched"};

size_t arrays_draw(unsigned *seed, size_t below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (size_t)(*seed >> 8) % below;
}

struct starfish_array_layout arrays_full(const struct arrays_case *c, struct starfish_array_layout layout)
{
    layout.row = layout.row ? layout.row : c->n[0];
    layout.plane = layout.plane ? layout.plane : layout.row * c->n[1];
    layout.problem = layout.problem ? layout.problem : layout.plane * c->n[2];
    return layout;
}

static size_t count_of(const struct arrays_case *c)
{
    return c->options.count > 0 ? c->options.count : 1;
}

/* Where unknown e of all problems' lies. */
size_t arrays_place(const struct arrays_case *c, const struct starfish_array_layout *layout, size_t e)
{
    const size_t i = e % c->n[0], j = e / c->n[0] % c->n[1], k = e / c->n[0] / c->n[1] % c->n[2];
    return layout->offset + i + j * layout->row + k * layout->plane +
           e / (c->n[0] * c->n[1] * c->n[2]) * layout->problem;
}

const double arrays_between = 12345;

size_t arrays_size(const struct arrays_case *c, const struct starfish_array_layout *layout)
{
    return arrays_place(c, layout, c->n[0] * c->n[1] * c->n[2] * count_of(c) - 1) + 1 + ARRAYS_BEHIND;
}

/* An array with `values`, or as if nothing had been written; the caller frees. */
void *arrays_spread(const struct arrays_case *c, const struct starfish_array_layout *layout, const double *values,
                    size_t elements)
{
    const size_t size = arrays_size(c, layout);
    void *array = malloc(size * sizeof(double));
    for (size_t e = 0; e < size; e++)
        test_real_put(array, c->options.precision, e, arrays_between);
    for (size_t e = 0; e < elements && values; e++)
        test_real_put(array, c->options.precision, arrays_place(c, layout, e), values[e]);
    return array;
}

/* The unknowns of the array, which elsewhere is as it was. */
void arrays_gather(const char *what, const struct arrays_case *c, const struct starfish_array_layout *layout,
                   void *array, double *values, size_t elements)
{
    for (size_t e = 0; e < elements; e++) {
        values[e] = test_real_get(array, c->options.precision, arrays_place(c, layout, e));
        test_real_put(array, c->options.precision, arrays_place(c, layout, e), arrays_between);
    }
    for (size_t e = 0; e < arrays_size(c, layout); e++)
        if (test_real_get(array, c->options.precision, e) != arrays_between)
            fail_msg("%s: element %zu between the rows was written", what, e);
}

static void make_boundary(const struct arrays_case *c, struct arrays_made *m, unsigned *seed)
{
    for (int axis = 0; axis < 3; axis++)
        for (int end = 0; end < 2; end++) {
            const size_t face = m->elements / c->n[axis];
            if ((axis + end) % 2 == 0) {
                m->boundary.constant[axis][end] = test_real_random(seed);
                continue;
            }
            m->face[axis][end] = test_reals(STARFISH_F64, face * m->count, seed);
            m->face_array[axis][end] = malloc(face * m->count * sizeof(double));
            for (size_t e = 0; e < face * m->count; e++)
                test_real_put(m->face_array[axis][end], c->options.precision, e, m->face[axis][end][e]);
            m->boundary.array[axis][end] = m->face_array[axis][end];
        }
}

struct arrays_made arrays_make(const struct arrays_case *c, unsigned *seed)
{
    struct arrays_made m = {.elements = c->n[0] * c->n[1] * c->n[2], .count = count_of(c)};
    m.problem.lambda = c->lambda;
    for (int axis = 0; axis < 3; axis++)
        m.problem.axis[axis] = test_axis(c->axis[axis], c->n[axis], 0.5, 1 + 0.25 * axis);
    m.u = test_reals(STARFISH_F64, m.elements * m.count, seed);
    m.f = malloc(m.elements * m.count * sizeof *m.f);
    if (c->with_boundary)
        make_boundary(c, &m, seed);
    for (size_t p = 0; p < m.count; p++) {
        struct starfish_boundary boundary = m.boundary;
        for (int face = 0; face < 6; face++) {
            const double *array = m.face[face / 2][face % 2];
            boundary.array[face / 2][face % 2] = array ? array + p * m.elements / c->n[face / 2] : NULL;
        }
        test_apply(&m.problem, &boundary, m.u + p * m.elements, m.f + p * m.elements);
        for (size_t e = 0; e < m.elements; e++)
            m.f[p * m.elements + e] += c->shift * (double)(p + 1);
    }
    return m;
}

void arrays_free(struct arrays_made *m)
{
    for (int axis = 0; axis < 3; axis++) {
        test_axis_free(&m->problem.axis[axis]);
        for (int end = 0; end < 2; end++)
            free(m->face[axis][end]), free(m->face_array[axis][end]);
    }
    free(m->u), free(m->f);
}

/* Solves, from the arrays to packed doubles. */
static void solve(const char *what, const struct arrays_case *c, const struct arrays_made *m, double *result,
                  double *pertrb)
{
    const size_t elements = m->elements * m->count, size = starfish_real_size(c->options.precision);
    const struct starfish_array_layout from = arrays_full(c, c->options.rhs_layout),
                                       to = arrays_full(c, c->options.solution_layout);
    void *rhs = arrays_spread(c, &from, m->f, elements), *solution = arrays_spread(c, &to, NULL, 0);
    starfish_plan *plan;
    struct starfish_result info = STARFISH_RESULT_DEFAULTS;
    starfish_job *job;
    if (starfish_poisson_plan_create(arrays_context, &m->problem, &c->options, &plan) != STARFISH_SUCCESS)
        fail_msg("%s: %s", what, starfish_error_message());
    for (int again = 0; again < 2; again++) {
        void *const given = arrays_memory->upload(rhs, arrays_size(c, &from) * size);
        void *const got = c->in_place ? given : arrays_memory->upload(solution, arrays_size(c, &to) * size);
        ASSERT_OK(starfish_plan_submit(plan, &m->boundary, given, got, &job));
        ASSERT_OK(starfish_poisson_tell_pertrb(job, pertrb));
        if (starfish_job_finish(job, &info) != STARFISH_SUCCESS)
            fail_msg("%s: %s", what, starfish_error_message());
        void *back = malloc(arrays_size(c, &to) * size);
        arrays_memory->download(back, got, arrays_size(c, &to) * size);
        arrays_gather(what, c, &to, back, result, elements);
        free(back);
        if (!c->in_place) {
            void *kept = malloc(arrays_size(c, &from) * size);
            arrays_memory->download(kept, given, arrays_size(c, &from) * size);
            assert_memory_equal(kept, rhs, arrays_size(c, &from) * size);
            free(kept);
        }
        arrays_memory->release();
        if (c->options.check_residual)
            assert_true(info.residual_max < (c->options.precision == STARFISH_F64 ? 1e-11 : 1e-3));
    }
    starfish_plan_destroy(plan);
    free(rhs), free(solution);
}

/* The largest error of any problem, each up to a constant where `singular`. */
double arrays_error(const struct arrays_made *m, const double *result, int singular)
{
    double most = 0;
    for (size_t p = 0; p < m->count; p++) {
        const double *u = m->u + p * m->elements, *v = result + p * m->elements;
        for (size_t e = 0; e < m->elements; e++) {
            const double difference = fabs(v[e] - u[e] - (singular ? v[0] - u[0] : 0));
            most = difference <= most ? most : difference < HUGE_VAL ? difference : HUGE_VAL;
        }
    }
    return most;
}

void arrays_describe(const struct arrays_case *c, char *what, size_t size)
{
    const struct starfish_array_layout *f = &c->options.rhs_layout, *u = &c->options.solution_layout;
    snprintf(what, size,
             "%s / %s / %s, %zu x %zu x %zu, count %zu, f%d, method %d, slabs %zu, rhs %zu %zu %zu %zu, solution %zu "
             "%zu %zu %zu, in place %d, residual %d",
             c->axis[0], c->axis[1], c->axis[2], c->n[0], c->n[1], c->n[2], c->options.count,
             c->options.precision == STARFISH_F64 ? 64 : 32, (int)c->options.method, c->options.slabs, f->offset,
             f->row, f->plane, f->problem, u->offset, u->row, u->plane, u->problem, c->in_place,
             c->options.check_residual);
}

/* Rounding of the right-hand side counts by the square of the longest direction. */
static double bound_of(const struct arrays_case *c)
{
    double longest = 0;
    for (int axis = 0; axis < 3; axis++)
        longest = fmax(longest, (double)c->n[axis]);
    return c->options.precision == STARFISH_F64 ? fmax(2e-11, longest * longest * 2.2e-16) : 2e-3;
}

void arrays_check(const struct arrays_case *c, unsigned *seed)
{
    char what[400];
    struct arrays_made m = arrays_make(c, seed);
    double *result = malloc(m.elements * m.count * sizeof *result), *pertrb = malloc(m.count * sizeof *pertrb);
    arrays_describe(c, what, sizeof what);
    solve(what, c, &m, result, pertrb);
    const double error = arrays_error(&m, result, c->lambda == 0);
    if (!(error <= bound_of(c)))
        fail_msg("%s: error %g", what, error);
    for (size_t p = 0; p < m.count; p++)
        if (!(fabs(pertrb[p] - c->shift * (double)(p + 1)) <= (c->options.precision == STARFISH_F64 ? 1e-10 : 1e-2)))
            fail_msg("%s: pertrb of problem %zu is %g", what, p, pertrb[p]);
    free(result), free(pertrb);
    arrays_free(&m);
}

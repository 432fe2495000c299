/* Arrays with halos and many problems: f = A u by the oracle for each problem, its rows anywhere; the solver must
 * return u and leave everything between the rows as it was. */
#include "tests/poisson/arrays.h"

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

static const struct test_memory *memory_of_arrays;
static struct starfish_context_options workers;
static starfish_context *context;

static int set_up(void **state)
{
    (void)state;
    if (starfish_context_create(&context, &workers) == STARFISH_SUCCESS)
        return 0;
    fprintf(stderr, "%s\n", starfish_error_message());
    return -1;
}

static int tear_down(void **state)
{
    (void)state;
    starfish_context_destroy(context);
    return 0;
}

/* ---- A case ------------------------------------------------------------------------------------------------------ */

struct arrays_case {
    const char *axis[3];
    size_t n[3];
    double lambda;
    double shift; /* added to the right-hand side of problem p, p + 1 times */
    struct starfish_poisson_options options;
    int in_place, with_boundary;
};

/* What a case is made of: problems, in double and packed; and arrays as the solver gets them. */
struct made {
    struct starfish_poisson_problem problem;
    size_t elements, count;
    double *u, *f, *face[3][2];
    struct starfish_boundary boundary; /* as the solver gets it */
    void *face_array[3][2];
};

static struct starfish_array_layout full(const struct arrays_case *c, struct starfish_array_layout layout)
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
static size_t place(const struct arrays_case *c, const struct starfish_array_layout *layout, size_t e)
{
    const size_t i = e % c->n[0], j = e / c->n[0] % c->n[1], k = e / c->n[0] / c->n[1] % c->n[2];
    return layout->offset + i + j * layout->row + k * layout->plane +
           e / (c->n[0] * c->n[1] * c->n[2]) * layout->problem;
}

enum { BEHIND = 5 };
static const double between = 12345;

static size_t size_of_array(const struct arrays_case *c, const struct starfish_array_layout *layout)
{
    return place(c, layout, c->n[0] * c->n[1] * c->n[2] * count_of(c) - 1) + 1 + BEHIND;
}

/* An array with `values`, or as if nothing had been written; the caller frees. */
static void *spread(const struct arrays_case *c, const struct starfish_array_layout *layout, const double *values,
                    size_t elements)
{
    const size_t size = size_of_array(c, layout);
    void *array = malloc(size * sizeof(double));
    for (size_t e = 0; e < size; e++)
        test_real_put(array, c->options.precision, e, between);
    for (size_t e = 0; e < elements && values; e++)
        test_real_put(array, c->options.precision, place(c, layout, e), values[e]);
    return array;
}

/* The unknowns of the array, which elsewhere is as it was. */
static void gather(const char *what, const struct arrays_case *c, const struct starfish_array_layout *layout,
                   void *array, double *values, size_t elements)
{
    for (size_t e = 0; e < elements; e++) {
        values[e] = test_real_get(array, c->options.precision, place(c, layout, e));
        test_real_put(array, c->options.precision, place(c, layout, e), between);
    }
    for (size_t e = 0; e < size_of_array(c, layout); e++)
        if (test_real_get(array, c->options.precision, e) != between)
            fail_msg("%s: element %zu between the rows was written", what, e);
}

static void make_boundary(const struct arrays_case *c, struct made *m, unsigned *seed)
{
    for (int axis = 0; axis < 3; axis++)
        for (int end = 0; end < 2; end++) {
            const size_t face = m->elements / c->n[axis];
            if ((axis + end) % 2 == 0) {
                m->boundary.constant[axis][end] = test_random(seed);
                continue;
            }
            m->face[axis][end] = test_random_field(face * m->count, seed);
            m->face_array[axis][end] = malloc(face * m->count * sizeof(double));
            for (size_t e = 0; e < face * m->count; e++)
                test_real_put(m->face_array[axis][end], c->options.precision, e, m->face[axis][end][e]);
            m->boundary.array[axis][end] = m->face_array[axis][end];
        }
}

static struct made make(const struct arrays_case *c, unsigned *seed)
{
    struct made m = {.elements = c->n[0] * c->n[1] * c->n[2], .count = count_of(c)};
    m.problem.lambda = c->lambda;
    for (int axis = 0; axis < 3; axis++)
        m.problem.axis[axis] = test_axis(c->axis[axis], c->n[axis], 0.5, 1 + 0.25 * axis);
    m.u = test_random_field(m.elements * m.count, seed);
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

static void free_made(struct made *m)
{
    for (int axis = 0; axis < 3; axis++) {
        test_axis_free(&m->problem.axis[axis]);
        for (int end = 0; end < 2; end++)
            free(m->face[axis][end]), free(m->face_array[axis][end]);
    }
    free(m->u), free(m->f);
}

/* Solves, from the arrays to packed doubles. */
static void solve(const char *what, const struct arrays_case *c, const struct made *m, double *result, double *pertrb)
{
    const size_t elements = m->elements * m->count, size = starfish_real_size(c->options.precision);
    const struct starfish_array_layout from = full(c, c->options.rhs_layout), to = full(c, c->options.solution_layout);
    void *rhs = spread(c, &from, m->f, elements), *solution = spread(c, &to, NULL, 0);
    starfish_poisson_plan *plan;
    struct starfish_info info;
    starfish_job *job;
    if (starfish_poisson_plan_create(context, &m->problem, &c->options, &plan) != STARFISH_SUCCESS)
        fail_msg("%s: %s", what, starfish_error_message());
    for (int again = 0; again < 2; again++) {
        void *const given = memory_of_arrays->upload(rhs, size_of_array(c, &from) * size);
        void *const got = c->in_place ? given : memory_of_arrays->upload(solution, size_of_array(c, &to) * size);
        ASSERT_OK(starfish_poisson_submit(plan, &m->boundary, given, got, &job));
        ASSERT_OK(starfish_job_tell_pertrb(job, pertrb));
        if (starfish_job_wait(job, &info) != STARFISH_SUCCESS)
            fail_msg("%s: %s", what, starfish_error_message());
        void *back = malloc(size_of_array(c, &to) * size);
        memory_of_arrays->download(back, got, size_of_array(c, &to) * size);
        gather(what, c, &to, back, result, elements);
        free(back);
        if (!c->in_place) {
            void *kept = malloc(size_of_array(c, &from) * size);
            memory_of_arrays->download(kept, given, size_of_array(c, &from) * size);
            assert_memory_equal(kept, rhs, size_of_array(c, &from) * size);
            free(kept);
        }
        memory_of_arrays->release();
        if (c->options.check_residual)
            assert_true(info.residual < (c->options.precision == STARFISH_F64 ? 1e-11 : 1e-3));
    }
    starfish_poisson_plan_destroy(plan);
    free(rhs), free(solution);
}

/* The largest error of any problem, each up to a constant where `singular`. */
static double error_of(const struct made *m, const double *result, int singular)
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

static void describe(const struct arrays_case *c, char *what, size_t size)
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

static void check(const struct arrays_case *c, unsigned *seed)
{
    char what[400];
    struct made m = make(c, seed);
    double *result = malloc(m.elements * m.count * sizeof *result), *pertrb = malloc(m.count * sizeof *pertrb);
    describe(c, what, sizeof what);
    solve(what, c, &m, result, pertrb);
    const double error = error_of(&m, result, c->lambda == 0);
    if (!(error <= bound_of(c)))
        fail_msg("%s: error %g", what, error);
    for (size_t p = 0; p < m.count; p++)
        if (!(fabs(pertrb[p] - c->shift * (double)(p + 1)) <= (c->options.precision == STARFISH_F64 ? 1e-10 : 1e-2)))
            fail_msg("%s: pertrb of problem %zu is %g", what, p, pertrb[p]);
    free(result), free(pertrb);
    free_made(&m);
}

/* ---- Tests ------------------------------------------------------------------------------------------------------- */

static const char *const ends[] = {"periodic", "dd node", "dn node", "nd node",           "nn node",          "dd cell",
                                   "dn cell",  "nd cell", "nn cell", "dd cell stretched", "nn node stretched"};
enum { UNIFORM = 9, ENDS = sizeof ends / sizeof ends[0] };

static size_t draw(unsigned *seed, size_t below)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (size_t)(*seed >> 8) % below;
}

/* Packed, a halo of one layer, or gaps of any sizes. */
static struct starfish_array_layout random_layout(const struct arrays_case *c, unsigned *seed)
{
    const size_t kind = draw(seed, 3), *n = c->n;
    if (kind == 0)
        return (struct starfish_array_layout){0};
    if (kind == 1)
        return (struct starfish_array_layout){.offset = 1 + (n[0] + 2) * (1 + (n[1] + 2)),
                                              .row = n[0] + 2,
                                              .plane = (n[0] + 2) * (n[1] + 2),
                                              .problem = (n[0] + 2) * (n[1] + 2) * (n[2] + 2)};
    struct starfish_array_layout layout = {.offset = draw(seed, 4), .row = n[0] + draw(seed, 3)};
    layout.plane = layout.row * n[1] + draw(seed, 6);
    layout.problem = draw(seed, 2) ? 0 : layout.plane * n[2] + draw(seed, 9);
    return layout;
}

static void random_layouts_and_counts(void **state)
{
    (void)state;
    unsigned seed = 2718;
    for (int i = 0; i < 240; i++) {
        struct arrays_case c = {.lambda = -1, .options = STARFISH_POISSON_OPTIONS_DEFAULTS};
        c.axis[0] = ends[draw(&seed, UNIFORM)];
        c.axis[1] = ends[draw(&seed, UNIFORM)];
        c.axis[2] = ends[draw(&seed, ENDS)];
        for (int axis = 0; axis < 3; axis++) {
            c.n[axis] = 1 + draw(&seed, 12);
            if (strstr(c.axis[axis], "nn node") && c.n[axis] < 2)
                c.n[axis] = 2;
        }
        c.options.precision = i % 2 ? STARFISH_F32 : STARFISH_F64;
        c.options.count = (size_t[]){0, 1, 2, 3, 7, 40}[draw(&seed, 6)];
        c.options.method = STARFISH_METHOD_SLAB;
        if (c.options.count < 2)
            c.options.method = (starfish_method)(STARFISH_METHOD_SLAB + draw(&seed, 3));
        c.options.slabs = draw(&seed, 2) * (1 + draw(&seed, c.options.count > 1 ? c.options.count : c.n[2]));
        if (c.options.method != STARFISH_METHOD_SLAB)
            c.options.slabs = 0;
        c.options.rhs_layout = random_layout(&c, &seed);
        c.options.solution_layout = random_layout(&c, &seed);
        c.in_place = draw(&seed, 4) == 0;
        if (c.in_place)
            c.options.solution_layout = c.options.rhs_layout;
        c.with_boundary = draw(&seed, 2) == 1;
        c.options.check_residual = draw(&seed, 3) == 0;
        c.options.refinements = draw(&seed, 5) == 0;
        check(&c, &seed);
    }
}

/* Lines beyond what a GPU does in shared memory, planes beyond a tile, a y without a transform. */
static void larger_layouts(void **state)
{
    (void)state;
    static const struct {
        const char *axis[3];
        size_t n[3], count;
    } cases[] = {{{"periodic", "nn cell", "dd cell"}, {32, 32, 32}, 20},
                 {{"periodic", "nn cell", "dn node"}, {64, 48, 33}, 1},
                 {{"dd node", "dd cell", "nd cell"}, {47, 29, 31}, 5},
                 {{"nn cell", "periodic", "periodic"}, {64, 64, 16}, 3},
                 {{"periodic", "dd cell stretched", "dd cell"}, {24, 20, 18}, 4},
                 {{"periodic", "dd cell stretched", "dd cell"}, {24, 20, 18}, 1},
                 {{"dd cell", "periodic", "dd cell"}, {4099, 5, 3}, 2},
                 {{"periodic", "dn cell", "dd cell"}, {5, 4099, 3}, 1},
                 {{"periodic", "nn cell", "dd node"}, {6, 5, 3000}, 2}};
    unsigned seed = 31;
    for (size_t i = 0; i < 4 * sizeof cases / sizeof cases[0]; i++) {
        struct arrays_case c = {
            .lambda = -2, .options = STARFISH_POISSON_OPTIONS_DEFAULTS, .with_boundary = i % 4 == 1};
        memcpy(c.axis, cases[i / 4].axis, sizeof c.axis);
        memcpy(c.n, cases[i / 4].n, sizeof c.n);
        c.options.method = STARFISH_METHOD_SLAB;
        c.options.refinements = 0;
        c.options.count = cases[i / 4].count;
        c.options.precision = i % 4 == 2 ? STARFISH_F32 : STARFISH_F64;
        if (c.options.precision == STARFISH_F32 && (c.n[0] > 1000 || c.n[1] > 1000 || c.n[2] > 1000))
            continue; /* the oracle's right-hand side has lost the digits that this asks for */
        if (i % 4 != 3) {
            c.options.rhs_layout = (struct starfish_array_layout){.offset = 3, .row = c.n[0] + i % 4};
            c.options.solution_layout =
                (struct starfish_array_layout){.row = c.n[0] + 2,
                                               .plane = (c.n[0] + 2) * (c.n[1] + 2),
                                               .problem = (c.n[0] + 2) * (c.n[1] + 2) * (c.n[2] + 2)};
        }
        check(&c, &seed);
    }
}

/* Every problem has a mean of its own to lose. */
static void many_singular_problems(void **state)
{
    (void)state;
    static const char *const kinds[] = {"periodic", "nn node", "nn cell"};
    unsigned seed = 5;
    for (int i = 0; i < 27; i++) {
        struct arrays_case c = {.lambda = 0,
                                .shift = 0.5,
                                .axis = {kinds[i % 3], kinds[i / 3 % 3], kinds[i / 9]},
                                .n = {6, 5 + (size_t)i % 2, 8},
                                .options = STARFISH_POISSON_OPTIONS_DEFAULTS};
        c.options.count = (size_t[]){1, 4, 9}[i % 3];
        c.options.method = STARFISH_METHOD_SLAB;
        c.options.check_residual = i % 2;
        c.options.refinements = i % 4 == 0;
        c.options.solution_layout = random_layout(&c, &seed);
        check(&c, &seed);
    }
}

/* Rows of a 2D problem, real and complex. */
static void layouts_in_two_dimensions(void **state)
{
    (void)state;
    enum { NX = 7, NY = 9, ROW = 11, SIZE = 2 * (3 + ROW * NY) };
    unsigned seed = 77;
    for (int variant = 0; variant < 8; variant++) {
        struct starfish_axis x = test_matrix(NX, 0, &seed), y = test_matrix(NY, variant & 4, &seed);
        struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
        const size_t parts = variant & 1 ? 2 : 1;
        double *f = test_random_field(parts * NX * NY, &seed), wanted[2 * NX * NY];
        double from[SIZE], to[SIZE];
        starfish_poisson_plan *plan;
        options.complex_rhs = variant & 1;
        options.method = variant & 2 ? STARFISH_METHOD_BLKTRI : STARFISH_METHOD_SLAB;
        ASSERT_OK(starfish_separable2d_plan_create(context, &x, &y, -1, &options, &plan));
        ASSERT_OK(starfish_poisson_solve(plan, NULL, f, wanted, NULL));
        starfish_poisson_plan_destroy(plan);
        options.rhs_layout = options.solution_layout = (struct starfish_array_layout){.offset = 3, .row = ROW};
        ASSERT_OK(starfish_separable2d_plan_create(context, &x, &y, -1, &options, &plan));
        for (size_t e = 0; e < SIZE; e++)
            from[e] = to[e] = between;
        for (size_t e = 0; e < parts * NX * NY; e++)
            from[parts * 3 + e / (parts * NX) * parts * ROW + e % (parts * NX)] = f[e];
        ASSERT_OK(starfish_poisson_solve(plan, NULL, from, to, NULL));
        for (size_t e = 0; e < parts * NX * NY; e++) {
            double *value = &to[parts * 3 + e / (parts * NX) * parts * ROW + e % (parts * NX)];
            assert_true(fabs(*value - wanted[e]) <= 1e-12);
            *value = between;
        }
        for (size_t e = 0; e < SIZE; e++)
            assert_true(to[e] == between);
        starfish_poisson_plan_destroy(plan);
        test_axis_free(&x), test_axis_free(&y);
        free(f);
    }
}

/* Jobs in flight share the plan's memory for modes. */
static void streams_of_strided_solves(void **state)
{
    (void)state;
    enum { SOLVES = 5 };
    unsigned seed = 6;
    struct arrays_case c = {.axis = {"periodic", "nn cell", "dd cell"},
                            .n = {12, 10, 14},
                            .lambda = -1,
                            .options = STARFISH_POISSON_OPTIONS_DEFAULTS};
    c.options.method = STARFISH_METHOD_SLAB;
    c.options.rhs_layout = c.options.solution_layout =
        (struct starfish_array_layout){.offset = 2, .row = 15, .plane = 160};
    starfish_poisson_plan *plan;
    struct made m[SOLVES];
    void *rhs[SOLVES], *solution[SOLVES];
    starfish_job *job[SOLVES];
    const struct starfish_array_layout layout = full(&c, c.options.rhs_layout);
    const size_t bytes = size_of_array(&c, &layout) * sizeof(double);
    double *result = malloc(12 * 10 * 14 * sizeof *result), *back = malloc(bytes);
    for (int s = 0; s < SOLVES; s++) {
        m[s] = make(&c, &seed);
        void *const filled = spread(&c, &layout, m[s].f, m[s].elements), *const empty = spread(&c, &layout, NULL, 0);
        rhs[s] = memory_of_arrays->upload(filled, bytes);
        solution[s] = memory_of_arrays->upload(empty, bytes);
        free(filled), free(empty);
    }
    ASSERT_OK(starfish_poisson_plan_create(context, &m[0].problem, &c.options, &plan));
    for (int s = 0; s < SOLVES; s++)
        ASSERT_OK(starfish_poisson_submit(plan, NULL, rhs[s], solution[s], &job[s]));
    for (int s = 0; s < SOLVES; s++) {
        ASSERT_OK(starfish_job_wait(job[s], NULL));
        memory_of_arrays->download(back, solution[s], bytes);
        gather("stream", &c, &layout, back, result, m[s].elements);
        assert_true(error_of(&m[s], result, 0) < 1e-11);
        free_made(&m[s]);
    }
    memory_of_arrays->release();
    starfish_poisson_plan_destroy(plan);
    free(result), free(back);
}

static void expect_refusal(const struct starfish_poisson_problem *problem,
                           const struct starfish_poisson_options *options, starfish_status status, const char *names)
{
    starfish_poisson_plan *plan = NULL;
    assert_int_equal(starfish_poisson_plan_create(context, problem, options, &plan), status);
    if (!strstr(starfish_error_message(), names))
        fail_msg("'%s' does not name %s", starfish_error_message(), names);
}

static void refuses_layouts_that_overlap(void **state)
{
    (void)state;
    struct starfish_poisson_problem p = {
        {test_axis("periodic", 8, 0, 1), test_axis("dd cell", 6, 0, 1), test_axis("dd cell", 4, 0, 1)}, 0};
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    options.rhs_layout.row = 7;
    expect_refusal(&p, &options, STARFISH_ERROR_ARGUMENT, "rhs_layout.row");
    options.rhs_layout = (struct starfish_array_layout){.row = 9, .plane = 53};
    expect_refusal(&p, &options, STARFISH_ERROR_ARGUMENT, "rhs_layout.plane");
    options.rhs_layout = (struct starfish_array_layout){0};
    options.solution_layout.problem = 191;
    options.count = 2;
    expect_refusal(&p, &options, STARFISH_ERROR_ARGUMENT, "solution_layout.problem");
    options.solution_layout.problem = 0;
    options.method = STARFISH_METHOD_BLKTRI;
    expect_refusal(&p, &options, STARFISH_ERROR_UNSUPPORTED, "count");
    options.method = STARFISH_METHOD_SLAB;
    options.slabs = 3;
    expect_refusal(&p, &options, STARFISH_ERROR_ARGUMENT, "slabs");
    options.slabs = 0;
    options.count = SIZE_MAX;
    expect_refusal(&p, &options, STARFISH_ERROR_ARGUMENT, "count");
    options.count = 1;
    options.solution_layout.row = 9;
    starfish_poisson_plan *plan;
    double array[9 * 6 * 4];
    ASSERT_OK(starfish_poisson_plan_create(context, &p, &options, &plan));
    assert_int_equal(starfish_poisson_solve(plan, NULL, array, array, NULL), STARFISH_ERROR_ARGUMENT);
    starfish_poisson_plan_destroy(plan);
    assert_int_equal(starfish_job_tell_pertrb(NULL, array), STARFISH_ERROR_ARGUMENT);
    for (int axis = 0; axis < 3; axis++)
        test_axis_free(&p.axis[axis]);
}

int test_arrays(const char *name, const struct test_memory *memory, int cpu_workers, int gpu_workers, int cores)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_layouts_and_counts), cmocka_unit_test(larger_layouts),
        cmocka_unit_test(many_singular_problems),    cmocka_unit_test(layouts_in_two_dimensions),
        cmocka_unit_test(streams_of_strided_solves), cmocka_unit_test(refuses_layouts_that_overlap),
    };
    workers = (struct starfish_context_options)STARFISH_CONTEXT_OPTIONS_DEFAULTS;
    workers.cpu_workers = cpu_workers;
    workers.gpu_workers = gpu_workers;
    workers.cores_per_worker = cores;
    memory_of_arrays = memory;
    return cmocka_run_group_tests_name(name, tests, set_up, tear_down);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Solves between fields of random shares, with all kinds of ends, against solves between arrays. */
#include "tests/poisson/spread.h"

#include "tests/common/reals.h"

#include <stdio.h>
#include <string.h>

enum { NX = 24, NY = 10, NZ = 37, PLANE = NX * NY, COUNT = PLANE * NZ, MOST_SHARES = 6, TIMES = 3 };

static int failures;

static void expect(int good, const char *what)
{
    failures += !good;
    if (!good)
        fprintf(stderr, "%s: %s\n", what, starfish_error_message());
}

/* `count` shares of random length, whose owners take turns. */
static void draw(struct starfish_field_share *share, size_t count, const int *device, size_t devices, unsigned *seed)
{
    size_t left = NZ;
    for (size_t s = 0; s < count; s++) {
        const size_t most = left - (count - s - 1);
        const size_t planes =
            s + 1 == count ? left : 1 + (size_t)(0.4999 * (test_real_random(seed) + 1) * (double)most);
        share[s] =
            (struct starfish_field_share){.device = device[s % devices], .first_plane = NZ - left, .planes = planes};
        left -= planes;
    }
}

static void move(starfish_field *field, char *array, size_t size, int writes, test_copy copy)
{
    void *memory;
    size_t planes = 0;
    expect(starfish_field_acquire(field, &memory) == STARFISH_SUCCESS, "acquire");
    expect((memory == NULL) == (starfish_field_shares(field) > 1), "a field of several shares has no one memory");
    for (size_t s = 0; s < starfish_field_shares(field); s++) {
        struct starfish_field_share share;
        expect(starfish_field_share(field, s, &share) == STARFISH_SUCCESS && share.first_plane == planes, "share");
        char *const there = array + share.first_plane * PLANE * size;
        copy(writes ? share.memory : there, writes ? there : share.memory, share.planes * PLANE * size);
        planes += share.planes;
    }
    expect(planes == NZ, "shares are the whole field");
    expect(starfish_field_release(field) == STARFISH_SUCCESS, "release");
}

/* Of multigrid in so many parts; 0: of the slab method. */
static starfish_plan *plan_of(starfish_context *context, starfish_end ends, starfish_precision precision, size_t parts)
{
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    struct starfish_poisson_problem problem = {.lambda = 0};
    static const size_t n[] = {NX, NY, NZ};
    starfish_plan *plan = NULL;
    options.method = parts > 0 ? STARFISH_METHOD_MULTIGRID : STARFISH_METHOD_SLAB;
    options.parts = parts;
    options.sharing = parts > 1 ? STARFISH_SHARING_ALL : STARFISH_SHARING_AUTO;
    options.tolerance = parts > 0 ? 1e-12 : 0;
    options.precision = precision;
    options.check_residual = 1;
    for (int axis = 0; axis < 3; axis++)
        problem.axis[axis] = (struct starfish_axis){
            .kind = STARFISH_UNIFORM, .n = n[axis], .length = 1, .ends = {ends, ends}, .grid = STARFISH_CELL};
    problem.axis[0].ends[0] = problem.axis[0].ends[1] = STARFISH_PERIODIC;
    expect(starfish_poisson_plan_create(context, &problem, &options, &plan) == STARFISH_SUCCESS, "plan");
    return plan;
}

static double largest_difference(const void *a, const void *b, starfish_precision precision)
{
    return test_difference(precision, a, b, COUNT) / test_largest(precision, a, COUNT);
}

/* In place, and from one field to another, several times, as a program that steps in time does. */
static void solve_spread(starfish_plan *plan, size_t count, const struct starfish_field_share *share, void *f,
                         void *got, test_copy copy)
{
    starfish_field *field[2] = {NULL, NULL};
    struct starfish_result info = STARFISH_RESULT_DEFAULTS;
    for (int i = 0; i < 2; i++)
        expect(starfish_poisson_field_spread(plan, count, share, &field[i]) == STARFISH_SUCCESS, "field");
    for (int time = 0; time < TIMES && failures == 0; time++) {
        starfish_job *job = NULL;
        move(field[0], f, sizeof(double), 1, copy);
        expect(starfish_poisson_submit_field(plan, NULL, field[0], field[1], &job) == STARFISH_SUCCESS, "submit");
        expect(job && starfish_job_finish(job, &info) == STARFISH_SUCCESS && info.residual_max < 1e-11, "solve");
        job = NULL;
        expect(starfish_poisson_submit_field(plan, NULL, field[0], field[0], &job) == STARFISH_SUCCESS, "submit");
        expect(job && starfish_job_finish(job, NULL) == STARFISH_SUCCESS, "solve in place");
        move(field[time % 2], got, sizeof(double), 0, copy);
    }
    for (int i = 0; i < 2; i++)
        starfish_field_destroy(field[i]);
}

static void check_shares(starfish_context *context, starfish_end ends, size_t count, const int *device, size_t devices,
                         test_copy copy, unsigned *seed)
{
    struct starfish_field_share share[MOST_SHARES];
    double *f = test_reals(STARFISH_F64, COUNT, seed), *expected = malloc(COUNT * sizeof *expected);
    double *got = malloc(COUNT * sizeof *got);
    starfish_plan *plan = plan_of(context, ends, STARFISH_F64, 0);
    draw(share, count, device, devices, seed);
    expect(starfish_plan_solve(plan, NULL, f, expected, NULL) == STARFISH_SUCCESS, "solve between arrays");
    memset(got, 0xff, COUNT * sizeof *got);
    solve_spread(plan, count, count > 0 ? share : NULL, f, got, copy);
    const double difference = largest_difference(expected, got, STARFISH_F64);
    if (!(difference <= 1e-11)) {
        failures++;
        fprintf(stderr, "ends %d, %zu shares: solutions differ by %g\n", (int)ends, count, difference);
    }
    starfish_plan_destroy(plan);
    free(f), free(expected), free(got);
}

/* Fields as multigrid cuts them into parts, whose owners take turns. */
static void check_multigrid(starfish_context *context, size_t parts, test_copy copy)
{
    unsigned seed = 8;
    double *f = test_reals(STARFISH_F64, COUNT, &seed), *expected = malloc(COUNT * sizeof *expected);
    double *got = malloc(COUNT * sizeof *got);
    starfish_plan *one = plan_of(context, STARFISH_DIRICHLET, STARFISH_F64, 1);
    starfish_plan *several = plan_of(context, STARFISH_DIRICHLET, STARFISH_F64, parts);
    struct starfish_result alone = STARFISH_RESULT_DEFAULTS, shared = STARFISH_RESULT_DEFAULTS;
    starfish_field *field[2] = {NULL, NULL};
    starfish_job *job = NULL;
    expect(starfish_plan_solve(one, NULL, f, expected, &alone) == STARFISH_SUCCESS, "multigrid");
    for (int i = 0; i < 2; i++)
        expect(starfish_poisson_field_spread(several, 0, NULL, &field[i]) == STARFISH_SUCCESS, "multigrid's field");
    if (failures == 0) {
        move(field[0], (char *)f, sizeof(double), 1, copy);
        expect(starfish_poisson_submit_field(several, NULL, field[0], field[1], &job) == STARFISH_SUCCESS, "submit");
        expect(job && starfish_job_finish(job, &shared) == STARFISH_SUCCESS, "multigrid in parts");
        move(field[1], (char *)got, sizeof(double), 0, copy);
        const double difference = largest_difference(expected, got, STARFISH_F64);
        if (!(difference <= 1e-11) || alone.iterations != shared.iterations) {
            failures++;
            fprintf(stderr, "multigrid in %zu parts: %d cycles, %d in one, apart by %g\n", parts, shared.iterations,
                    alone.iterations, difference);
        }
    }
    for (int i = 0; i < 2; i++)
        starfish_field_destroy(field[i]);
    starfish_plan_destroy(one);
    starfish_plan_destroy(several);
    free(f), free(expected), free(got);
}

/* ---- Refusals ---------------------------------------------------------------------------------------------------- */

static void expect_refusal(starfish_plan *plan, size_t count, const struct starfish_field_share *share,
                           starfish_status status, const char *part)
{
    starfish_field *field = NULL;
    const starfish_status got = starfish_poisson_field_spread(plan, count, share, &field);
    expect(got == status && !field && strstr(starfish_error_message(), part), part);
    starfish_field_destroy(field);
}

static void check_refusals(starfish_context *context, int device)
{
    starfish_plan *plan = plan_of(context, STARFISH_DIRICHLET, STARFISH_F32, 0);
    struct starfish_field_share share[2] = {{.device = device, .planes = 20},
                                            {.device = device, .first_plane = 20, .planes = 17}};
    starfish_field *field = NULL;
    expect_refusal(plan, 2, NULL, STARFISH_ERROR_ARGUMENT, "shares is NULL");
    expect_refusal(plan, 1, share, STARFISH_ERROR_ARGUMENT, "20 planes of 37");
    share[1].first_plane = 21;
    expect_refusal(plan, 2, share, STARFISH_ERROR_ARGUMENT, "shares[1] has 17 planes from 21 on");
    share[1].first_plane = 20;
    share[1].device = 77;
    expect_refusal(plan, 2, share, STARFISH_ERROR_ARGUMENT, "shares[1].device is 77");
    share[1].device = device;
    expect(starfish_poisson_field_spread(plan, 2, share, &field) == STARFISH_SUCCESS, "good shares");
    share[0].planes = share[1].first_plane = 19;
    share[1].planes = 18;
    expect_refusal(plan, 2, share, STARFISH_ERROR_ARGUMENT, "another way");
    struct starfish_field_share got;
    expect(starfish_field_share(field, 2, &got) == STARFISH_ERROR_ARGUMENT, "share 2 of 2");
    expect(starfish_field_shares(NULL) == 0, "shares of no field");
    starfish_field_destroy(field);
    starfish_plan_destroy(plan);
}

int test_spread(starfish_context *context, const int *device, size_t devices, test_copy copy)
{
    unsigned seed = 3;
    for (starfish_end ends = STARFISH_PERIODIC; ends <= STARFISH_NEUMANN; ends++)
        for (size_t count = 0; count <= MOST_SHARES; count++)
            check_shares(context, ends, count, device, devices, copy, &seed);
    check_refusals(context, device[0]);
    for (size_t parts = 2; parts <= 4; parts++)
        check_multigrid(context, parts, copy);
    return failures;
}

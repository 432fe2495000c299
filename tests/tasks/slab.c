/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Graphs of slabs: those of the slab method with cuts of which no public option tells, slabs of very different
 * thickness, as cores and a GPU that share a field have; and residuals, whose data are slabs and planes. */
#include "poisson/slab.h"

#include "scheduler/lab/record.h"
#include "stencil/kernels/stencil.h"
#include "tests/common/check.h"
#include "tests/common/group.h"
#include "tests/common/reals.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>
#include <starfish/starfish.h>

static starfish_context *context;

enum { NX = 96, NY = 80, NZ = 67, COUNT = NX * NY * NZ };

static const struct starfish_runs cuts[] = {
    {.parts = 2, .first = (size_t[]){0, 2, NZ}},
    {.parts = 3, .first = (size_t[]){0, 60, 66, NZ}},
    {.parts = 5, .first = (size_t[]){0, 1, 2, 5, 64, NZ}},
};
static const size_t slot_counts[] = {0, 2, 0}; /* of streams; 0: the graph is none; the last: one task for all */
enum { CUTS = sizeof cuts / sizeof cuts[0], SLOT_COUNTS = sizeof slot_counts / sizeof slot_counts[0] };

static starfish_plan *plan_of(starfish_end ends)
{
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    struct starfish_poisson_problem problem = {.lambda = -1};
    static const size_t n[] = {NX, NY, NZ};
    starfish_plan *plan;
    options.method = STARFISH_METHOD_SLAB;
    options.slabs = 1;
    for (int axis = 0; axis < 3; axis++)
        problem.axis[axis] =
            (struct starfish_axis){.kind = STARFISH_UNIFORM, .n = n[axis], .length = 1, .ends = {ends, ends}};
    ASSERT_OK(starfish_poisson_plan_create(context, &problem, &options, &plan));
    return plan;
}

static struct starfish_slab_graph graph; /* large */

/* How many parts the modes have, and slots a stream. */
struct how {
    size_t parts, slots;
    int whole;
};

static void solve_parts(starfish_plan *base, const struct starfish_runs *cut, struct how how, double *rhs,
                        double *solution)
{
    struct starfish_poisson_plan *plan = (struct starfish_poisson_plan *)base;
    struct starfish_progress progress;
    struct starfish_field *field[2];
    starfish_progress_init(&progress, context);
    const struct starfish_slab_shape shape = {
        .cut = cut, .parts = how.parts, .slots = how.slots, .reduced_device = STARFISH_ANY, .whole = how.whole};
    ASSERT_OK(
        starfish_slab_graph_create(&graph, &starfish_slab_state(plan)->space, &plan->direction[2], &shape, &progress));
    ASSERT_OK(starfish_field_over(context, STARFISH_F64, plan->n, cut, "rhs", rhs, &field[0]));
    ASSERT_OK(starfish_field_over(context, STARFISH_F64, plan->n, cut, "solution", solution, &field[1]));
    const struct starfish_vector slabs = {.piece = field[1]->handle};
    const struct starfish_direct_data data = {.rhs = field[0]->handle, .solution = &slabs};
    ASSERT_OK(starfish_graph_slab(&graph, &progress, &data));
    ASSERT_OK(starfish_progress_wait(&progress));
    starfish_progress_destroy(&progress);
    starfish_field_destroy(field[0]);
    starfish_field_destroy(field[1]);
    starfish_slab_graph_destroy(&graph);
}

static void thick_and_thin_slabs_agree(void **state)
{
    (void)state;
    unsigned seed = 11;
    double *rhs = test_reals(STARFISH_F64, COUNT, &seed), *expected = malloc(COUNT * sizeof *expected);
    double *got = malloc(COUNT * sizeof *got);
    for (starfish_end ends = STARFISH_PERIODIC; ends <= STARFISH_NEUMANN; ends++) {
        starfish_plan *plan = plan_of(ends);
        double largest = 0;
        ASSERT_OK(starfish_plan_solve(plan, NULL, rhs, expected, NULL));
        for (size_t i = 0; i < COUNT; i++)
            largest = fmax(largest, fabs(expected[i]));
        for (size_t c = 0; c < (size_t)CUTS * SLOT_COUNTS; c++) {
            memset(got, 0xff, COUNT * sizeof *got);
            solve_parts(plan, &cuts[c % CUTS], (struct how){2, slot_counts[c / CUTS], c / CUTS == SLOT_COUNTS - 1}, rhs,
                        got);
            for (size_t i = 0; i < COUNT; i++)
                if (!(fabs(got[i] - expected[i]) <= 1e-12 * largest))
                    fail_msg("ends %d, cut %zu, element %zu: %g, not %g", (int)ends, c, i, got[i], expected[i]);
        }
        starfish_plan_destroy(plan);
    }
    free(rhs), free(expected), free(got);
}

/* ---- Owners ------------------------------------------------------------------------------------------------------ */

/* Slabs of three owners, ranks whose cores are all here: the second has two slabs, the third one between them. */
static struct starfish_runs cut_of_ranks(void)
{
    static size_t first[] = {0, 20, 21, 40, NZ};
    static struct starfish_owner owner[4];
    static const int rank[] = {0, 1, 2, 1};
    for (size_t s = 0; s < 4; s++)
        owner[s] = (struct starfish_owner){rank[s], STARFISH_CORES};
    return (struct starfish_runs){.parts = 4, .first = first, .owner = owner};
}

static void owners_are_found_once(void **state)
{
    (void)state;
    struct starfish_owner owner;
    struct starfish_runs cut = cut_of_ranks();
    for (int rank = 0; rank < 3; rank++) {
        assert_int_equal(starfish_runs_owners(&cut, (size_t)rank, &owner), 3);
        assert_true(starfish_owner_is(owner, (struct starfish_owner){rank, STARFISH_CORES}));
        assert_true(starfish_device_allows(owner.device, 0) && !starfish_device_allows(owner.device, 1));
    }
    cut.owner[2] = (struct starfish_owner){3, 7};
    assert_true(starfish_device_allows(cut.owner[2].device, 1) && !starfish_device_allows(cut.owner[2].device, 0));
    assert_true(starfish_device_allows(STARFISH_GPUS, 1) && starfish_device_allows(STARFISH_ANY, 0));
    assert_false(starfish_device_allows(STARFISH_NOWHERE, 0) || starfish_device_allows(STARFISH_NOWHERE, 1));
    struct starfish_owner kinds[] = {{0, STARFISH_CORES}, {0, STARFISH_GPUS}};
    const struct starfish_runs of_kinds = {.parts = 2, .first = (size_t[]){0, 1, 2}, .owner = kinds};
    assert_int_equal(starfish_runs_owners(&of_kinds, 0, NULL), 0);
}

/* As many parts of the modes to every owner, in runs; and the solution is that of one slab. */
static void reduced_systems_are_dealt_out(void **state)
{
    (void)state;
    static const int expected_rank[] = {0, 0, 0, 1, 1, 2, 2}; /* of 7 parts: part * 3 / 7 */
    enum { PARTS = 7 };
    unsigned seed = 12;
    double *rhs = test_reals(STARFISH_F64, COUNT, &seed), *expected = malloc(COUNT * sizeof *expected);
    double *got = malloc(COUNT * sizeof *got), largest = 0;
    const struct starfish_runs cut = cut_of_ranks();
    starfish_plan *plan = plan_of(STARFISH_DIRICHLET);
    ASSERT_OK(starfish_plan_solve(plan, NULL, rhs, expected, NULL));
    for (size_t i = 0; i < COUNT; i++)
        largest = fmax(largest, fabs(expected[i]));
    solve_parts(plan, &cut, (struct how){.parts = PARTS}, rhs, got);
    for (size_t i = 0; i < COUNT; i++)
        if (!(fabs(got[i] - expected[i]) <= 1e-12 * largest))
            fail_msg("element %zu: %g, not %g", i, got[i], expected[i]);
    for (size_t part = 0; part < PARTS; part++)
        assert_int_equal(graph.reduced_owner[part].rank, expected_rank[part]);
    starfish_plan_destroy(plan);
    free(rhs), free(expected), free(got);
}

/* ---- Residuals --------------------------------------------------------------------------------------------------- */

enum { SLABS = 4 };

static starfish_plan *plan_with_residual(starfish_method method, starfish_end ends, size_t slabs, int refinements)
{
    struct starfish_poisson_options options = STARFISH_POISSON_OPTIONS_DEFAULTS;
    struct starfish_poisson_problem problem = {.lambda = -1};
    static const size_t n[] = {NX, NY, NZ};
    starfish_plan *plan;
    options.method = method;
    options.slabs = slabs;
    options.refinements = refinements;
    options.check_residual = 1;
    for (int axis = 0; axis < 3; axis++)
        problem.axis[axis] = (struct starfish_axis){
            .kind = STARFISH_UNIFORM, .n = n[axis], .length = 1, .ends = {ends, ends}, .grid = STARFISH_CELL};
    ASSERT_OK(starfish_poisson_plan_create(context, &problem, &options, &plan));
    return plan;
}

/* Bytes of a residual's data: coefficients, the rows' sums, slabs of `count` fields, planes of neighbours, maxima. */
static size_t bytes_of_residual(size_t slab, int periodic, size_t count)
{
    size_t first[SLABS + 1];
    starfish_divide(NZ, SLABS, first);
    const size_t neighbours = periodic ? 2 : (size_t)((slab > 0) + (slab + 1 < SLABS));
    return sizeof(double) * ((size_t)4 * (NX + NY + NZ) + (size_t)NX * NY * (count * (first[slab + 1] - first[slab])) +
                             (size_t)NX * NY * neighbours + STARFISH_MAXIMA);
}

/* A residual's task has the slab, its right-hand side, and one plane of each neighbour. */
static void residuals_take_planes_of_neighbours(void **state)
{
    (void)state;
    static const starfish_method methods[] = {STARFISH_METHOD_SLAB, STARFISH_METHOD_BLKTRI, STARFISH_METHOD_MULTIGRID};
    unsigned seed = 5;
    double *rhs = test_reals(STARFISH_F64, COUNT, &seed), *solution = malloc(COUNT * sizeof *solution);
    for (int variant = 0; variant < 6; variant++) {
        const int periodic = variant % 2, refinements = methods[variant / 2] == STARFISH_METHOD_MULTIGRID ? 0 : 1;
        starfish_plan *plan = plan_with_residual(methods[variant / 2],
                                                 periodic ? STARFISH_PERIODIC : STARFISH_DIRICHLET, SLABS, refinements);
        struct starfish_record *record;
        struct starfish_result info = STARFISH_RESULT_DEFAULTS;
        size_t found = 0;
        ASSERT_OK(starfish_record_start(context, &record));
        ASSERT_OK(starfish_plan_solve(plan, NULL, rhs, solution, &info));
        ASSERT_OK(starfish_record_stop(record));
        for (size_t t = 0; t < record->tasks; t++) {
            const struct starfish_task_span *task = &record->task[t];
            if (strcmp(task->codelet, "residual") != 0)
                continue;
            /* Before a step of refinement residuals are kept, after it their maxima alone. */
            const size_t fields = refinements > 0 && found < SLABS ? 3 : 2;
            assert_int_equal(task->phase, refinements > 0 ? STARFISH_PHASE_REFINEMENT : STARFISH_PHASE_RESIDUAL);
            assert_int_equal(task->coordinates, 1);
            assert_int_equal(task->bytes, bytes_of_residual((size_t)task->at[0].value, periodic, fields));
            found++;
        }
        assert_int_equal(found, SLABS * (1 + refinements));
        assert_true(info.residual_max < 1e-9);
        starfish_record_free(record);
        starfish_plan_destroy(plan);
    }
    free(rhs), free(solution);
}

/* A single slab has no edges: its tasks have as many bytes with a residual as without. */
static void single_slabs_have_no_edges(void **state)
{
    (void)state;
    for (size_t count = 1; count <= 3; count++)
        for (int periodic = 0; periodic < 2; periodic++) {
            struct starfish_runs cut = {.depth = 1, .apart = 1, .wraps = periodic};
            struct starfish_space space;
            struct starfish_vector slabs;
            ASSERT_OK(starfish_runs_equally(&cut, NZ, count));
            ASSERT_OK(starfish_space_runs(&space, context, (const size_t[]){(size_t)NX * NY, NZ}, &cut));
            starfish_vector_borrow(&slabs, &space, STARFISH_F64, NULL);
            ASSERT_OK(starfish_vector_add_edges(&slabs));
            assert_int_equal(space.halos, count == 1 ? 0 : periodic ? 2 * count : 2 * (count - 1));
            assert_true((slabs.edge != NULL) == (count > 1));
            for (size_t h = 0; slabs.edge && h < space.halos; h++)
                assert_int_equal(starpu_data_get_size(slabs.edge[h]), NX * NY * sizeof(double));
            starfish_vector_destroy(&slabs);
            starfish_space_destroy(&space);
            starfish_runs_free(&cut);
        }
}

/* The largest residual of any cut is that of one slab, also on thin slabs and where refinement has changed them. */
static void residuals_of_all_cuts_agree(void **state)
{
    (void)state;
    unsigned seed = 6;
    double *rhs = test_reals(STARFISH_F64, COUNT, &seed), *solution = malloc(COUNT * sizeof *solution);
    for (int variant = 0; variant < 8; variant++) {
        const starfish_method method = variant & 1 ? STARFISH_METHOD_BLKTRI : STARFISH_METHOD_SLAB;
        const starfish_end ends = variant & 2 ? STARFISH_PERIODIC : STARFISH_NEUMANN;
        for (size_t slabs = 1; slabs <= 32; slabs *= 2) {
            starfish_plan *plan = plan_with_residual(method, ends, slabs, variant >> 2);
            struct starfish_result info = STARFISH_RESULT_DEFAULTS;
            ASSERT_OK(starfish_plan_solve(plan, NULL, rhs, solution, &info));
            if (!(info.residual_max < 1e-11))
                fail_msg("variant %d, %zu slabs: residual %g", variant, slabs, info.residual_max);
            starfish_plan_destroy(plan);
        }
    }
    free(rhs), free(solution);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(thick_and_thin_slabs_agree),    cmocka_unit_test(owners_are_found_once),
        cmocka_unit_test(reduced_systems_are_dealt_out), cmocka_unit_test(residuals_take_planes_of_neighbours),
        cmocka_unit_test(single_slabs_have_no_edges),    cmocka_unit_test(residuals_of_all_cuts_agree)};
    return TEST_GROUP("slab", tests, &context, 0, -1, 0);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* apps/files/problem.h: what good files mean, and one clear line for each bad one. */
#include "tests/apps/files/scratch.h"

#include "apps/files/npy.h"
#include "apps/files/problem.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Apostrophes stand for quotation marks. */
static starfish_status read(const char *json, struct starfish_read_problem *problem)
{
    char text[2048];
    size_t length = strlen(json);
    assert_true(length < sizeof text);
    for (size_t i = 0; i <= length; ++i)
        text[i] = json[i] == '\'' ? '"' : json[i];
    return starfish_problem_read(scratch_file("p.json", text, length), NULL, problem);
}

static void write_array(const char *file, size_t rank, const size_t *shape, const double *values)
{
    struct starfish_array array;
    assert_int_equal(starfish_array_create(&array, STARFISH_F64, rank, shape), STARFISH_SUCCESS);
    memcpy(array.data, values, starfish_array_count(&array) * sizeof *values);
    assert_int_equal(starfish_npy_write(scratch(file), &array), STARFISH_SUCCESS);
    starfish_array_free(&array);
}

/* n = (2, 3, 4) everywhere below. */
static int make_files(void **state)
{
    static const double zeros[64], increasing[] = {0, 0.1, 0.3, 0.6, 1, 1.5, 2}, falling[] = {0, 0.1, 0.1, 0.6, 1};
    double holed[24] = {0};
    int failed = scratch_setup(state);
    holed[23] = -INFINITY;
    write_array("f.npy", 3, (const size_t[]){4, 3, 2}, zeros);
    write_array("swapped.npy", 3, (const size_t[]){2, 3, 4}, zeros);
    write_array("flat.npy", 2, (const size_t[]){12, 2}, zeros);
    write_array("holed.npy", 3, (const size_t[]){4, 3, 2}, holed);
    write_array("face-z.npy", 2, (const size_t[]){3, 2}, zeros);
    write_array("face-x.npy", 2, (const size_t[]){4, 3}, zeros);
    write_array("z4.npy", 1, (const size_t[]){4}, increasing);
    write_array("z5.npy", 1, (const size_t[]){5}, increasing);
    write_array("z6.npy", 1, (const size_t[]){6}, increasing);
    write_array("falling.npy", 1, (const size_t[]){5}, falling);
    scratch_file("broken.npy", "\x93NUMPY\x01", 7);
    return failed;
}

#define LENGTH "'length': [1, 2, 3], "
#define BC "'bc': {'x': 'periodic', 'y': ['neumann', 'neumann'], 'z': ['dirichlet', 'neumann']}, "
#define HEAD "{'kind': 'poisson3d', 'n': [2, 3, 4], "
#define POISSON HEAD LENGTH BC
#define ROWS "{'lower': 1, 'diag': -2, 'upper': 1}"

static void poisson3d_is_understood(void **state)
{
    struct starfish_read_problem problem;
    size_t shape[3];
    double origin, spacing, position[4];
    (void)state;
    assert_int_equal(read(POISSON "'origin': [5, 6, null], 'grid': {'x': 'uniform', 'y': 'cell', "
                                  "'z': {'nodes': 'z5.npy'}}, 'length': [1, 2, 1], 'rhs': 1}",
                          &problem),
                     STARFISH_ERROR_FILE);
    assert_message("duplicate object key");
    starfish_problem_free(&problem);
    assert_int_equal(read(HEAD BC "'origin': [5, 6, null], 'grid': {'x': 'uniform', 'y': 'cell', "
                                  "'z': {'nodes': 'z5.npy'}}, 'length': [1, 2, 1], 'lambda': -2.5, "
                                  "'boundary': {'y1': 4, 'z0': 'face-z.npy'}, 'rhs': 'f.npy', 'exact': 0.5, "
                                  "'solution': 'u.npy'}",
                          &problem),
                     STARFISH_SUCCESS);
    assert_string_equal(problem.row->name, "poisson3d");
    assert_int_equal(starfish_problem_shape(&problem, shape), 3);
    assert_int_equal(shape[0], 4);
    assert_int_equal(shape[2], 2);
    assert_true(starfish_problem_axis(&problem, 0).periodic && starfish_problem_axis(&problem, 0).origin == 5 &&
                starfish_problem_axis(&problem, 0).length == 1);
    assert_int_equal(starfish_problem_axis(&problem, 1).grid, STARFISH_CELL);
    assert_int_equal(starfish_problem_axis(&problem, 1).ends[1], STARFISH_NEUMANN);
    assert_int_equal(starfish_problem_axis(&problem, 2).kind, STARFISH_STRETCHED);
    assert_int_equal(starfish_problem_axis(&problem, 2).coordinate_count, 5);
    assert_true(starfish_problem_axis(&problem, 2).coordinates[2] == 0.3 &&
                ((const struct starfish_poisson_problem *)problem.data)->lambda == -2.5);
    assert_true(problem.boundary[1][1].constant == 4 && problem.boundary[2][0].array.rank == 2);
    assert_true(!problem.boundary[0][0].given && problem.exact.constant == 0.5);
    assert_string_equal(problem.solution, scratch("u.npy"));
    assert_false(starfish_problem_positions(&problem, 1, &origin, &spacing, NULL));
    assert_true(fabs(origin - (6 + 1.0 / 3)) < 1e-15 && fabs(spacing - 2.0 / 3) < 1e-15);
    assert_true(starfish_problem_positions(&problem, 2, &origin, &spacing, position));
    assert_true(position[0] == 0.1 && position[3] == 1);
    starfish_problem_free(&problem);
}

static void separable_problems_are_understood(void **state)
{
    struct starfish_read_problem problem;
    (void)state;
    assert_int_equal(read("{'kind': 'separable3d', 'n': [2, 3, 4], 'length': [7], 'y': " ROWS
                          ", 'z': {'lower': 'z4.npy', 'diag': -2, 'upper': 1, 'periodic': true}, 'rhs': 1}",
                          &problem),
                     STARFISH_SUCCESS);
    assert_true(starfish_problem_axis(&problem, 0).periodic && starfish_problem_axis(&problem, 0).length == 7);
    assert_int_equal(starfish_problem_axis(&problem, 1).kind, STARFISH_TRIDIAGONAL);
    assert_true(starfish_problem_axis(&problem, 1).diag[2] == -2 && !starfish_problem_axis(&problem, 1).periodic);
    assert_true(starfish_problem_axis(&problem, 2).lower[1] == 0.1 && starfish_problem_axis(&problem, 2).periodic);
    starfish_problem_free(&problem);
    assert_int_equal(read("{'kind': 'separable2d', 'n': [2, 3], 'x': " ROWS ", 'y': " ROWS
                          ", 'lambda': 1, 'rhs': 'face-z.npy'}",
                          &problem),
                     STARFISH_SUCCESS);
    assert_int_equal(problem.row->dimensions, 2);
    assert_int_equal(problem.n[2], 1);
    starfish_problem_free(&problem);
}

/* First unknown and spacing for every pair of ends, n = 4 on a length of 1. */
static void uniform_grids_lie_where_they_should(void **state)
{
    static const struct {
        const char *ends, *grid;
        double first, spacing;
    } cases[] = {
        {"'periodic'", "uniform", 0, 0.25},
        {"['dirichlet', 'dirichlet']", "node", 0.2, 0.2},
        {"['dirichlet', 'neumann']", "node", 0.25, 0.25},
        {"['neumann', 'dirichlet']", "node", 0, 0.25},
        {"['neumann', 'neumann']", "uniform", 0, 1.0 / 3},
        {"['dirichlet', 'dirichlet']", "cell", 0.125, 0.25},
        {"['neumann', 'neumann']", "cell", 0.125, 0.25},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        struct starfish_read_problem problem;
        char json[512];
        double origin, spacing;
        snprintf(json, sizeof json,
                 HEAD "'length': [1, 1, 1], 'bc': {'x': 'periodic', 'y': 'periodic', 'z': %s}, "
                      "'grid': {'z': '%s'}, 'rhs': 0}",
                 cases[i].ends, cases[i].grid);
        assert_int_equal(read(json, &problem), STARFISH_SUCCESS);
        starfish_problem_positions(&problem, 2, &origin, &spacing, NULL);
        assert_true(fabs(origin - cases[i].first) < 1e-15 && fabs(spacing - cases[i].spacing) < 1e-15);
        starfish_problem_free(&problem);
    }
}

/* Problem files, and what is said of each. */
#define N(n) "{'kind': 'poisson3d', 'n': " n ", " LENGTH BC "'rhs': 0}"
#define ENDS(y) HEAD LENGTH "'bc': {'x': 'periodic', 'y': " y ", 'z': ['dirichlet', 'neumann']}, 'rhs': 0}"
#define GRID(grid) HEAD "'length': [1, 2, null], " BC "'grid': {" grid "}, 'rhs': 0}"
#define FACE(face) POISSON "'boundary': {" face "}, 'rhs': 0}"
#define RHS(rhs) POISSON "'rhs': " rhs "}"
#define SHELL(keys) "{'kind': 'shell3d', 'n': [2, 3, 4], " keys "'rhs': 0}"
#define SHELL_BC "'bc': {'phi': 'periodic', 'r': 'neumann', 'theta': 'pole'}, "
#define SEPARABLE(y) "{'kind': 'separable2d', 'n': [2, 3], 'x': " ROWS ", 'y': " y ", 'rhs': 0}"
static const struct {
    const char *json, *message;
} bad_files[] = {
    {"", "p.json: not JSON"},
    {"{'kind': 'poisson3d'", "p.json: not JSON: line 1"},
    {"[1]", "must hold one JSON object"},
    {"{'kind': 'poisson3d', 'kind': 'poisson3d'}", "duplicate object key"},
    {"{}", "p.json: \"kind\": missing"},
    {"{'kind': 3}", "\"kind\": must be \"poisson3d\""},
    {"{'kind': 'heat'}", "\"kind\": must be \"poisson3d\""},
    {POISSON "'rhs': 0, 'colour': 1}", "\"colour\": unknown key (known: kind, n, length"},
    {"{'kind': 'separable2d', 'length': [1]}", "\"length\": unknown key"},
    {HEAD "'bc': 1}", "\"length\": missing"},
    {HEAD LENGTH "'rhs': 0}", "\"bc\": missing"},
    {POISSON "'lambda': 0}", "\"rhs\": missing"},
    {"{'kind': 'poisson3d'}", "\"n\": missing"},
    {N("4"), "\"n\": must be a list of 3 entries"},
    {N("[2, 3]"), "\"n\": must be a list of 3 entries"},
    {N("[2, 3, 4, 5]"), "\"n\": must be a list of 3 entries"},
    {N("[2, 0, 4]"), "\"n\": entry 2 must be from 1"},
    {N("[2, -3, 4]"), "\"n\": entry 2 must be from 1 to 2147483647, is -3"},
    {N("[2, 3.5, 4]"), "\"n\": entry 2 must be a whole number"},
    {N("[2, '3', 4]"), "\"n\": entry 2 must be a whole number"},
    {N("[2, 3, 4294967296]"), "\"n\": entry 3 must be from 1"},
    {N("[2147483647, 2147483647, 2147483647]"), "\"n\": more than"},
    {N("[2, 3, 99999999999999999999]"), "too big integer"},
    {N("[2, 1, 4]"), "\"n\": entry 2 must be at least 2 between two Neumann ends"},
    {HEAD "'length': [1, 2], " BC "'rhs': 0}", "\"length\": must be a list of 3"},
    {HEAD "'length': [1, 0, 1], " BC "'rhs': 0}", "\"length\": entry 2 must be positive"},
    {HEAD "'length': [1, -1, 1], " BC "'rhs': 0}", "\"length\": entry 2 must be positive"},
    {HEAD "'length': [1, null, 1], " BC "'rhs': 0}", "\"length\": must be a number"},
    {HEAD "'length': [1, 1e999, 1], " BC "'rhs': 0}", "real number overflow"},
    {HEAD "'length': [1, NaN, 1], " BC "'rhs': 0}", "not JSON"},
    {POISSON "'origin': [0, 0], 'rhs': 0}", "\"origin\": must be a list of 3"},
    {POISSON "'origin': [0, 0, 'a'], 'rhs': 0}", "\"origin\": must be a number"},
    {POISSON "'lambda': 'big', 'rhs': 0}", "\"lambda\": must be a number"},
    {POISSON "'solution': 3, 'rhs': 0}", "\"solution\": must be the name of a file"},
    {HEAD LENGTH "'bc': [], 'rhs': 0}", "\"bc\": must be an object"},
    {HEAD LENGTH "'bc': {'x': 'periodic', 'y': 'periodic'}, 'rhs': 0}", "\"bc.z\": missing"},
    {HEAD LENGTH "'bc': {'w': 'periodic'}, 'rhs': 0}", "\"bc.w\": unknown key"},
    {ENDS("'open'"), "\"bc.y\": must be \"periodic\", \"dirichlet\" or \"neumann\", or a pair"},
    {ENDS("['dirichlet']"), "\"bc.y\": must be"},
    {ENDS("['dirichlet', 'robin']"), "\"bc.y\": must be"},
    {ENDS("['dirichlet', 'periodic']"), "\"bc.y\": one end cannot be periodic"},
    {ENDS("['periodic', 'neumann']"), "\"bc.y\": one end cannot be periodic"},
    {GRID("'y': 'centre', 'z': 'cell'"), "\"grid.y\": must be"},
    {GRID("'q': 'cell'"), "\"grid.q\": unknown key"},
    {GRID("'z': 'cell'"), "\"length\": must be a number"},
    {GRID("'z': {}"), "\"grid.z.faces\": a stretched grid is one file"},
    {GRID("'z': {'nodes': 'z5.npy', 'faces': 'z5.npy'}"), "a stretched grid is one file"},
    {GRID("'z': {'edges': 'z5.npy'}"), "\"grid.z.edges\": unknown key"},
    {GRID("'x': {'nodes': 'z5.npy'}"), "\"grid.x.nodes\": x must be uniform"},
    {GRID("'z': {'nodes': 'z4.npy'}"), "\"grid.z.nodes\": z4.npy has shape (4,), must be (5,): n unknowns and"},
    {GRID("'z': {'faces': 'z6.npy'}"), "\"grid.z.faces\": z6.npy has shape (6,), must be (5,): n + 1 faces"},
    {GRID("'z': {'nodes': 'falling.npy'}"), "\"grid.z.nodes\": position 2 does not exceed"},
    {GRID("'z': {'nodes': 'f.npy'}"), "f.npy has shape (4, 3, 2), must be (5,)"},
    {GRID("'z': {'nodes': 'absent.npy'}"), "\"grid.z.nodes\": "},
    {POISSON "'grid': {'z': {'nodes': 'z5.npy'}}, 'rhs': 0}", "\"length\": must be null or 1, which"},
    {HEAD LENGTH "'bc': {'x': 'periodic', 'y': 'periodic', 'z': 'periodic'}, 'grid': {'z': {'nodes': 'z5.npy'}}}",
     "\"grid.z.nodes\": a periodic stretched direction has \"faces\""},
    {FACE("'x0': 1"), "\"boundary.x0\": a periodic direction has no boundary"},
    {FACE("'z2': 1"), "\"boundary.z2\": unknown key"},
    {FACE("'z0': [1]"), "\"boundary.z0\": must be a number or the name of a file"},
    {FACE("'z0': 'face-x.npy'"), "\"boundary.z0\": face-x.npy has shape (4, 3), must be (3, 2)"},
    {POISSON "'boundary': 0, 'rhs': 0}", "\"boundary\": must be an object"},
    {RHS("true"), "\"rhs\": must be a number or the name of a file"},
    {RHS("'swapped.npy'"), "\"rhs\": swapped.npy has shape (2, 3, 4), must be (4, 3, 2)"},
    {RHS("'flat.npy'"), "\"rhs\": flat.npy has shape (12, 2)"},
    {RHS("'holed.npy'"), "holed.npy: element (3, 2, 1) is infinite"},
    {RHS("'broken.npy'"), "broken.npy: not a .npy file"},
    {RHS("'absent.npy'"), "absent.npy: No such file"},
    {RHS("'absent.h5:/f'"), "absent.h5: No such file"},
    {RHS("'f.txt'"), "an array's name is"},
    {RHS("''"), "an array's name is"},
    {POISSON "'rhs': 0, 'exact': 'flat.npy'}", "\"exact\": flat.npy has shape"},
    {SHELL("'bc': {'phi': 'periodic', 'r': 'neumann'}, 'range': {'r': [1, 2]}, "), "\"bc.theta\": "},
    {SHELL("'bc': {'x': 'periodic'}, 'range': {'r': [1, 2]}, "), "\"bc.x\": unknown key"},
    {SHELL("'bc': {'phi': 'periodic', 'r': 'hub', 'theta': 'pole'}, 'range': {'r': [1, 2]}, "), "\"bc.r\": must be"},
    {SHELL(SHELL_BC), "\"range.r\": missing"},
    {SHELL(SHELL_BC "'range': [1, 2], "), "\"range\": must be an object with phi, r and theta"},
    {SHELL(SHELL_BC "'range': {'r': [1]}, "), "\"range.r\": must be a list of 2"},
    {SHELL(SHELL_BC "'range': {'z': [1, 2]}, "), "\"range.z\": unknown key"},
    {SHELL(SHELL_BC "'range': {'r': [1, 2]}, 'length': [1, 1, 1], "), "\"length\": unknown key"},
    {SHELL(SHELL_BC "'range': {'r': [1, 2]}, 'grid': {'theta': 'centre'}, "), "\"grid.theta\": must be"},
    {SHELL(SHELL_BC "'range': {'r': [1, 2]}, 'boundary': {'z0': 1}, "), "\"boundary.z0\": unknown key"},
    {SHELL(SHELL_BC "'range': {'r': [1, 2]}, 'eigenvalues': 'exact', "), "\"eigenvalues\": must be"},
    {SEPARABLE("1"), "\"y\": must be an object"},
    {"{'kind': 'separable2d', 'n': [2, 3], 'x': " ROWS ", 'rhs': 0}", "\"y\": missing"},
    {SEPARABLE("{'lower': 1, 'upper': 1}"), "\"y.diag\": missing"},
    {SEPARABLE("{'lower': 1, 'diag': 'z4.npy', 'upper': 1}"), "\"y.diag\": z4.npy has shape (4,), must be (3,)"},
    {SEPARABLE("{'lower': 1, 'diag': 1, 'upper': 1, 'periodic': 1}"), "\"y.periodic\": must be true or false"},
    {SEPARABLE("{'lower': 1, 'diag': 1, 'upper': 1, 'cyclic': true}"), "\"y.cyclic\": unknown key"},
    {"{'kind': 'separable3d', 'n': [2, 3, 4], 'length': [1, 1], 'y': " ROWS ", 'z': " ROWS ", 'rhs': 0}",
     "\"length\": must be a list of 1 entry"},
};

static void bad_files_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad_files / sizeof bad_files[0]; ++i) {
        struct starfish_read_problem problem;
        if (read(bad_files[i].json, &problem) == STARFISH_SUCCESS)
            fail_msg("accepted: %s", bad_files[i].json);
        assert_message(bad_files[i].message);
        assert_message("p.json: ");
        starfish_problem_free(&problem);
    }
}

static void problem_files_must_be_files(void **state)
{
    struct starfish_read_problem problem;
    (void)state;
    assert_int_equal(starfish_problem_read(scratch(""), NULL, &problem), STARFISH_ERROR_FILE);
    assert_message("is a directory");
    starfish_problem_free(&problem);
    assert_int_equal(starfish_problem_read("/no/such/p.json", NULL, &problem), STARFISH_ERROR_FILE);
    assert_message("/no/such/p.json: No such file");
    starfish_problem_free(&problem);
    assert_int_equal(mkfifo(scratch("pipe.json"), 0600), 0);
    assert_int_equal(starfish_problem_read(scratch("pipe.json"), NULL, &problem), STARFISH_ERROR_FILE);
    assert_message("pipe.json: is not a regular file");
    starfish_problem_free(&problem);
}

static void every_kind_may_name_its_schema(void **state)
{
#define SCHEMA "'$schema': 'problem.schema.json', "
#define BOX "'length': [1, 1, 1], 'bc': {'x': 'periodic', 'y': 'periodic', 'z': 'periodic'}, "
    static const char *const files[] = {
        POISSON SCHEMA "'rhs': 0}",
        "{'kind': 'separable3d', " SCHEMA "'n': [2, 3, 4], 'length': [1], 'y': " ROWS ", 'z': " ROWS ", 'rhs': 0}",
        SEPARABLE("{" SCHEMA "'lower': 1, 'diag': 1, 'upper': 1}"),
        "{'kind': 'separable2d', " SCHEMA "'n': [2, 3], 'x': " ROWS ", 'y': " ROWS ", 'rhs': 0}",
        "{'kind': 'diffusion3d', " SCHEMA BOX "'n': [2, 3, 4], 'coefficient': 1, 'rhs': 0}",
        "{'kind': 'diffusion2d', " SCHEMA "'length': [1, 1], 'bc': {'x': 'periodic', 'y': 'periodic'}, 'n': [2, 3], "
        "'coefficient': 1, 'rhs': 0}",
        "{'kind': 'atmosphere3d', " SCHEMA "'geometry': 'panel', 'n': [4, 4, 4], 'height': 0.1, 'omega': 1, "
        "'lambda': 1, 'rhs': 0}",
    };
    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; ++i) {
        struct starfish_read_problem problem;
        const starfish_status status = read(files[i], &problem);
        if (i == 2)
            assert_message("\"y.$schema\": unknown key"); /* of a file, not of an object in it */
        else if (status != STARFISH_SUCCESS)
            fail_msg("refused: %s", files[i]);
        starfish_problem_free(&problem);
    }
}

static void another_rhs_takes_the_place_of_the_file_s(void **state)
{
    struct starfish_read_problem problem;
    (void)state;
    assert_int_equal(read(RHS("'absent.npy'"), &problem), STARFISH_ERROR_FILE);
    starfish_problem_free(&problem);
    assert_int_equal(starfish_problem_read(scratch("p.json"), scratch("f.npy"), &problem), STARFISH_SUCCESS);
    assert_int_equal(problem.rhs.array.rank, 3);
    starfish_problem_free(&problem);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poisson3d_is_understood),
        cmocka_unit_test(separable_problems_are_understood),
        cmocka_unit_test(uniform_grids_lie_where_they_should),
        cmocka_unit_test(bad_files_are_refused),
        cmocka_unit_test(problem_files_must_be_files),
        cmocka_unit_test(every_kind_may_name_its_schema),
        cmocka_unit_test(another_rhs_takes_the_place_of_the_file_s),
    };
    return cmocka_run_group_tests(tests, make_files, scratch_teardown);
}

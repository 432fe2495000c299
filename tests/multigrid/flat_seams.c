/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ghosts across the edges of a sphere's panels, against the columns that have the same face in space. */
#include "tests/multigrid/flat_kernel_cases.h"

#include "base/real.h"
#include "tests/common/check.h"
#include "tests/common/reals.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LAYERS = 3, SIDES = 4 };

static const struct test_flat_device *tested;

/* Number t of the faces on a side of a panel: its middle on the cube, and its column or the ghost beyond. */
struct face {
    double middle[3];
    ptrdiff_t own[2], ghost[2];
};

static struct face face_of(size_t n, int panel, int side, size_t t)
{
    const int d = side / 2, sign = side % 2 ? 1 : -1;
    const double along = (2 * (double)t + 1) / (double)n - 1;
    double centre[3], axis[2][3];
    struct face face;

    starfish_sphere_frame(panel, centre, axis[0], axis[1]);
    for (int c = 0; c < 3; c++)
        face.middle[c] = centre[c] + sign * axis[d][c] + along * axis[1 - d][c];
    face.own[d] = sign > 0 ? (ptrdiff_t)n - 1 : 0;
    face.ghost[d] = face.own[d] + sign;
    face.own[1 - d] = face.ghost[1 - d] = (ptrdiff_t)t;
    return face;
}

static size_t element(const struct starfish_flat_seams *s, int panel, const ptrdiff_t at[2], size_t k)
{
    const size_t width = s->n + 2 * s->rim, x = (size_t)(at[0] + (ptrdiff_t)s->rim);
    const size_t y = (size_t)(at[1] + (ptrdiff_t)s->rim) + width * (size_t)panel;

    return x + width * (k + s->layers * y);
}

/* The one column of another panel whose face has the same middle. */
static size_t find_other(const struct starfish_flat_seams *s, int panel, const struct face *face, size_t k)
{
    size_t found = 0, count = 0;

    for (int other = 0; other < STARFISH_PANELS; other++)
        for (int side = 0; side < SIDES; side++)
            for (size_t t = 0; t < s->n; t++) {
                const struct face its = face_of(s->n, other, side, t);
                const double apart = fabs(its.middle[0] - face->middle[0]) + fabs(its.middle[1] - face->middle[1]) +
                                     fabs(its.middle[2] - face->middle[2]);
                if (other == panel || apart > 1e-9)
                    continue;
                found = element(s, other, its.own, k);
                count++;
            }
    assert_int_equal(count, 1);
    return found;
}

/* The ghost at a corner is the one beside it beyond the same side in x. */
static void expect_corners(const struct starfish_flat_seams *s, int panel, size_t k, double *expected)
{
    const ptrdiff_t n = (ptrdiff_t)s->n;

    for (int corner = 0; corner < 4; corner++) {
        const ptrdiff_t x = corner % 2 ? n : -1, at[2] = {x, corner / 2 ? n : -1},
                        beside[2] = {x, corner / 2 ? n - 1 : 0};
        expected[element(s, panel, at, k)] = expected[element(s, panel, beside, k)];
    }
}

static void check(size_t n, size_t rim, starfish_precision precision)
{
    struct starfish_flat_seams s = {n, rim, LAYERS, NULL};
    const size_t width = n + 2 * rim, count = STARFISH_PANELS * width * width * LAYERS;
    const size_t bytes = count * starfish_real_size(precision);
    unsigned seed = 4;
    void *const array = test_reals(precision, count, &seed);
    double *const expected = test_doubles(precision, array, count);

    s.u = tested->memory->upload(array, bytes);
    tested->seams[precision](&s);
    tested->memory->download(array, s.u, bytes);
    for (size_t k = 0; k < LAYERS; k++)
        for (int panel = 0; panel < STARFISH_PANELS; panel++) {
            for (int side = 0; side < SIDES; side++)
                for (size_t t = 0; t < n; t++) {
                    const struct face face = face_of(n, panel, side, t);
                    expected[element(&s, panel, face.ghost, k)] = expected[find_other(&s, panel, &face, k)];
                }
            expect_corners(&s, panel, k, expected);
        }
    double *const is = test_doubles(precision, array, count);
    assert_memory_equal(is, expected, count * sizeof *is); /* the rest is as it was */
    tested->memory->release();
    free(expected);
    free(array);
    free(is);
}

static void seams_join_columns_with_one_face(void **state)
{
    static const struct {
        size_t n, rim;
    } shapes[] = {{1, 1}, {2, 2}, {5, 1}, {33, 2}};

    (void)state;
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (int precision = STARFISH_F32; precision <= STARFISH_F64; precision++)
            check(shapes[s].n, shapes[s].rim, (starfish_precision)precision);
}

int test_flat_seams(const struct test_flat_device *device)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(seams_join_columns_with_one_face)};

    tested = device;
    return cmocka_run_group_tests(tests, NULL, NULL);
}

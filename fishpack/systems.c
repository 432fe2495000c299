/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GENBUN, CMGNBN and POISTG have second differences in the second direction, BLKTRI and CBLKTR a matrix. In both cases
 * the first direction has the lines, so that its coefficients cost nothing when they change. */
#include "fishpack/systems.h"

#include "fishpack/directions.h"
#include "fishpack/field.h"
#include "fishpack/kept.h"

#include <stdint.h>

/* ---- GENBUN, CMGNBN, POISTG -------------------------------------------------------------------------------------- */

/* 0, or 6 or 7: coefficients of a periodic first direction that are not constant, or of one that is not periodic and
 * is coupled to what is not there. */
static int error_of_rows(const struct starfish_rows *rows)
{
    const size_t n = rows->n, parts = rows->parts;
    for (size_t p = 0; p < parts && n > 0; p++) {
        if (!rows->periodic && (rows->lower[p] != 0 || rows->upper[parts * (n - 1) + p] != 0))
            return 7;
        for (size_t i = 1; rows->periodic && i < n; i++)
            if (rows->lower[parts * i + p] != rows->upper[p] || rows->upper[parts * i + p] != rows->upper[p] ||
                rows->diag[parts * i + p] != rows->diag[p])
                return 6;
    }
    return 0;
}

static int error_of_genbun(const struct starfish_call *call, int staggered)
{
    const int nperod = starfish_call_integer(call, 0), n = starfish_call_integer(call, 1);
    const int mperod = starfish_call_integer(call, 2), m = starfish_call_integer(call, 3);
    const int number[] = {m < 3 ? 1 : 0, n < 3 ? 2 : 0, starfish_call_integer(call, 7) < m ? 3 : 0,
                          nperod < staggered || nperod > 4 ? 4 : 0, mperod < 0 || mperod > 1 ? 5 : 0};
    int last = 0;
    for (size_t i = 0; i < sizeof number / sizeof number[0]; i++)
        last = number[i] > 0 ? number[i] : last;
    return last;
}

/* The array at argument k as right-hand side, and then the solution. */
static starfish_status solve_grid(struct starfish_call *call, int k, const struct starfish_call_array *shape,
                                  const struct starfish_direct *direct)
{
    static const size_t first[2] = {0, 0};
    struct starfish_direct_way way;
    const struct starfish_call_array y = starfish_call_array(call, k, shape);
    STARFISH_FAIL_IF(call->out_of_memory, STARFISH_ERROR_MEMORY, "out of memory for right-hand sides");
    STARFISH_TRY(starfish_direct_begin(direct, &way));
    const struct starfish_plane u = starfish_plane_of(direct, &way, 0);
    starfish_plane_take(&u, &y, first);
    const starfish_status status = starfish_direct_solve(direct, &way);
    if (status == STARFISH_SUCCESS) {
        starfish_plane_give(&u, &y, first);
        starfish_call_give(call, k, &y, shape->row);
    }
    starfish_direct_end(&way);
    return status;
}

starfish_status starfish_genbun_call(struct starfish_call *call, enum starfish_system system)
{
    const int staggered = system == STARFISH_SYSTEM_POISTG, m = starfish_call_integer(call, 3);
    const size_t parts = system == STARFISH_SYSTEM_CMGNBN ? 2 : 1, n = (size_t)starfish_call_integer(call, 1);
    struct starfish_rows rows =
        starfish_rows_read(call, 4, m > 0 ? (size_t)m : 0, starfish_call_integer(call, 2) != 1, parts);
    STARFISH_FAIL_IF(call->out_of_memory, STARFISH_ERROR_MEMORY, "out of memory for coefficients");
    const int of_rows = error_of_rows(&rows), number = of_rows > 0 ? of_rows : error_of_genbun(call, staggered);
    starfish_call_set_integer(call, 9, number);
    STARFISH_REFUSE_IF(number != 0, "a test of arguments has failed (ierror %d)", number);
    const struct starfish_direct *direct;
    STARFISH_TRY(starfish_direct_find(
        &(struct starfish_direct_axes){.x = starfish_axis_of_period(starfish_call_integer(call, 0), n, staggered),
                                       .y = starfish_no_axis(),
                                       .z = starfish_axis_of_rows(&rows),
                                       .parts = parts},
        &direct));
    const struct starfish_call_array y = {NULL, rows.n, n, (size_t)starfish_call_integer(call, 7), parts};
    const starfish_status status = solve_grid(call, 8, &y, direct);
    starfish_kept_release((void *)(uintptr_t)direct);
    return status;
}

/* ---- BLKTRI, CBLKTR ---------------------------------------------------------------------------------------------- */

static int number_of(starfish_status status)
{
    return status == STARFISH_SUCCESS ? 0 : status == STARFISH_ERROR_MEMORY ? 20 : 4;
}

starfish_status starfish_blktri_call(struct starfish_call *call, int is_complex)
{
    const int m = starfish_call_integer(call, 7), n = starfish_call_integer(call, 2),
              idimy = starfish_call_integer(call, 11);
    const int number = m < 5 ? 1 : n < 3 ? 2 : idimy < m ? 3 : 0;
    const size_t parts = is_complex ? 2 : 1;
    starfish_call_set_integer(call, 13, number);
    STARFISH_REFUSE_IF(number != 0, "m, n or idimy is too small (ierror %d)", number);
    const struct starfish_rows y = starfish_rows_read(call, 3, (size_t)n, starfish_call_integer(call, 1) == 0, 1);
    STARFISH_FAIL_IF(call->out_of_memory, STARFISH_ERROR_MEMORY, "out of memory for coefficients");
    starfish_call_set_integer(call, 13, 5);
    const struct starfish_axis rows = starfish_axis_of_rows(&y);
    STARFISH_FAIL_IF(starfish_opposed_row(&rows) < rows.n, STARFISH_ERROR_NOT_SYMMETRIZABLE,
                     "an(j) cn(j-1) < 0 (ierror 5)");
    starfish_call_set_integer(call, 13, 0);
    if (starfish_call_integer(call, 0) == 0)
        return STARFISH_SUCCESS; /* what is prepared, the first call that solves prepares */
    const struct starfish_rows x = starfish_rows_read(call, 8, (size_t)m, starfish_call_integer(call, 6) == 0, parts);
    STARFISH_FAIL_IF(call->out_of_memory, STARFISH_ERROR_MEMORY, "out of memory for coefficients");
    const struct starfish_direct_axes axes = {
        .x = rows, .y = starfish_no_axis(), .z = starfish_axis_of_rows(&x), .parts = parts};
    const struct starfish_call_array array = {NULL, (size_t)m, (size_t)n, (size_t)idimy, parts};
    const struct starfish_direct *direct;
    starfish_status status = starfish_direct_find(&axes, &direct);
    if (status == STARFISH_SUCCESS) {
        status = solve_grid(call, 12, &array, direct);
        starfish_kept_release((void *)(uintptr_t)direct);
    }
    starfish_call_set_integer(call, 13, number_of(status));
    return status;
}

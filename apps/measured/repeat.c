/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The loop that measures (repeat.h): the setup, warm-up solves, and timed solves; a slow solve is timed only once. The
 * error is found afterwards. */
#include "apps/measured/repeat.h"

#include "base/real.h"
#include "bench/clock.h"
#include "bench/peer_lines.h"

#include <math.h>
#include <stdlib.h>

static starfish_status solve_all(const struct repeats *what, const struct solve_arrays *a, starfish_plan *plan,
                                 struct repeated *times)
{
    for (size_t i = 0; i < what->warmup + times->repeat; i++) {
        const double start = clock_now();
        const starfish_status status =
            starfish_plan_solve(plan, NULL, what->has_rhs ? NULL : a->rhs, a->solution, &times->result);
        const double seconds = what->by_clock ? clock_now() - start : times->result.seconds;
        if (status != STARFISH_SUCCESS && status != STARFISH_ERROR_NUMERICAL)
            return status;
        times->reached = status == STARFISH_SUCCESS;
        if (i >= what->warmup)
            times->seconds[i - what->warmup] = seconds;
        times->repeat = what->slow > 0 && seconds > what->slow ? 1 : times->repeat;
    }
    return STARFISH_SUCCESS;
}

static starfish_status find_error(const struct repeats *what, const struct solve_arrays *a, double *error)
{
    const size_t size = starfish_real_size(a->precision);
    void *copy = NULL;

    if (a->place == SOLVE_DEVICE) {
        copy = malloc(a->count * size);
        STARFISH_FAIL_IF(!copy, STARFISH_ERROR_MEMORY, "no memory for a solution");
        peer_device_read(copy, a->solution, a->count, 1, size);
    }
    const starfish_status status = what->find_error(what->data, a->precision, copy ? copy : a->solution, error);
    free(copy);
    return status;
}

struct repeats repeats_of(const struct bench *bench, starfish_context *context, enum solve_place place)
{
    return (struct repeats){
        .arrays = {.context = context, .place = place}, .warmup = bench->warmup, .repeat = bench->repeat};
}

starfish_status repeat_solves(const struct repeats *what, starfish_plan *plan, struct repeated *times)
{
    static double seconds[BENCH_MOST_REPEATS];
    struct solve_arrays arrays = what->arrays;

    times->repeat = what->repeat;
    times->seconds = seconds;
    times->result = (struct starfish_result)STARFISH_RESULT_DEFAULTS;
    times->about = (struct starfish_about)STARFISH_ABOUT_DEFAULTS;
    times->error = (double)NAN;
    STARFISH_TRY(starfish_plan_about(plan, &times->about));
    starfish_status status = solve_arrays_make(&arrays, what->load, what->constant);
    STARFISH_THEN(status, solve_all(what, &arrays, plan, times));
    if (status == STARFISH_SUCCESS && what->find_error)
        status = find_error(what, &arrays, &times->error);
    solve_arrays_free(&arrays);
    return status;
}

starfish_status repeat_elements(struct repeats *what, starfish_plan *plan, struct repeated *times)
{
    what->has_rhs = 1;
    what->arrays.precision = STARFISH_F64;
    what->arrays.count = starfish_fem_nodes(plan);
    STARFISH_TRY(repeat_solves(what, plan, times));
    return times->reached ? STARFISH_SUCCESS : STARFISH_ERROR_NUMERICAL;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A line that shows how many of a job's tasks or iterations are done. */
#include "apps/plans/solve.h"

#include <stdio.h>
#include <time.h>

enum { BAR = 40 };

static void draw(const struct problem_run *run, size_t solve, size_t finished, size_t total)
{
    static const char full[BAR + 1] = "########################################";
    int done = total ? (int)(BAR * finished / total) : 0;
    fprintf(stderr, "\r  [%.*s%*s] %zu of %zu %s", done, full, BAR - done, "", finished, total,
            run->iterates ? "iterations" : "tasks");
    if (run->options.repeat > 1)
        fprintf(stderr, ", solve %zu of %zu", solve, run->options.repeat);
    fflush(stderr);
}

starfish_status solve_wait(struct problem_run *run, starfish_job *job, size_t solve, int show)
{
    /* Short naps keep the measured time honest; the line itself is drawn ten times a second. */
    const struct timespec nap = {.tv_nsec = 500000};
    size_t finished = 0, total = 1;
    for (size_t naps = 0; show && finished < total; ++naps) {
        nanosleep(&nap, NULL);
        if (starfish_job_state(job, &finished, &total) != STARFISH_SUCCESS)
            break;
        if (naps % 200 == 199)
            draw(run, solve, finished, total);
    }
    starfish_status status = problem_wait(run, job);
    if (show) {
        fprintf(stderr, "\r\033[K");
        fflush(stderr);
    }
    return status;
}

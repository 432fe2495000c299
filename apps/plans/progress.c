/* A line that shows how many of a job's tasks or iterations are done. */
#include "apps/plans/solve.h"

#include <stdio.h>
#include <time.h>

enum { BAR = 40 };

static void draw(size_t finished, size_t total, const char *of)
{
    static const char full[BAR + 1] = "########################################";
    int done = total ? (int)(BAR * finished / total) : 0;
    fprintf(stderr, "\r  [%.*s%*s] %zu of %zu %s", done, full, BAR - done, "", finished, total, of);
    fflush(stderr);
}

starfish_status solve_wait(struct problem_run *run, starfish_job *job, int show)
{
    /* Short naps keep the measured time honest; the line itself is drawn ten times a second. */
    const struct timespec nap = {.tv_nsec = 500000};
    size_t finished = 0, total = 1;
    for (size_t naps = 0; show && finished < total; ++naps) {
        nanosleep(&nap, NULL);
        if (starfish_job_state(job, &finished, &total) != STARFISH_SUCCESS)
            break;
        if (naps % 200 == 199)
            draw(finished, total, run->iterates ? "iterations" : "tasks");
    }
    starfish_status status = problem_wait(run, job);
    if (show) {
        fprintf(stderr, "\r\033[K");
        fflush(stderr);
    }
    return status;
}

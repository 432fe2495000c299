/* A line that shows how many of a job's tasks are done. */
#include "apps/solve/solve.h"

#include <stdio.h>
#include <time.h>

enum { BAR = 40 };

static void draw(size_t finished, size_t total)
{
    static const char full[BAR + 1] = "########################################";
    int done = total ? (int)(BAR * finished / total) : 0;
    fprintf(stderr, "\r  [%.*s%*s] %zu of %zu tasks", done, full, BAR - done, "", finished, total);
    fflush(stderr);
}

starfish_status solve_wait(struct problem_run *run, void *job, int show)
{
    /* Short naps keep the measured time honest; the line itself is drawn ten times a second. */
    const struct timespec nap = {.tv_nsec = 500000};
    size_t finished = 0, total = 1;
    for (size_t naps = 0; show && finished < total; ++naps) {
        nanosleep(&nap, NULL);
        run->family->progress(job, &finished, &total);
        if (naps % 200 == 199)
            draw(finished, total);
    }
    starfish_status status = problem_wait(run, job);
    if (show) {
        fprintf(stderr, "\r\033[K");
        fflush(stderr);
    }
    return status;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish machine record: how fast this machine is now, beside the fastest that it has been. */
#ifndef STARFISH_APPS_MACHINE_PROBE_H
#define STARFISH_APPS_MACHINE_PROBE_H

/* So many times its least time the probe may take, and nothing else is thought to run. */
#define PROBE_CALM 1.1

/* {0}: not measured yet. */
struct probe {
    double least;   /* seconds: the least that it has taken here so far */
    double *values; /* what it works on, in main memory */
};

/* All cores of this process at work for some 50 ms: the least of a few times that the work takes, over the least so
 * far. 1 on a machine that does nothing else, and where there is no memory for it. */
double probe_slowdown(struct probe *probe);
/* Waits until that is at most PROBE_CALM, or so many seconds have passed. Returns what it is then. */
double probe_wait(struct probe *probe, double most_seconds);
void probe_free(struct probe *probe);

#endif

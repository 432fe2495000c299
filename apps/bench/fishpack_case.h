/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Problems of FISHPACK's routines with their arguments, solved by ours or by a peer. Right-hand sides are random;
 * boundary values in arrays of their own are zero. */
#ifndef STARFISH_APPS_BENCH_FISHPACK_CASE_H
#define STARFISH_APPS_BENCH_FISHPACK_CASE_H

#include "bench/peer_fishpack.h"

#include <starfish/fishpack.h>
#include <stddef.h>

/* BLKTRI's problems are u_xx + u_yy = f, and u_xx + (r u_r)_r / r = f with 1 < r < 2, for which there is no transform
 * in r. Ends are Dirichlet. */
enum fishpack_problem {
    FISHPACK_HWSCRT,
    FISHPACK_HSTCRT,
    FISHPACK_HWSSSP,
    FISHPACK_HSTCSP,
    FISHPACK_BLKTRI,
    FISHPACK_BLKTRI_R,
    FISHPACK_HW3CRT,
    FISHPACK_PROBLEMS
};
struct fishpack_row {
    starfish_fishpack_routine routine;
    int code[3];                      /* of boundaries; 0 in the third direction: there are two */
    const char *name, *title, *sizes; /* in lower case; in names of rows; sizes that are measured by default */
    double to[3], lambda;             /* ends of the intervals, which begin at 0 */
};
extern const struct fishpack_row fishpack_rows[FISHPACK_PROBLEMS];

struct fishpack_case {
    const struct fishpack_row *row;
    int n[3];                       /* panels, cells or unknowns of a direction */
    size_t count, unknowns;         /* elements of `field`; unknowns among them */
    double *field, *rhs, *solution; /* the argument; the right-hand side; room for a copy of a solution */
    double change;                  /* relative change of BLKTRI's am, bm, cm from call to call */
    double *line[2], *zeros, *work; /* BLKTRI's lower, diagonal and upper entries; boundary values; W */
    double from, to[3], lambda, perturbation;
    int code[3], step[3], prepared, error;
    void *argument[PEER_FISHPACK_ARGUMENTS];
};

/* n is 1 for a direction that does not exist. *c must not move. Free it with fishpack_case_free, also after a failure.
 * Error: MEMORY. */
starfish_status fishpack_case_make(struct fishpack_case *c, enum fishpack_problem problem, const size_t n[3]);
void fishpack_case_free(struct fishpack_case *c);

/* max |field - solution| / max |solution|. */
double fishpack_case_difference(const struct fishpack_case *c);

/* Prepares, solves `warmup` times, and then fills seconds[repeat] with the times of single solves: by Starfish (peer is
 * NULL), or by a library of peer_fishpack_open. Errors: ARGUMENT (IERROR, in c->error, is not 0; the peer has no such
 * routine), and those of starfish_fishpack_call. */
starfish_status fishpack_case_measure(struct fishpack_case *c, void *peer, size_t warmup, size_t repeat,
                                      double *seconds);

#endif

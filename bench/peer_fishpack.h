/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* FISHPACK on one core, compiled in the same run from the user's copy of its sources: it is not ours to pass on, and a
 * figure of another machine would be no peer. */
#ifndef STARFISH_BENCH_PEER_FISHPACK_H
#define STARFISH_BENCH_PEER_FISHPACK_H

enum { PEER_FISHPACK_ARGUMENTS = 26 }; /* of the longest list, SEPELI's */

/* Compiles all FORTRAN 77 sources (*.f) of `folder` in double precision with the Fortran compiler that FC names, else
 * gfortran. Test programs among them do no harm. NULL if the folder has no sources, or they cannot be compiled; free
 * with peer_fishpack_close. */
void *peer_fishpack_open(const char *folder);
void peer_fishpack_close(void *library);

/* Calls a routine by its name in lower case. Each of PEER_FISHPACK_ARGUMENTS is passed by reference, of which it takes
 * as many as it has. Its work array, if any, must be zeros before the first call: version 90 expects a derived type.
 * Returns 0 where there is no such routine. */
int peer_fishpack_call(void *library, const char *name, void *const *arguments);

#endif

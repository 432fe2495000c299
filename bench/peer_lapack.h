/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The two precisions of peer_lapack_gtsv (peer_lines.h), which peer_lines.c chooses from; peer_lapack.c is compiled
 * twice. */
#ifndef STARFISH_BENCH_PEER_LAPACK_H
#define STARFISH_BENCH_PEER_LAPACK_H

#include "bench/peer_lines.h"

int peer_lapack_f32(const struct peer_lines *lines, int repeat, double *seconds);
int peer_lapack_f64(const struct peer_lines *lines, int repeat, double *seconds);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* LAPACK by precision, and how often a peer is measured: at least PEER_LINES_LEAST times, then until PEER_LINES_SECONDS
 * are over. */
#include "bench/peer_lines.h"
#include "bench/clock.h"

int peer_lines_enough(int measured, int repeat, double start)
{
    return measured >= repeat || (measured >= PEER_LINES_LEAST && clock_now() - start > PEER_LINES_SECONDS);
}

int peer_lapack_gtsv(const struct peer_lines *lines, int repeat, double *seconds)
{
    if (lines->interleaved)
        return 0;
    return (lines->precision == STARFISH_F32 ? peer_lapack_f32 : peer_lapack_f64)(lines, repeat, seconds);
}

/* LAPACK by precision. */
#include "bench/peer_lapack.h"

int peer_lapack_gtsv(const struct peer_lines *lines, int repeat, double *seconds)
{
    if (lines->interleaved)
        return 0;
    return (lines->precision == STARFISH_F32 ? peer_lapack_f32 : peer_lapack_f64)(lines, repeat, seconds);
}

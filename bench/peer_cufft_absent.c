/* Peer: cuFFT, in a build without CUDA. */
#include "bench/peers.h"

int peer_cufft_periodic(size_t n, starfish_precision precision, int repeat, double *seconds)
{
    (void)n;
    (void)precision;
    (void)repeat;
    (void)seconds;
    return 0;
}

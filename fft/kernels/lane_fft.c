/* Plans of transforms of lines side by side that have no precision. */
#include "fft/kernels/lane_fft.h"

#include <stdlib.h>

int starfish_lane_fft_possible(size_t length)
{
    static const size_t prime[] = {2, 3, 5};
    for (size_t p = 0; p < sizeof prime / sizeof prime[0]; p++)
        while (length > 1 && length % prime[p] == 0)
            length /= prime[p];
    return length == 1;
}

void starfish_lane_fft_destroy(struct starfish_lane_fft *fft)
{
    for (size_t l = 0; l < fft->levels; l++)
        free(fft->level[l].factor);
    free(fft->position);
    *fft = (struct starfish_lane_fft){.length = 0};
}

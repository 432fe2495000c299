/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plans of transforms of lines side by side that have no precision. */
#include "fft/kernels/lane_fft.h"

#include <stdlib.h>

enum { LONGEST_CONVOLUTION = 1 << 20 };

size_t starfish_lane_fft_left(size_t length)
{
    for (size_t p = 2; p <= STARFISH_LANE_LARGEST_RADIX; p++)
        while (length > 1 && length % p == 0)
            length /= p;
    return length;
}

int starfish_lane_fft_possible(size_t length)
{
    return starfish_lane_fft_left(length) <= LONGEST_CONVOLUTION;
}

size_t starfish_lane_fft_workspace(const struct starfish_lane_fft *fft)
{
    return fft->convolution ? starfish_lane_convolution_workspace(fft->convolution) : 0;
}

void starfish_lane_fft_destroy(struct starfish_lane_fft *fft)
{
    for (size_t l = 0; l < fft->levels; l++) {
        free(fft->level[l].factor);
        free(fft->level[l].root);
    }
    starfish_lane_convolution_destroy(fft->convolution);
    free(fft->position);
    *fft = (struct starfish_lane_fft){.length = 0};
}

void starfish_lane_convolution_destroy(struct starfish_lane_convolution *convolution)
{
    if (!convolution)
        return;
    starfish_lane_fft_destroy(&convolution->fft);
    free(convolution->kernel);
    free(convolution->from);
    free(convolution->to);
    free(convolution->chirp);
    free(convolution);
}

size_t starfish_lane_convolution_workspace(const struct starfish_lane_convolution *convolution)
{
    return 2 * 2 * STARFISH_LANE_BYTES * convolution->fft.length;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plans of convolutions of lines side by side (lane_convolution.h): the functions that are the same in both
 * precisions. */
#include "fft/kernels/lane_convolution.h"

#include <stdlib.h>

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

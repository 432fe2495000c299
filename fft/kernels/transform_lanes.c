/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plans of lines side by side (transform_lanes.h): their destruction and work space, which are the same in both
 * precisions. */
#include "fft/kernels/transform_lanes.h"

#include <stdlib.h>

void starfish_transform_lanes_destroy(struct starfish_transform_lanes *lanes)
{
    for (int direction = 0; direction < 2; direction++) {
        free(lanes->after[direction].near);
        free(lanes->after[direction].far);
        free(lanes->after[direction].re);
        free(lanes->after[direction].im);
    }
    starfish_lane_fft_destroy(&lanes->fft);
}

size_t starfish_transform_lanes_workspace(const struct starfish_transform_lanes *lanes, size_t n)
{
    return 2 * STARFISH_LANE_BYTES * (n + lanes->fft.length) + starfish_lane_fft_workspace(&lanes->fft);
}

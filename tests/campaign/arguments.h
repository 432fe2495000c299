/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Arguments that all campaigns take: --seed S, --count N, --first K or --only K, --workers cpu:N[,gpu:M], --verbose. */
#ifndef STARFISH_TESTS_CAMPAIGN_ARGUMENTS_H
#define STARFISH_TESTS_CAMPAIGN_ARGUMENTS_H

#include <stdint.h>

struct campaign_arguments {
    uint64_t seed, first, count;
    int cpus, gpus, verbose;
};
#define CAMPAIGN_ARGUMENTS_DEFAULTS                                                                                    \
    {                                                                                                                  \
        .seed = 1, .count = 400, .cpus = 1                                                                             \
    }

/* How many words of the command line an argument takes, 1 or 2; 0: it is none of these, or its value is wrong. */
int campaign_argument(struct campaign_arguments *arguments, const char *name, const char *value);

#endif

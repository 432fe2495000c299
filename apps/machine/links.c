/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What copies of several GPUs share on a recorded machine.
 *
 * StarPU measures one link at a time, and takes whatever lies between main memory and all GPUs for as fast as the
 * fastest of them, so that in a simulation two GPUs get half a link each. What they share on the machine is main
 * memory, whose rate is that of a stream of solves on all GPUs at once, which was recorded with the rates of planes. */
#include "apps/machine/machine.h"

#include "apps/files/output.h"
#include "apps/files/regular.h"
#include "base/real.h"
#include "scheduler/runtime/machine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bytes per second to and from GPUs in a stream of solves; 0: not recorded. */
static double streamed_bytes(const struct starfish_machine *machine)
{
    double most = 0;
    for (size_t i = 0; i < machine->rate_count; ++i) {
        const struct starfish_machine_rates *at = &machine->rates[i];
        const double plane = (double)(at->n[0] * at->n[1] * starfish_real_size(at->precision));
        most = fmax(most, 2 * plane * at->rates.gpu_stream);
    }
    return most;
}

/* A line of the platform: links between one memory and another are named so, others lie above several. */
static int is_shared(const char *line)
{
    return strstr(line, "<link id=\"Interconnect\"") || strstr(line, "<link id=\"NUMA") ||
           strstr(line, "<link id=\"PCI:");
}

static void copy_line(FILE *target, const char *line, double least)
{
    static const char key[] = "bandwidth=\"";
    const char *at = is_shared(line) ? strstr(line, key) : NULL;
    char *rest;
    const double rate = at ? strtod(at + sizeof key - 1, &rest) : 0;
    if (at && rate < least)
        fprintf(target, "%.*s%s%.0f%s", (int)(at - line), line, key, least, rest);
    else
        fputs(line, target);
}

starfish_status machine_share_links(const char *folder)
{
    struct starfish_machine machine;
    struct starfish_output output;
    char path[SIMULATE_PATH], *line = NULL;
    size_t size = 0;
    STARFISH_TRY(machine_read(folder, &machine));
    const double least = streamed_bytes(&machine);
    if (machine.gpus < 1 || !(least > 0))
        return STARFISH_SUCCESS;
    STARFISH_FAIL_IF(snprintf(path, sizeof path, "%s/sampling/bus/%s.platform.v4.xml", folder, machine.name) >=
                         (int)sizeof path,
                     STARFISH_ERROR_FILE, "%s: its name is too long", folder);
    FILE *source;
    STARFISH_TRY(starfish_regular_open(path, &source));
    const starfish_status status = starfish_output_open(&output, path);
    while (status == STARFISH_SUCCESS && getline(&line, &size, source) > 0)
        copy_line(output.stream, line, least);
    free(line);
    fclose(source);
    return status == STARFISH_SUCCESS ? starfish_output_finish(&output, STARFISH_SUCCESS) : status;
}

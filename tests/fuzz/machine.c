/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: machine.json of recorded machines. What is read is a machine that plans can be made for: counts in their
 * range, names that end, rates that are positive for planes of any size. */
#include "tests/fuzz/fuzz.h"

#include "apps/recorded/recorded.h"

#include <math.h>
#include <string.h>

const char *const target_words[] = {"\"name\":",
                                    "\"models\":",
                                    "\"cores\":",
                                    "\"numa_nodes\":",
                                    "\"gpus\":",
                                    "\"rates\":",
                                    "\"precision\":",
                                    "\"f64\"",
                                    "\"f32\"",
                                    "\"nx\":",
                                    "\"ny\":",
                                    "\"gpu_stream\":",
                                    "\"lone\":",
                                    "\"stream\":",
                                    "\"cpu\":",
                                    "\"gpu\":",
                                    "[",
                                    "]",
                                    "{",
                                    "}",
                                    ",",
                                    "null",
                                    "4096",
                                    "4097",
                                    "1e-320",
                                    "1e308",
                                    "\"../x\"",
                                    NULL};

static int is_name(const char *name, size_t least)
{
    const char *end = memchr(name, '\0', STARFISH_MACHINE_NAME);
    return end && (size_t)(end - name) >= least && !strchr(name, '/') && strcmp(name, ".") != 0 &&
           strcmp(name, "..") != 0;
}

static int are_rates(const struct starfish_rates *rates)
{
    int good = isfinite(rates->gpu_stream) && rates->gpu_stream > 0;
    for (int kind = 0; kind < STARFISH_WORKER_KINDS; ++kind)
        good &= isfinite(rates->lone[kind]) && rates->lone[kind] > 0 && isfinite(rates->stream[kind]) &&
                rates->stream[kind] > 0;
    return good;
}

static int check_rates(const struct starfish_machine *machine)
{
    static const size_t sizes[][2] = {{1, 1}, {512, 512}, {8192, 1}, {INT32_MAX, INT32_MAX}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i)
        for (int precision = STARFISH_F32; precision <= STARFISH_F64; ++precision) {
            struct starfish_rates rates;
            if (starfish_machine_rates_of(machine, sizes[i][0], sizes[i][1], (starfish_precision)precision, &rates) &&
                !are_rates(&rates))
                return fuzz_broken("rates that are no rates, for planes of %zu x %zu", sizes[i][0], sizes[i][1]);
        }
    return 0;
}

static int check_machine(const struct starfish_machine *machine)
{
    if (!is_name(machine->name, 1) || !is_name(machine->models, 0))
        return fuzz_broken("a name that is none: '%.64s', '%.64s'", machine->name, machine->models);
    if (machine->cores < 1 || machine->cores > 4096 || machine->numa_nodes < 1 || machine->numa_nodes > 4096 ||
        machine->gpus < 0 || machine->gpus > 4096 || machine->rate_count > STARFISH_MACHINE_RATES)
        return fuzz_broken("%d cores, %d NUMA nodes, %d GPUs, %zu rates", machine->cores, machine->numa_nodes,
                           machine->gpus, machine->rate_count);
    return check_rates(machine);
}

int target(const uint8_t *data, size_t size)
{
    static struct starfish_machine machine;
    fuzz_write("machine.json", data, size);
    fuzz_limit_memory();
    const starfish_status status = machine_read(fuzz_folder(), &machine);
    return status == STARFISH_SUCCESS ? check_machine(&machine) : fuzz_check_message(status);
}

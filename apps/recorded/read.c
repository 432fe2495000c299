/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the description of a recorded machine, FOLDER/machine.json. The file is untrusted, so that every number is
 * checked against its range. */
#include "apps/recorded/recorded.h"

#include "apps/files/json.h"
#include "apps/names.h"
#include "apps/recorded/simulate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4096 }; /* of cores, of rows of a plane, of whatever is counted */

static starfish_status read_count(const char *path, const json_t *root, const char *key, int least, int *count)
{
    const json_t *value = json_object_get(root, key);
    STARFISH_JSON_FAIL_IF(!json_is_integer(value) || json_integer_value(value) < least ||
                              json_integer_value(value) > MOST,
                          path, key, "must be a whole number from %d to %d", least, MOST);
    *count = (int)json_integer_value(value);
    return STARFISH_SUCCESS;
}

/* Beyond what any machine does, and far from numbers whose products over- or underflow. */
static const double least_rate = 1e-6, most_rate = 1e15;

static starfish_status read_rate(const char *path, const char *key, const json_t *value, double *rate)
{
    STARFISH_TRY(starfish_json_number(path, key, value, rate));
    STARFISH_JSON_FAIL_IF(*rate < least_rate || *rate > most_rate, path, key, "must be from %g to %g", least_rate,
                          most_rate);
    return STARFISH_SUCCESS;
}

static starfish_status read_pair(const char *path, const json_t *entry, const char *key,
                                 double rate[STARFISH_WORKER_KINDS])
{
    for (int kind = 0; kind < STARFISH_WORKER_KINDS; kind++)
        STARFISH_TRY(
            read_rate(path, key, json_object_get(json_object_get(entry, key), names_workers[kind]), &rate[kind]));
    return STARFISH_SUCCESS;
}

static starfish_status read_rates(const char *path, const json_t *entry, struct starfish_machine_rates *there)
{
    const char *precision = json_string_value(json_object_get(entry, "precision"));
    int n[2] = {0, 0};
    static const struct starfish_option known = {STARFISH_OPTION_PRECISIONS};
    const int number = precision ? starfish_option_value(&known, precision) : -1;
    STARFISH_JSON_FAIL_IF(number < 0, path, "rates", "\"precision\" must be \"f64\" or \"f32\"");
    STARFISH_TRY(read_count(path, entry, "nx", 1, &n[0]));
    STARFISH_TRY(read_count(path, entry, "ny", 1, &n[1]));
    struct starfish_rates *rates = &there->rates;
    there->n[0] = (size_t)n[0];
    there->n[1] = (size_t)n[1];
    there->precision = (starfish_precision)number;
    STARFISH_TRY(read_rate(path, "gpu_stream", json_object_get(entry, "gpu_stream"), &rates->gpu_stream));
    STARFISH_TRY(read_pair(path, entry, "lone", rates->lone));
    return read_pair(path, entry, "stream", rates->stream);
}

static starfish_status read_name(const char *path, const json_t *root, const char *key,
                                 char name[STARFISH_MACHINE_NAME])
{
    const char *text = json_string_value(json_object_get(root, key));
    STARFISH_JSON_FAIL_IF(!text || !*text || *text == '.' || strlen(text) >= STARFISH_MACHINE_NAME || strchr(text, '/'),
                          path, key, "must be the name of a machine");
    snprintf(name, STARFISH_MACHINE_NAME, "%s", text);
    return STARFISH_SUCCESS;
}

const char *const machine_set_names[STARFISH_WORKER_SETS] = {[STARFISH_SET_CORES] = "cpu",
                                                             [STARFISH_SET_GPUS] = "gpu",
                                                             [STARFISH_SET_ALL] = "all",
                                                             [STARFISH_SET_TEAM] = "team"};

static starfish_status read_corrections(const char *path, const json_t *root, struct starfish_machine *machine)
{
    const json_t *corrections = json_object_get(root, "corrections");
    for (int set = 0; set < STARFISH_WORKER_SETS; set++) {
        const json_t *entry = json_object_get(corrections, machine_set_names[set]);
        struct starfish_correction *there = &machine->correction[set];
        if (!entry)
            continue;
        STARFISH_TRY(starfish_json_number(path, "factor", json_object_get(entry, "factor"), &there->factor));
        STARFISH_TRY(starfish_json_number(path, "seconds", json_object_get(entry, "seconds"), &there->seconds));
        STARFISH_JSON_FAIL_IF(
            !(there->factor >= 0.01 && there->factor <= 100 && there->seconds >= 0 && there->seconds <= 10), path,
            "corrections", "factors must be from 0.01 to 100, seconds from 0 to 10");
    }
    machine->choosing = STARFISH_MACHINE_CHOOSING;
    const json_t *choosing = json_object_get(corrections, "choosing");
    if (choosing)
        STARFISH_TRY(starfish_json_number(path, "choosing", choosing, &machine->choosing));
    STARFISH_JSON_FAIL_IF(!(machine->choosing >= 0 && machine->choosing <= 1e-3), path, "choosing",
                          "must be from 0 to 0.001 seconds");
    return STARFISH_SUCCESS;
}

static starfish_status read_machine(const char *path, const json_t *root, struct starfish_machine *machine)
{
    const json_t *entry;
    size_t i;
    STARFISH_TRY(read_name(path, root, "name", machine->name));
    if (json_object_get(root, "models"))
        STARFISH_TRY(read_name(path, root, "models", machine->models));
    STARFISH_TRY(read_count(path, root, "cores", 1, &machine->cores));
    STARFISH_TRY(read_count(path, root, "numa_nodes", 1, &machine->numa_nodes));
    machine->gpu_speed = 1;
    if (json_object_get(root, "gpu_speed"))
        STARFISH_TRY(read_rate(path, "gpu_speed", json_object_get(root, "gpu_speed"), &machine->gpu_speed));
    STARFISH_TRY(read_corrections(path, root, machine));
    const size_t gpus = json_array_size(json_object_get(root, "gpus"));
    STARFISH_JSON_FAIL_IF(gpus > MOST, path, "gpus", "at most %d entries", MOST);
    machine->gpus = (int)gpus;
    machine->rate_count = json_array_size(json_object_get(root, "rates"));
    STARFISH_JSON_FAIL_IF(machine->rate_count > STARFISH_MACHINE_RATES, path, "rates", "at most %d entries",
                          STARFISH_MACHINE_RATES);
    json_array_foreach (json_object_get(root, "rates"), i, entry)
        STARFISH_TRY(read_rates(path, entry, &machine->rates[i]));
    return STARFISH_SUCCESS;
}

starfish_status machine_read(const char *folder, struct starfish_machine *machine)
{
    char path[4096];
    json_t *root;
    *machine = (struct starfish_machine){.cores = 0};
    STARFISH_FAIL_IF(snprintf(path, sizeof path, "%s/machine.json", folder) >= (int)sizeof path, STARFISH_ERROR_FILE,
                     "a machine's folder has too long a name");
    STARFISH_TRY(starfish_json_load(path, &root));
    const starfish_status status = read_machine(path, root, machine);
    json_decref(root);
    return status;
}

/* StarPU calls a GPU "CUDA 0.0 (NVIDIA H200 125.8 GiB 00:06.0)": the words before its memory's size. */
static int gpu_name(const char *worker, char *name, size_t size)
{
    const char *begin = strchr(worker, '(');
    begin = begin ? begin + 1 : worker;
    size_t length = strcspn(begin, ")");
    const char *unit = strstr(begin, " GiB");
    if (unit && (size_t)(unit - begin) < length) {
        length = (size_t)(unit - begin);
        while (length > 0 && begin[length - 1] != ' ')
            length--;
        length -= length > 0;
    }
    return snprintf(name, size, "%.*s", (int)length, begin);
}

void machine_describe(const struct starfish_runtime *runtime, const struct starfish_worker *worker, size_t workers,
                      char *text, size_t size)
{
    char name[64] = "";
    size_t gpus = 0;
    const struct starfish_machine *simulated = starfish_machine_is_simulated() ? starfish_machine_named() : NULL;
    for (size_t i = 0; i < workers; i++)
        if (worker[i].kind == STARFISH_GPU && gpus++ == 0)
            gpu_name(worker[i].name, name, sizeof name);
    if (simulated)
        snprintf(text, size, "%s", simulated->name);
    else if (gpus > 0)
        snprintf(text, size, "%d cores, %zu x %s", runtime->cores, gpus, name);
    else
        snprintf(text, size, "%d core%s", runtime->cores, runtime->cores == 1 ? "" : "s");
}

void machine_use_named(void)
{
    const char *folder = getenv("STARFISH_MACHINE");
    struct starfish_machine machine;

    if (SIMULATED && (!folder || !*folder))
        starfish_machine_refuse(STARFISH_ERROR_ARGUMENT,
                                "STARFISH_MACHINE names no machine: use `starfish sched --simulate NAME` or `starfish "
                                "trace --simulate NAME`");
    if (!folder || !*folder)
        return;
    const starfish_status status = machine_read(folder, &machine);
    if (status == STARFISH_SUCCESS)
        starfish_machine_use(&machine);
    else
        starfish_machine_refuse(status, starfish_error_message());
}

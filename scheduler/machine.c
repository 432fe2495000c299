/* Recorded machines. */
#include "scheduler/machine.h"

#include "base/json.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- machine.json ----------------------------------------------------------------------------------------------------- */

static starfish_status read_count(const char *path, const json_t *root, const char *key, int least, int *count)
{
    const json_t *value = json_object_get(root, key);
    if (!json_is_integer(value) || json_integer_value(value) < least || json_integer_value(value) > 4096)
        return starfish_json_fail(path, key, "must be a whole number from %d to 4096", least);
    *count = (int)json_integer_value(value);
    return STARFISH_SUCCESS;
}

static starfish_status read_pair(const char *path, const json_t *entry, const char *key,
                                 double rate[STARFISH_WORKER_KINDS])
{
    static const char *const kinds[] = {[STARFISH_CPU] = "cpu", [STARFISH_GPU] = "gpu"};
    for (int kind = 0; kind < STARFISH_WORKER_KINDS; kind++) {
        STARFISH_TRY(
            starfish_json_number(path, key, json_object_get(json_object_get(entry, key), kinds[kind]), &rate[kind]));
        if (rate[kind] <= 0)
            return starfish_json_fail(path, key, "must be positive");
    }
    return STARFISH_SUCCESS;
}

static starfish_status read_rates(const char *path, const json_t *entry, struct starfish_machine_rates *there)
{
    const char *precision = json_string_value(json_object_get(entry, "precision"));
    int n[2] = {0, 0};
    if (!precision || (strcmp(precision, "f64") != 0 && strcmp(precision, "f32") != 0))
        return starfish_json_fail(path, "rates", "\"precision\" must be \"f64\" or \"f32\"");
    STARFISH_TRY(read_count(path, entry, "nx", 1, &n[0]));
    STARFISH_TRY(read_count(path, entry, "ny", 1, &n[1]));
    struct starfish_rates *rates = &there->rates;
    there->n[0] = (size_t)n[0];
    there->n[1] = (size_t)n[1];
    there->precision = strcmp(precision, "f32") == 0 ? STARFISH_F32 : STARFISH_F64;
    STARFISH_TRY(starfish_json_number(path, "gpu_stream", json_object_get(entry, "gpu_stream"), &rates->gpu_stream));
    if (rates->gpu_stream <= 0)
        return starfish_json_fail(path, "gpu_stream", "must be positive");
    STARFISH_TRY(read_pair(path, entry, "lone", rates->lone));
    return read_pair(path, entry, "stream", rates->stream);
}

static starfish_status read_name(const char *path, const json_t *root, const char *key,
                                 char name[STARFISH_MACHINE_NAME])
{
    const char *text = json_string_value(json_object_get(root, key));
    if (!text || !*text || strlen(text) >= STARFISH_MACHINE_NAME || strchr(text, '/'))
        return starfish_json_fail(path, key, "must be the name of a machine");
    snprintf(name, STARFISH_MACHINE_NAME, "%s", text);
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
    machine->gpus = (int)json_array_size(json_object_get(root, "gpus"));
    machine->rate_count = json_array_size(json_object_get(root, "rates"));
    if (machine->rate_count > STARFISH_MACHINE_RATES)
        return starfish_json_fail(path, "rates", "at most %d entries", STARFISH_MACHINE_RATES);
    json_array_foreach(json_object_get(root, "rates"), i, entry)
    {
        STARFISH_TRY(read_rates(path, entry, &machine->rates[i]));
    }
    return STARFISH_SUCCESS;
}

starfish_status starfish_machine_read(const char *folder, struct starfish_machine *machine)
{
    char path[4096];
    json_t *root;
    *machine = (struct starfish_machine){.cores = 0};
    if (snprintf(path, sizeof path, "%s/machine.json", folder) >= (int)sizeof path)
        return starfish_fail(STARFISH_ERROR_FILE, "a machine's folder has too long a name");
    STARFISH_TRY(starfish_json_load(path, &root));
    const starfish_status status = read_machine(path, root, machine);
    json_decref(root);
    return status;
}

/* ---- the one that is named --------------------------------------------------------------------------------------------- */

static struct {
    int is_known;
    starfish_status status;
    char message[512];
    struct starfish_machine machine;
} named;

static void read_once(void)
{
    const char *folder = getenv("STARFISH_MACHINE");
    if (!folder || !*folder) {
#ifdef STARPU_SIMGRID
        named.status = STARFISH_ERROR_ARGUMENT;
        snprintf(named.message, sizeof named.message,
                 "STARFISH_MACHINE names no machine: use `starfish sched --simulate NAME` or `starfish trace "
                 "--simulate NAME`");
#endif
        return;
    }
    named.status = starfish_machine_read(folder, &named.machine);
    named.is_known = named.status == STARFISH_SUCCESS;
    if (!named.is_known)
        snprintf(named.message, sizeof named.message, "%s", starfish_error_message());
}

const struct starfish_machine *starfish_machine_named(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_once);
    return named.is_known ? &named.machine : NULL;
}

starfish_status starfish_machine_check(void)
{
    starfish_machine_named();
    return named.status == STARFISH_SUCCESS ? STARFISH_SUCCESS : starfish_fail(named.status, "%s", named.message);
}

/* ---- rates ------------------------------------------------------------------------------------------------------------- */

int starfish_machine_rates_of(const struct starfish_machine *machine, size_t nx, size_t ny,
                              starfish_precision precision, struct starfish_rates *rates)
{
    const struct starfish_machine_rates *best = NULL;
    double nearest = 0;
    for (size_t i = 0; i < machine->rate_count; i++) {
        const struct starfish_machine_rates *there = &machine->rates[i];
        const double ratio = (double)there->n[0] * (double)there->n[1] / ((double)nx * (double)ny);
        if (there->precision == precision && (!best || fabs(log(ratio)) < fabs(log(nearest)))) {
            best = there;
            nearest = ratio;
        }
    }
    if (!best)
        return 0;
    *rates = best->rates;
    rates->gpu_stream *= nearest;
    for (int kind = 0; kind < STARFISH_WORKER_KINDS; kind++) {
        rates->lone[kind] *= nearest;
        rates->stream[kind] *= nearest;
    }
    return 1;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish machine derive: a machine like a recorded one, with other numbers of GPUs, cores and NUMA nodes, and GPUs of
 * another speed.
 *
 * Its tasks take the times that were recorded there, each GPU has a link to main memory of its own, like the recorded
 * one's, and GPUs are linked in pairs. Where main memory is named, all copies from and to it share that. */
#include "apps/machine/machine.h"

#include "apps/files/json.h"
#include "apps/files/output.h"
#include "apps/files/regular.h"
#include "apps/options.h"
#include "scheduler/runtime/machine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct derivation {
    const char *name, *from, *folder;
    size_t gpus, cores, numa_nodes;
    size_t link_gigabytes, link_microseconds; /* between GPUs: what StarPU measured on a node with four H200 */
    size_t memory_gigabytes;                  /* 0: enough */
    size_t gpu_percent;                       /* speed of GPUs' tasks */
    char origin[SIMULATE_PATH], sampling[SIMULATE_PATH + 16];
    struct starfish_machine machine; /* the recorded one */
    const char *host;                /* as StarPU calls it */
    double up, down;                 /* MB/s from and to main memory */
    double up_latency, down_latency; /* microseconds */
    char gpu[1024];                  /* what the platform says of one: properties */
};

/* ---- what is known of the recorded machine's first GPU ----------------------------------------------------------- */

static starfish_status read_recorded(const struct derivation *derivation, const char *what, char **text)
{
    char path[SIMULATE_PATH + 256];
    snprintf(path, sizeof path, "%s/sampling/bus/%s.%s", derivation->origin, derivation->host, what);
    return starfish_regular_read(path, text, &(size_t){0});
}

/* Entry [row][column] of a matrix of StarPU's: lines of numbers, after one of words. */
static double entry_of(const char *text, int row, int column)
{
    for (int line = 0; line <= row && text; line++)
        text = strchr(text, '\n') ? strchr(text, '\n') + 1 : NULL;
    for (int at = 0; text && at <= column; at++) {
        char *end;
        const double value = strtod(text, &end);
        if (end == text)
            return 0;
        if (at == column)
            return value;
        text = end;
    }
    return 0;
}

static starfish_status read_matrix(const struct derivation *derivation, const char *what, double *up, double *down)
{
    const int gpu = derivation->machine.numa_nodes; /* memories are numbered: NUMA nodes, GPUs */
    char *text;
    const starfish_status status = read_recorded(derivation, what, &text);
    *up = entry_of(text, 0, gpu);
    *down = entry_of(text, gpu, 0);
    free(text);
    STARFISH_TRY(status);
    STARFISH_FAIL_IF(!(*up > 0) || !(*down > 0), STARFISH_ERROR_FILE, "%s: no %s of a link to a GPU",
                     derivation->origin, what);
    return STARFISH_SUCCESS;
}

static starfish_status read_gpu(struct derivation *derivation)
{
    char *text;
    const starfish_status status = read_recorded(derivation, "platform.v4.xml", &text);
    const char *host = status == STARFISH_SUCCESS ? strstr(text, "<host id=\"CUDA0\"") : NULL;
    const char *begin = host ? strchr(host, '\n') : NULL, *end = host ? strstr(host, "</host>") : NULL;
    const int fits = begin && end && end > begin && (size_t)(end - begin) < sizeof derivation->gpu;
    if (fits)
        snprintf(derivation->gpu, sizeof derivation->gpu, "%.*s", (int)(end - begin - 1), begin + 1);
    free(text);
    STARFISH_TRY(status);
    STARFISH_FAIL_IF(!fits, STARFISH_ERROR_FILE, "%s: its platform has no GPU", derivation->origin);
    return STARFISH_SUCCESS;
}

static starfish_status read_origin(struct derivation *derivation)
{
    STARFISH_TRY(simulate_find(derivation->from, derivation->origin));
    STARFISH_TRY(machine_read(derivation->origin, &derivation->machine));
    STARFISH_FAIL_IF(derivation->machine.gpus == 0 || derivation->machine.models[0], STARFISH_ERROR_ARGUMENT,
                     "--from: %s is not a machine with a GPU that was recorded", derivation->from);
    derivation->host = derivation->machine.name;
    STARFISH_TRY(read_matrix(derivation, "bandwidth", &derivation->up, &derivation->down));
    STARFISH_TRY(read_matrix(derivation, "latency", &derivation->up_latency, &derivation->down_latency));
    return read_gpu(derivation);
}

/* ---- StarPU's files ---------------------------------------------------------------------------------------------- */

/* StarPU's matrices have a row and a column for every memory node that it could have. */
static double value_of(const struct derivation *d, size_t from, size_t to, double up, double down, double across)
{
    const size_t nodes = d->numa_nodes, memories = nodes + d->gpus;
    if (from >= memories || to >= memories)
        return (double)NAN;
    if (from == to)
        return 0;
    if (from < nodes && to < nodes)
        return up;
    return from < nodes ? up : to < nodes ? down : across;
}

static void write_matrix(FILE *stream, const struct derivation *d, double up, double down, double across)
{
    fprintf(stream, "# from main memories and GPUs, to the same\n");
    for (size_t from = 0; from < STARPU_MAXNODES; from++)
        for (size_t to = 0; to < STARPU_MAXNODES; to++)
            fprintf(stream, "%e%c", value_of(d, from, to, up, down, across), to + 1 < STARPU_MAXNODES ? '\t' : '\n');
}

static void write_bandwidth(FILE *stream, const struct derivation *d)
{
    write_matrix(stream, d, d->up, d->down, 1e3 * (double)d->link_gigabytes);
}

static void write_latency(FILE *stream, const struct derivation *d)
{
    write_matrix(stream, d, d->up_latency, d->down_latency, (double)d->link_microseconds);
}

static void write_config(FILE *stream, const struct derivation *d)
{
    fprintf(stream,
            "# Current configuration\n%zu # Number of CPUs\n%zu # Number of NUMA nodes\n%zu # Number of CUDA nodes\n",
            d->cores, d->numa_nodes, d->gpus);
    static const char *const others[] = {"OpenCL", "FPGA", "Disk", "MPI_MS", "TCPIP_MS", "HIP"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        fprintf(stream, "0 # Number of %s nodes\n", others[i]);
}

static void write_link(FILE *stream, const char *name, double megabytes, double microseconds)
{
    fprintf(stream, "   <link id=\"%s\" bandwidth=\"%.0fBps\" latency=\"%.9fs\"/>\n", name, 1e6 * megabytes,
            1e-6 * microseconds);
}

static void write_route(FILE *stream, const char *from, const char *to, int shares_memory)
{
    fprintf(stream,
            "   <route src=\"%s\" dst=\"%s\" symmetrical=\"NO\">\n    <link_ctn id=\"%s-%s\"/>\n%s   </route>\n", from,
            to, from, to, shares_memory ? "    <link_ctn id=\"Memory\"/>\n" : "");
}

static void write_pair(FILE *stream, const struct derivation *d, const char *from, const char *to, double megabytes,
                       double microseconds, int is_link)
{
    char name[64];
    snprintf(name, sizeof name, "%s-%s", from, to);
    if (is_link)
        write_link(stream, name, megabytes, microseconds);
    else
        write_route(stream, from, to, d->memory_gigabytes > 0 && (strcmp(from, "RAM") == 0 || strcmp(to, "RAM") == 0));
}

/* Links come before routes. */
static void write_connections(FILE *stream, const struct derivation *d, int are_links)
{
    for (size_t i = 0; i < d->gpus; i++) {
        char gpu[32], other[32];
        snprintf(gpu, sizeof gpu, "CUDA%zu", i);
        write_pair(stream, d, "RAM", gpu, d->up, d->up_latency, are_links);
        write_pair(stream, d, gpu, "RAM", d->down, d->down_latency, are_links);
        for (size_t j = 0; j < d->gpus; j++) {
            snprintf(other, sizeof other, "CUDA%zu", j);
            if (j != i)
                write_pair(stream, d, gpu, other, 1e3 * (double)d->link_gigabytes, (double)d->link_microseconds,
                           are_links);
        }
    }
}

static void write_platform(FILE *stream, const struct derivation *d)
{
    static const char *const settings[][2] = {{"TCP-gamma", "-1"},
                                              {"latency-factor", "1"},
                                              {"bandwidth-factor", "1"},
                                              {"crosstraffic", "0"},
                                              {"weight-S", "0.0"}};
    fprintf(stream,
            "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM 'http://simgrid.gforge.inria.fr/simgrid/simgrid.dtd'>\n"
            " <platform version=\"4\">\n <config id=\"General\">\n");
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        fprintf(stream, "   <prop id=\"network/%s\" value=\"%s\"></prop>\n", settings[i][0], settings[i][1]);
    fprintf(stream, " </config>\n <AS  id=\"AS0\"  routing=\"Full\">\n   <host id=\"MAIN\" speed=\"1f\"/>\n");
    for (size_t i = 0; i < d->cores; i++)
        fprintf(stream, "   <host id=\"CPU%zu\" speed=\"2000000000f\"/>\n", i);
    for (size_t i = 0; i < d->gpus; i++)
        fprintf(stream, "   <host id=\"CUDA%zu\" speed=\"2000000000f\">\n%s\n   </host>\n", i, d->gpu);
    fprintf(stream, "   <host id=\"RAM\" speed=\"1f\"/>\n");
    if (d->memory_gigabytes > 0)
        write_link(stream, "Memory", 1e3 * (double)d->memory_gigabytes, 0);
    write_connections(stream, d, 1);
    write_connections(stream, d, 0);
    fprintf(stream, " </AS>\n </platform>\n");
}

static starfish_status write_bus(const struct derivation *derivation)
{
    static const struct {
        const char *what;
        void (*write)(FILE *stream, const struct derivation *derivation);
    } files[] = {{"config", write_config},
                 {"bandwidth", write_bandwidth},
                 {"latency", write_latency},
                 {"platform.v4.xml", write_platform}};
    char path[SIMULATE_PATH + 256];
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        struct starfish_output output;
        snprintf(path, sizeof path, "%s/bus/%s.%s", derivation->sampling, derivation->host, files[i].what);
        STARFISH_TRY(starfish_output_open(&output, path));
        files[i].write(output.stream, derivation);
        STARFISH_TRY(starfish_output_finish(&output, STARFISH_SUCCESS));
    }
    return STARFISH_SUCCESS;
}

/* ---- machine.json ------------------------------------------------------------------------------------------------ */

static void scale(json_t *object, const char *key, double factor)
{
    json_object_set_new(object, key, json_real(factor * json_number_value(json_object_get(object, key))));
}

/* The rates of GPUs grow in proportion to their number. */
static void scale_rates(json_t *list, double factor)
{
    static const char *const kinds[] = {"lone", "stream"};
    json_t *entry;
    size_t i;
    json_array_foreach (list, i, entry) {
        scale(entry, "gpu_stream", factor);
        for (size_t kind = 0; kind < sizeof kinds / sizeof kinds[0]; kind++)
            scale(json_object_get(entry, kinds[kind]), "gpu", factor);
    }
}

static starfish_status write_machine(const struct derivation *derivation)
{
    char path[SIMULATE_PATH + 32];
    json_t *origin, *gpus = json_array();
    snprintf(path, sizeof path, "%s/machine.json", derivation->origin);
    starfish_status status = starfish_json_load(path, &origin);
    if (status != STARFISH_SUCCESS) {
        json_decref(gpus);
        return status;
    }
    const double speed = 0.01 * (double)derivation->gpu_percent;
    scale_rates(json_object_get(origin, "rates"), speed * (double)derivation->gpus / derivation->machine.gpus);
    for (size_t i = 0; i < derivation->gpus; i++)
        json_array_append(gpus, json_array_get(json_object_get(origin, "gpus"), 0));
    json_t *machine = json_pack("{s:s, s:s, s:i, s:i, s:o, s:O}", "name", derivation->name, "models",
                                derivation->machine.name, "cores", (int)derivation->cores, "numa_nodes",
                                (int)derivation->numa_nodes, "gpus", gpus, "rates", json_object_get(origin, "rates"));
    if (machine && derivation->gpu_percent != 100)
        json_object_set_new(machine, "gpu_speed", json_real(speed));
    if (machine) /* other corrections are of the recorded workers */
        json_object_set_new(machine, "corrections", json_pack("{s:f}", "choosing", derivation->machine.choosing));
    snprintf(path, sizeof path, "%s/machine.json", derivation->folder);
    status = starfish_json_write(path, machine);
    json_decref(machine);
    json_decref(origin);
    return status;
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static starfish_status check_number(const char *option, size_t value, size_t most)
{
    STARFISH_FAIL_IF(value < 1 || value > most, STARFISH_ERROR_ARGUMENT, "%s: is %zu, not from 1 to %zu", option, value,
                     most);
    return STARFISH_SUCCESS;
}

static starfish_status make_folders(struct derivation *derivation)
{
    char path[SIMULATE_PATH + 32];
    if (!derivation->folder)
        derivation->folder = derivation->name;
    STARFISH_FAIL_IF(strlen(derivation->folder) > SIMULATE_PATH / 2, STARFISH_ERROR_FILE,
                     "--out: the name is too long");
    snprintf(derivation->sampling, sizeof derivation->sampling, "%s/sampling", derivation->folder);
    snprintf(path, sizeof path, "%s/bus", derivation->sampling);
    STARFISH_TRY(machine_make_folder(derivation->folder));
    STARFISH_TRY(machine_make_folder(derivation->sampling));
    return machine_make_folder(path);
}

static starfish_status derive(void *data)
{
    struct derivation *derivation = data;
    enum { GPUS_AT_MOST = 8, CORES_AT_MOST = 128, NUMA_NODES_AT_MOST = 8, PERCENT_AT_MOST = 100000 };
    STARFISH_TRY(machine_check_name(derivation->name));
    STARFISH_FAIL_IF(!derivation->from, STARFISH_ERROR_ARGUMENT, "--from: name a recorded machine");
    STARFISH_TRY(read_origin(derivation));
    if (derivation->gpus == 0)
        derivation->gpus = (size_t)derivation->machine.gpus;
    if (derivation->cores == 0)
        derivation->cores = (size_t)derivation->machine.cores;
    if (derivation->numa_nodes == 0)
        derivation->numa_nodes = (size_t)derivation->machine.numa_nodes;
    STARFISH_TRY(check_number("--gpus", derivation->gpus, GPUS_AT_MOST));
    STARFISH_TRY(check_number("--cores", derivation->cores, CORES_AT_MOST));
    STARFISH_TRY(check_number("--numa-nodes", derivation->numa_nodes, NUMA_NODES_AT_MOST));
    STARFISH_TRY(check_number("--gpu-speed", derivation->gpu_percent, PERCENT_AT_MOST));
    STARFISH_TRY(make_folders(derivation));
    starfish_outputs_begin();
    starfish_status status = write_bus(derivation);
    STARFISH_THEN(status, write_machine(derivation));
    return starfish_outputs_finish(status);
}

int machine_derive(int argc, char **argv)
{
    struct derivation derivation = {.link_gigabytes = 332, .link_microseconds = 9, .gpu_percent = 100};
    const struct option_entry options[] = {
        {"--from", OPTION_TEXT, &derivation.from, "NAME",
         .help = "the recorded machine, in a folder beside the new one"},
        {"--gpus", OPTION_COUNT, &derivation.gpus, "N", .help = "without, as many"},
        {"--cores", OPTION_COUNT, &derivation.cores, "N", .help = "without, as many"},
        {"--numa-nodes", OPTION_COUNT, &derivation.numa_nodes, "N", .help = "without, as many"},
        {"--link", OPTION_COUNT, &derivation.link_gigabytes, "GB/S", .help = "from a GPU to another"},
        {"--latency", OPTION_COUNT, &derivation.link_microseconds, "US", .help = "of that link"},
        {"--memory", OPTION_COUNT, &derivation.memory_gigabytes, "GB/S",
         .help = "shared by all copies; without, no limit"},
        {"--gpu-speed", OPTION_COUNT, &derivation.gpu_percent, "PERCENT", .help = "of the recorded GPU's, for tasks"},
        {"--out", OPTION_TEXT, &derivation.folder, "DIR", .help = "the new machine's folder; without, its name"},
        {.name = NULL},
    };
    const struct command_line line = {
        .usage = "machine derive NEW --from NAME [OPTION ...]",
        .summary = "Describe a machine like a recorded one, with other numbers of GPUs, cores and NUMA nodes.",
        .options = options,
        .operands = &derivation.name,
        .operand_count = 1,
    };
    return options_run(&line, argc, argv, derive, &derivation);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish sched --simulate MACHINE --nodes LIST: a model of the slab method on several nodes like a recorded one.
 * A model, not a simulation: StarPU-MPI on SimGrid wants StarPU without shared libraries, and this program has them.
 *
 * What a node does with its own planes is simulated, by `starfish sched --spread` on the recorded machine, ends of
 * slabs between its own GPUs included. To that the model adds what travels between p nodes of g GPUs, each with a
 * slab: of n x n modes a node solves the p-th part, gets 2 numbers of each slab elsewhere for each of these, and gives
 * 2 back. Twice, up and down, with
 *
 *     bytes    = 2 g n^2 w (p-1)/p       in and out of a node, w bytes a number
 *     messages = g (p-1)                 in and out, one for each slab and node
 *     seconds  = latency + messages * overhead + bytes / bandwidth + 2 bytes / (g staging)
 *
 * where staging is the link between a GPU and main memory, which is passed on both sides. Nothing overlaps with the
 * node's own work, so that the model is cautious: the runtime may overlap parts of modes.
 *
 * Weak: n x n x n for each GPU. Strong: the weak problem of one node on all. The bound of the efficiency is that of
 * bytes / bandwidth alone. */
#include "apps/command.h"
#include "apps/files/json.h"
#include "apps/frame/run.h"
#include "apps/measured/sched.h"
#include "apps/recorded/recorded.h"
#include "apps/recorded/simulate.h"
#include "apps/table.h"
#include "base/real.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Networks by what their makers say of a node's link, and what is assumed of a message; nvlink is between GPUs of one
 * node as StarPU measures it on one with four H200: take a machine with one GPU as a node. */
struct network {
    const char *name, *what;
    double latency, overhead, bandwidth, staging; /* seconds, seconds of a message, bytes per second */
};
static const struct network networks[] = {
    {"ndr400", "InfiniBand NDR, 400 Gbit/s a node, stated", 2e-6, 5e-6, 50e9, 55e9},
    {"hdr200", "InfiniBand HDR, 200 Gbit/s a node, stated", 2e-6, 5e-6, 25e9, 55e9},
    {"ethernet100", "Ethernet, 100 Gbit/s a node, stated", 10e-6, 10e-6, 12.5e9, 55e9},
    {"nvlink", "NVLink between GPUs of a node, measured", 9e-6, 11e-6, 332e9, HUGE_VAL},
};
enum { NETWORKS = sizeof networks / sizeof networks[0], EDGE = 512 };

struct nodes {
    struct sched *sched;
    const struct network *network;
    struct starfish_machine machine;
    size_t gpus; /* of a node */
    char workers[32];
};

static starfish_status find_network(const char *name, const struct network **network)
{
    char known[128] = "";
    for (size_t i = 0; i < NETWORKS; ++i) {
        if (strcmp(name, networks[i].name) == 0) {
            *network = &networks[i];
            return STARFISH_SUCCESS;
        }
        snprintf(known + strlen(known), sizeof known - strlen(known), "%s%s", i ? ", " : "", networks[i].name);
    }
    return starfish_fail(STARFISH_ERROR_ARGUMENT, "--network: no network '%s'; there is %s", name, known);
}

/* ---- A node ------------------------------------------------------------------------------------------------------ */

/* A simulated solve of a node: the median, and how far the quartiles are apart. */
struct node_time {
    double seconds, spread;
};

static starfish_status simulate_node(const struct nodes *nodes, size_t planes, struct node_time *time)
{
    const char *const precision = starfish_precision_names[nodes->sched->plan.options.precision];
    const size_t n[3] = {EDGE, EDGE, planes};
    struct run_line line = {.words = 0};
    json_t *printed;
    run_add(&line, run_self(), "sched", run_problem, "--json", "--simulate", nodes->sched->simulate, "--workers",
            nodes->workers, "--spread", "--slabs", "0", "--policies", "dmdas", "--method", "slab", "--precision",
            precision, "--repeat", "3");
    bench_announce("a node of %s, %zu planes", nodes->sched->simulate, planes);
    STARFISH_TRY(run_box(n, &line, &printed));
    const json_t *row = json_array_get(json_object_get(printed, "rows"), 0);
    *time = (struct node_time){json_number_value(json_object_get(row, "seconds")),
                               json_number_value(json_object_get(row, "spread"))};
    json_decref(printed);
    return time->seconds > 0 ? STARFISH_SUCCESS
                             : starfish_fail(STARFISH_ERROR_RUNTIME, "the simulated node told no time");
}

/* ---- Between nodes ----------------------------------------------------------------------------------------------- */

/* Seconds of a solve that the network takes, by what takes them. */
struct travel {
    double bytes; /* out of a node, in a whole solve */
    double waiting, messages, transfer, staging;
};

static struct travel travel_of(const struct nodes *nodes, size_t count)
{
    const struct network *net = nodes->network;
    const double p = (double)count, g = (double)nodes->gpus;
    const double word = (double)starfish_real_size((starfish_precision)nodes->sched->plan.options.precision);
    const double bytes = 2 * g * EDGE * EDGE * word * (p - 1) / p;
    const struct travel one = {.bytes = 2 * bytes,
                               .waiting = count > 1 ? 2 * net->latency : 0,
                               .messages = 2 * g * (p - 1) * net->overhead,
                               .transfer = 2 * bytes / net->bandwidth,
                               .staging = 2 * 2 * bytes / (g * net->staging)};
    return one;
}

/* What most of the network's time is, where that is worth a word. */
static const char *limit_of(const struct travel *t, double node)
{
    const double all = t->waiting + t->messages + t->transfer + t->staging;
    const double most = fmax(fmax(t->waiting, t->messages), fmax(t->transfer, t->staging));
    if (all < 0.05 * node)
        return "node";
    return most == t->messages   ? "messages"
           : most == t->transfer ? "bandwidth"
           : most == t->staging  ? "staging"
                                 : "latency";
}

/* ---- Rows -------------------------------------------------------------------------------------------------------- */

static void add_row(const struct nodes *nodes, const char *mode, size_t count, size_t planes,
                    struct node_time simulated, double one)
{
    struct bench *bench = &nodes->sched->bench;
    const double node = simulated.seconds;
    const struct travel t = travel_of(nodes, count);
    double seconds = node + t.waiting + t.messages + t.transfer + t.staging;
    const double share = strcmp(mode, "strong") == 0 ? (double)count : 1;
    char name[160];
    snprintf(name, sizeof name, "%s %dx%dx%zu, %zu nodes of %s, %s: model", mode, EDGE, EDGE, planes, count,
             nodes->sched->simulate, nodes->network->name);
    const double total = seconds;
    json_t *row = bench_row(bench, "model", name, &seconds, 1, t.bytes * (double)count);
    command_keys(row, KEY("mode", mode), KEY("nodes", count), KEY("gpus", count * nodes->gpus), KEY("planes", planes),
                 KEY("node_seconds", node), KEY("node_spread_seconds", simulated.spread),
                 KEY("network_seconds", total - node), KEY("network_bytes", t.bytes),
                 KEY("efficiency", one / (share * total)),
                 KEY("efficiency_bound", one / share / (one / share + t.transfer)),
                 KEY("limited_by", limit_of(&t, node)), KEY("model", json_true()));
}

static starfish_status add_rows(const struct nodes *nodes, size_t count, struct node_time one)
{
    const size_t planes = EDGE * nodes->gpus;
    struct node_time share = one;
    add_row(nodes, "weak", count, planes * count, one, one.seconds);
    if (planes / count < nodes->gpus)
        return STARFISH_SUCCESS; /* fewer planes than GPUs */
    if (count > 1)
        STARFISH_TRY(simulate_node(nodes, planes / count, &share));
    add_row(nodes, "strong", count, planes, share, one.seconds);
    return STARFISH_SUCCESS;
}

static void print_table(const struct bench *bench)
{
    struct table table = {.alignment = TABLE_RIGHT, .left = 0};
    const json_t *row;
    size_t i;
    table_print_text(json_string_value(json_object_get(bench->more, "model")), 0, 4);
    printf("\n");
    table_line(&table, "scaling\tnodes\tGPUs\tnode ms\tspread\tnetwork ms\tms\tMB out\tefficiency\tbound\tlimited by");
    json_array_foreach (bench->rows, i, row) {
        table_line(&table, "%s\t%.0f\t%.0f\t%.3f\t%.2g\t%.3f\t%.3f\t%.1f", starfish_json_text_of(row, "mode"),
                   starfish_json_number_of(row, "nodes"), starfish_json_number_of(row, "gpus"),
                   1e3 * starfish_json_number_of(row, "node_seconds"),
                   1e3 * starfish_json_number_of(row, "node_spread_seconds"),
                   1e3 * starfish_json_number_of(row, "network_seconds"), 1e3 * bench_seconds(row),
                   1e-6 * starfish_json_number_of(row, "network_bytes"));
        table_cell(&table, "%.2f", starfish_json_number_of(row, "efficiency"));
        table_cell(&table, "%.2f", starfish_json_number_of(row, "efficiency_bound"));
        table_cell(&table, "%s", starfish_json_text_of(row, "limited_by"));
    }
    table_print(&table);
    printf("\n");
    table_print_text("bound: of the bytes over the network's bandwidth alone; limited by: most of the network's time, "
                     "where that is a twentieth of the node's",
                     0, 0);
}

/* What --plot draws. */
static const struct bench_curves curves = {"nodes", "efficiency", "mode", 100, {"nodes", "efficiency in per cent"},
                                           "ideal", 100};

starfish_status sched_measure_nodes(struct bench *bench)
{
    static const struct bench_print print = {.end = print_table};
    struct nodes nodes = {.sched = (struct sched *)bench};
    struct sched *sched = nodes.sched;
    size_t counts[LIST_MOST], count;
    char folder[SIMULATE_PATH];
    struct node_time one;
    STARFISH_FAIL_IF(!sched->simulate, STARFISH_ERROR_ARGUMENT,
                     "--nodes: needs --simulate, a recorded machine for each node");
    STARFISH_FAIL_IF(bench->roofline, STARFISH_ERROR_ARGUMENT, "--roofline: the model of --nodes has no operations");
    STARFISH_TRY(list_choices("--nodes", sched->nodes, NULL, counts, &count));
    STARFISH_TRY(find_network(sched->network, &nodes.network));
    STARFISH_TRY(simulate_find(sched->simulate, folder));
    STARFISH_TRY(machine_read(folder, &nodes.machine));
    nodes.gpus = nodes.machine.gpus;
    STARFISH_FAIL_IF(nodes.gpus == 0, STARFISH_ERROR_UNSUPPORTED,
                     "--nodes: machine %s has no GPU, which the model is of", sched->simulate);
    snprintf(nodes.workers, sizeof nodes.workers, "gpu:%zu", nodes.gpus);
    snprintf(bench->machine, sizeof bench->machine, "nodes like %s, network %s", sched->simulate, nodes.network->name);
    bench->print = &print;
    bench->curves = &curves;
    bench->how = "modelled";
    snprintf(sched->plan.size, sizeof sched->plan.size, "slab, %s, %d x %d x %zu a node (weak) or in all (strong)",
             starfish_precision_names[sched->plan.options.precision], EDGE, EDGE, EDGE * nodes.gpus);
    bench->subject = sched->plan.size;
    bench->more = json_pack(
        "{s:o, s:s, s:f, s:f}", "model",
        json_sprintf("A model, not a measurement: nodes like %s, simulated, and between them %s (%s: "
                     "%.3g us latency, %.3g us a message, %.3g GB/s); slab method, %s, 512x512x512 a GPU",
                     sched->simulate, nodes.network->name, nodes.network->what, 1e6 * nodes.network->latency,
                     1e6 * nodes.network->overhead, 1e-9 * nodes.network->bandwidth,
                     starfish_precision_names[sched->plan.options.precision]),
        "network", nodes.network->name, "latency", nodes.network->latency, "bandwidth", nodes.network->bandwidth);
    STARFISH_TRY(simulate_node(&nodes, EDGE * nodes.gpus, &one));
    for (size_t i = 0; i < count; ++i)
        STARFISH_TRY(add_rows(&nodes, counts[i], one));
    return STARFISH_SUCCESS;
}

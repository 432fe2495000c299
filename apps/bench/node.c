/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish bench node: the other benchmarks over all families, whose rows are collected in one table. `ratio` compares
 * sets of workers: the last set, all workers of the node, should not be slower than the fastest of the others.
 * `scaling` runs one solve on 1, 2 and 4 GPUs, or cores where there is no GPU: strong, the same problem; weak, as many
 * planes or rows for each.
 *
 * Each command is a process of its own, which opens its sets of workers in turn. */
#include "apps/bench/bench.h"
#include "apps/command.h"
#include "apps/files/json.h"
#include "apps/frame/frame.h"
#include "apps/frame/run.h"
#include "apps/lists.h"
#include "apps/names.h"
#include "apps/table.h"
#include "scheduler/runtime/context.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { RATIO, SCALING, MEASURES };
static const char *const measures[] = {[RATIO] = "ratio", [SCALING] = "scaling"};
enum { SLAB, FRACTIONS, PRODUCT, MULTIGRID, Q1, FLAT, FLAT_CG, DEFLATED, FAMILIES };
static const char *const families[] = {"slab", "fractions", "product", "multigrid",
                                       "q1",   "flat",      "flat-cg", "deflated"};
static const struct starfish_option own_rows[] = {
    NAMES_ROW("--measure", measures, "sets of workers beside each other; more and more GPUs"),
    NAMES_ROW("--family", families, "what is solved"),
};
static const struct starfish_option_table table = NAMES_TABLE(own_rows);

static const size_t counts[] = {1, 2, 4};
enum { COUNTS = sizeof counts / sizeof counts[0], MOST_RATIOS = 256, SECONDS_AT_MOST = 7200 };
static const double SLOWER = 1.05; /* a larger ratio is not noise */

/* A command; and the option of its sizes, the usual ones and those of --quick: of ratio a list, of scaling a size for
 * each of the counts. */
static const struct job {
    const char *command, *flag, *sizes[2][COUNTS];
    const char *place[2]; /* of the data, of cores and of GPUs; NULL: what the command says */
} jobs[MEASURES][FAMILIES] = {
    [RATIO] =
        {[SLAB] = {"poisson3d --method slab --precision both --where pinned,device --peers none",
                   "--n",
                   {{"32,64,128,256,512"}, {"16"}}},
         [FRACTIONS] = {"blktri --form fractions", "--size", {{"511,1023,63x63x63,255x255x255,511x511x511"}, {"31"}}},
         [PRODUCT] = {"blktri --form product", "--size", {{"511,1023,255x255x255,511x511x511"}, {"31"}}},
         [MULTIGRID] = {"multigrid --problem seven --peers none", "--n", {{"31,127,255"}, {"15"}}},
         [Q1] = {"multigrid --mesh U3 --peers none", "--level", {{"9,10"}, {"4"}}},
         [FLAT] = {"atmosphere --method multigrid", "--n", {{"128,256"}, {"16"}}},
         [FLAT_CG] = {"atmosphere --method cg", "--n", {{"128,256"}, {"16"}}},
         [DEFLATED] = {"dpcg --method multigrid,ip+blocks --precision f64 --no-peers", "--n", {{"256,512"}, {"32"}}}},
    [SCALING] = {[SLAB] = {"poisson3d --method slab --peers none",
                           "--n",
                           {{"512", "512x512x1024", "512x512x2048"}, {"16", "16x16x32", "16x16x64"}},
                           {"pageable", "spread"}},
                 [MULTIGRID] = {"poisson3d --method multigrid --bc dirichlet/dirichlet/dirichlet --grid node "
                                "--peers none",
                                "--n",
                                {{"511", "511x511x1023", "511x511x2047"}, {"15", "15x15x31", "15x15x63"}},
                                {"pageable", "spread"}},
                 [FLAT] = {"atmosphere --method multigrid --n 512 --precision f64 --iterations 60",
                           "--rows",
                           {{"512", "1024", "2048"}, {"2", "4", "8"}},
                           {"host", "device"}},
                 [FLAT_CG] = {"atmosphere --method cg --n 512 --precision f64 --iterations 60",
                              "--rows",
                              {{"512", "1024", "2048"}, {"2", "4", "8"}},
                              {"host", "device"}}},
};

struct node {
    struct bench bench; /* first: measure() gets at the rest through it */
    const char *measure, *family;
    int quick;
    size_t first; /* row of the command that was run last */
    double ratio[MOST_RATIOS];
    size_t ratios;
};

/* ---- Rows of a command ------------------------------------------------------------------------------------------- */

/* The case of a command's row without its workers. */
static const char *case_of(const json_t *row)
{
    const char *name = starfish_json_text_of(row, "case");
    const char *cut = bench_name(", %s", starfish_json_text_of(row, "workers")), *at = strstr(name, cut);
    return at ? bench_name("%.*s%s", (int)(at - name), name, at + strlen(cut)) : name;
}

/* Rows of other programs and of copies have no workers of ours. */
static int is_ours(const json_t *row)
{
    const char *who = starfish_json_text_of(row, "who");
    return who && strcmp(who, "starfish") == 0 && starfish_json_text_of(row, "workers");
}

/* Add all rows of a command that are ours, those of one case one after the other: their workers are said by `who`. */
static void take_rows(struct node *node, const json_t *from)
{
    char name[BENCH_MACHINE];
    node->first = json_array_size(node->bench.rows);
    for (size_t i = 0; i < json_array_size(from); ++i) {
        if (!is_ours(json_array_get(from, i)))
            continue;
        snprintf(name, sizeof name, "%s", case_of(json_array_get(from, i)));
        for (size_t k = i; k < json_array_size(from); ++k) {
            json_t *row = json_array_get(from, k);
            if (!is_ours(row) || strcmp(case_of(row), name) != 0)
                continue;
            const char *who = bench_name("starfish, %s", starfish_json_text_of(row, "workers"));
            json_object_del(row, "like_fastest");
            json_object_update_missing(bench_remark(&node->bench, who, name), row);
            json_object_clear(row); /* so that it is not taken again */
        }
    }
}

/* Run a job's command with problems of a size on sets of workers, and take its rows. */
static starfish_status run(struct node *node, const struct job *job, const char *size, const char *sets)
{
    struct run_line line = {.words = 0};
    struct list words;
    json_t *printed;
    STARFISH_TRY(list_read("bench node", job->command, ' ', &words));
    run_add(&line, run_self(), "bench");
    for (size_t i = 0; i < words.count; ++i)
        run_add(&line, words.item[i]);
    run_add(&line, "--json", "--workers", sets, job->flag, size, "--repeat", bench_name("%zu", node->bench.repeat),
            "--warmup", bench_name("%zu", node->bench.warmup));
    if (job->place[0])
        run_add(&line, "--where", job->place[node->bench.gpus > 0]);
    bench_announce("%s: %s", job->command, sets);
    STARFISH_TRY(run_json(&line, SECONDS_AT_MOST, &printed));
    take_rows(node, json_object_get(printed, "rows"));
    json_decref(printed);
    return STARFISH_SUCCESS;
}

/* ---- Measures ---------------------------------------------------------------------------------------------------- */

/* Key `ratio` of the last set's rows: their seconds over the least of the other sets. */
static starfish_status measure_ratio(struct node *node, const struct job *job)
{
    const char *sets = node->bench.gpus > 0 ? "gpu;cpu;all" : "cpu:1;cpu", *last = strrchr(sets, ';') + 1;
    const json_t *name = NULL;
    double least = INFINITY;
    STARFISH_TRY(run(node, job, job->sizes[node->quick][0], sets));
    for (size_t i = node->first; i < json_array_size(node->bench.rows); ++i) {
        json_t *row = json_array_get(node->bench.rows, i);
        if (!json_equal(name, json_object_get(row, "case")))
            least = INFINITY;
        name = json_object_get(row, "case");
        if (isfinite(least) && strcmp(starfish_json_text_of(row, "workers"), last) == 0 && node->ratios < MOST_RATIOS) {
            node->ratio[node->ratios] = bench_seconds(row) / least;
            command_keys(row, KEY("ratio", node->ratio[node->ratios++]));
        }
        least = fmin(least, bench_seconds(row));
    }
    return STARFISH_SUCCESS;
}

/* Keys mode, count and efficiency: strong, seconds by one over seconds times count; weak, over seconds. */
static starfish_status measure_scaling(struct node *node, const struct job *job, const char *family)
{
    const int gpus = (int)node->bench.gpus;
    int available = gpus, nodes;
    double one = 0;
    if (gpus == 0)
        starfish_topology_count(&available, &nodes);
    for (int weak = 0; weak < 2; ++weak)
        for (size_t i = (size_t)weak; i < COUNTS && counts[i] <= (size_t)available; ++i) {
            const char *mode = weak ? "weak" : "strong", *size = job->sizes[node->quick][weak ? i : 0];
            STARFISH_TRY(run(node, job, size, bench_name("%s:%zu", gpus > 0 ? "gpu" : "cpu", counts[i])));
            json_t *row = json_array_get(node->bench.rows, node->first);
            STARFISH_FAIL_IF(!row, STARFISH_ERROR_RUNTIME, "bench %s: no row of ours", job->command);
            one = one > 0 ? one : bench_seconds(row);
            command_keys(row, KEY("mode", mode), KEY("count", counts[i]),
                         KEY("efficiency", one / bench_seconds(row) / (weak ? 1 : (double)counts[i])),
                         KEY("curve", bench_name("%s, %s", family, mode)));
        }
    return STARFISH_SUCCESS;
}

static starfish_status measure(struct bench *bench)
{
    static const struct bench_curves curves = {
        "count", "efficiency", "curve", 100, {"GPUs, or cores without a GPU", "efficiency in per cent"}, "ideal", 100};
    struct node *node = (struct node *)bench;
    size_t what[LIST_MOST], whats, which[LIST_MOST], count, above = 0;
    STARFISH_TRY(list_choices("--measure", node->measure, &table, what, &whats));
    STARFISH_TRY(list_choices("--family", node->family, &table, which, &count));
    STARFISH_TRY(bench_look_around(bench));
    for (size_t w = 0; w < whats; ++w)
        for (size_t f = 0; f < count; ++f) {
            const struct job *job = &jobs[what[w]][which[f]];
            if (!job->command)
                continue;
            STARFISH_TRY(what[w] == RATIO ? measure_ratio(node, job) : measure_scaling(node, job, families[which[f]]));
            bench->curves = what[w] == SCALING ? &curves : bench->curves;
            bench_show_rows(bench);
        }
    if (node->ratios == 0)
        return STARFISH_SUCCESS;
    for (size_t r = 0; r < node->ratios; ++r)
        above += node->ratio[r] > SLOWER;
    const double median = command_median(node->ratio, node->ratios);
    bench->more = json_object();
    command_keys(bench->more, KEY("ratios", node->ratios), KEY("median_ratio", median),
                 KEY("largest_ratio", node->ratio[node->ratios - 1]), KEY("slower", above));
    return STARFISH_SUCCESS;
}

/* ---- The command ------------------------------------------------------------------------------------------------- */

static void print_table(const struct bench *bench)
{
    static const char *const numbers[] = {"seconds", "min", "max", "ratio", "efficiency"};
    static const double times[] = {1e3, 1e3, 1e3, 1, 1};
    struct table shown = {.alignment = TABLE_RIGHT, .left = 2};
    const json_t *row, *before = NULL;
    size_t i;
    table_line(&shown, "%s", "case\tworkers\tmode\tms\tmin\tmax\tratio\tefficiency");
    json_array_foreach (bench->rows, i, row) {
        const json_t *name = json_object_get(row, "case");
        const char *mode = starfish_json_text_of(row, "mode");
        table_line(&shown, "%s\t%s\t%s", json_equal(name, before) ? "" : json_string_value(name),
                   starfish_json_text_of(row, "workers"), mode ? mode : "");
        for (size_t k = 0; k < sizeof numbers / sizeof numbers[0]; ++k) {
            const json_t *number = json_object_get(row, numbers[k]);
            table_cell(&shown, "%s", number ? bench_name("%.4g", times[k] * json_number_value(number)) : "");
        }
        before = name;
    }
    table_print_text(bench_name("%s on %s\n", bench->name, bench->machine), 0, 4);
    table_print(&shown);
    if (bench->more)
        printf("\nall workers over the faster of the others, %.0f cases\n  median %.3g\n  largest %.3g\n"
               "  above %g: %.0f\n",
               starfish_json_number_of(bench->more, "ratios"), starfish_json_number_of(bench->more, "median_ratio"),
               starfish_json_number_of(bench->more, "largest_ratio"), SLOWER,
               starfish_json_number_of(bench->more, "slower"));
}

int bench_node(int argc, char **argv)
{
    static const struct bench_print print = {.end = print_table};
    struct node node = {.bench = BENCH_DEFAULTS("node"),
                        .measure = "ratio,scaling",
                        .family = "slab,fractions,product,multigrid,q1,flat,flat-cg,deflated"};
    const struct option_entry options[] = {
        {"--measure", OPTION_LIST, &node.measure, "LIST", .table = &table},
        {"--family", OPTION_LIST, &node.family, "LIST", .table = &table},
        {"--quick", OPTION_FLAG, &node.quick, .help = "small sizes"},
        BENCH_OPTIONS_OF_ROWS(&node.bench),
        {.name = NULL},
    };
    node.bench.repeat = 9;
    node.bench.print = &print;
    return bench_start(
        &node.bench, "bench",
        "The other benchmarks over all families.\n"
        "ratio: seconds by GPUs, by cores and by all workers, and the last over the least of the others;\n"
        "without a GPU of one core and of all. scaling: efficiency on 1, 2 and 4 GPUs, of one problem\n"
        "and of one that grows with them; without a GPU on cores.",
        options, argc, argv, measure);
}

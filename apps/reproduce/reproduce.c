/* starfish reproduce: a table of experiments, and how they are shown. */
#include "apps/reproduce/reproduce.h"

#include "apps/command.h"
#include "apps/table.h"

#include <stdio.h>
#include <string.h>

static const struct option_command experiments[] = {
    {"valero-lara-2d", reproduce_valero_lara_2d,
     "Valero-Lara, Pinelli, Prieto-Matias 2014, figures 7 and 8: BLKTRI in 2D"},
    {"valero-lara-3d", reproduce_valero_lara_3d, "the same, figures 11 and 12: BLKTRI in 3D"},
    {"goeddeke-table1", reproduce_goeddeke_table1,
     "Goeddeke, Strzodka 2011: multigrid, errors by level, single and double precision"},
    {"goeddeke-table2", reproduce_goeddeke_table2, "errors on all meshes, double and mixed precision"},
    {"goeddeke-table3", reproduce_goeddeke_table3, "mixed precision by inner cycles"},
    {"goeddeke-table4", reproduce_goeddeke_table4, "mixed precision by inner digits"},
    {"goeddeke-table5", reproduce_goeddeke_table5, "one core and a GPU, double and mixed"},
    {"goeddeke-table6", reproduce_goeddeke_table6, "the same, per digit gained"},
    {"goeddeke-meshes", reproduce_goeddeke_meshes, "aspect ratios, widths and condition numbers of the meshes"},
    {"goeddeke-figure2", reproduce_goeddeke_figure2, "AXPY and DEFECT by level, single and double precision"},
    {"goeddeke-figure5", reproduce_goeddeke_figure5, "smoothers, isotropic mesh"},
    {"geveler-figure4", reproduce_geveler_figure4,
     "Geveler, Ribbrock, Goeddeke, Zajac, Turek 2013: finite elements on unstructured meshes in 2D"},
    {"geveler-figure5", reproduce_geveler_figure5, "the same in 3D"},
    {"goeddeke-figure6", reproduce_goeddeke_figure6, "smoothers, anisotropic mesh"},
    {"gupta-table1", reproduce_gupta_table1, "Gupta, Vuik, Lemmens 2010: deflated conjugate gradients, seven versions"},
    {"gupta-table2", reproduce_gupta_table2, "words and operations of kernels"},
    {"gupta-table3", reproduce_gupta_table3, "kernels of the last version"},
    {"gupta-table4", reproduce_gupta_table4, "characteristics of kernels"},
    {"gupta-table5", reproduce_gupta_table5, "shares of the time and bandwidths"},
    {"gupta-figure5", reproduce_gupta_figure5, "speed-ups; counts by grids, blocks and vectors"},
    {"gupta-two-phase", reproduce_gupta_two_phase, "two phases at 1000:1"},
    {"mueller-table1", reproduce_mueller_table1, "Mueller, Scheichl, Vainikko 2015: flat domains, words per cell"},
    {"mueller-table2", reproduce_mueller_table2, "words of halos over words of memory"},
    {"mueller-table3", reproduce_mueller_table3, "iterations and times, multigrid and conjugate gradients"},
    {"mueller-table4", reproduce_mueller_table4, "conjugate gradients"},
    {"mueller-table5", reproduce_mueller_table5, "multigrid by levels"},
    {"mueller-table6", reproduce_mueller_table6, "unknowns on many GPUs"},
    {"mueller-table7", reproduce_mueller_table7, "strong scaling, modelled"},
    {"mueller-figure2", reproduce_mueller_figure2, "CFL numbers"},
    {"mueller-figure3", reproduce_mueller_figure3, "multigrid by levels"},
    {"mueller-figure4", reproduce_mueller_figure4, "weak scaling, modelled"},
    {"mueller-figure5", reproduce_mueller_figure5, "cores and GPUs"},
    {"mueller-figure6", reproduce_mueller_figure6, "operations and bandwidth"},
};

int command_reproduce(int argc, char **argv)
{
    static const struct option_commands commands = {
        .name = "reproduce",
        .noun = "experiment",
        .argument = "NAME",
        .text = "One experiment of a paper, paper beside ours. `starfish reproduce NAME --help` lists its options.\n",
        .list = experiments,
        .count = sizeof experiments / sizeof experiments[0],
    };
    return options_choose(&commands, argc, argv);
}

/* ---- what is shown ----------------------------------------------------------------------------------------------- */

void reproduce_compare(json_t *row, double paper, double ours)
{
    json_object_set_new(row, "paper", command_json_real(paper));
    json_object_set_new(row, "ours", command_json_real(ours));
}

json_t *reproduce_number(struct bench *bench, const char *name, double paper, double ours)
{
    json_t *row = bench_remark(bench, "starfish", name);
    reproduce_compare(row, paper, ours);
    return row;
}

/* Times in milliseconds; other numbers as they are. */
static void add_number(struct table *table, const json_t *row, const char *key)
{
    const json_t *value = json_object_get(row, key);
    const int timed = json_is_number(json_object_get(row, "seconds"));
    const json_t *digits = json_object_get(row, "digits");
    if (json_is_number(value))
        table_cell(table, "%.*g%s", digits ? (int)json_integer_value(digits) : 4,
                   (timed ? 1e3 : 1) * json_number_value(value), timed ? " ms" : "");
    else
        table_cell(table, "%s", strcmp(key, "paper") == 0 ? "not stated" : "not measured");
}

static void add_row(struct table *table, const json_t *row)
{
    const char *says = json_string_value(json_object_get(row, "paper_says"));
    table_row(table);
    table_cell(table, "%s", json_string_value(json_object_get(row, "case")));
    table_cell(table, "%s", json_string_value(json_object_get(row, "who")));
    add_number(table, row, "ours");
    if (says)
        table_cell(table, "%s", says);
    else
        add_number(table, row, "paper");
}

void reproduce_print(const struct bench *bench)
{
    enum { ROWS_AT_ONCE = TABLE_ROWS - 1 }; /* one more is the head */
    printf("%s on %s\n", bench->name, bench->machine);
    for (size_t first = 0; first < json_array_size(bench->rows); first += ROWS_AT_ONCE) {
        static const char *const head[] = {"case", "who", "ours", "paper"};
        struct table table = {.alignment = TABLE_RIGHT, .left = 1};
        table_row(&table);
        for (size_t i = 0; i < sizeof head / sizeof head[0]; ++i)
            table_cell(&table, "%s", head[i]);
        for (size_t i = first; i < json_array_size(bench->rows) && i < first + ROWS_AT_ONCE; ++i)
            add_row(&table, json_array_get(bench->rows, i));
        printf("\n");
        table_print(&table);
    }
}

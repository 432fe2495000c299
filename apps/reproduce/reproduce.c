/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish reproduce: a table of experiments, and how they are shown: our number beside the paper's, or the reason why
 * it has none. */
#include "apps/reproduce/reproduce.h"

#include "apps/command.h"
#include "apps/files/json.h"
#include "apps/table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct option_command experiments[] = {
    {"valero-lara-2d", reproduce_valero_lara,
     "Valero-Lara, Pinelli, Prieto-Matias 2014, figures 7 and 8: BLKTRI in 2D"},
    {"valero-lara-3d", reproduce_valero_lara, "the same, figures 11 and 12: BLKTRI in 3D"},
    {"goeddeke-table1", reproduce_goeddeke,
     "Goeddeke, Strzodka 2011: multigrid, errors by level, single and double precision"},
    {"goeddeke-table2", reproduce_goeddeke, "errors on all meshes, double and mixed precision"},
    {"goeddeke-table3", reproduce_goeddeke, "mixed precision by inner cycles"},
    {"goeddeke-table4", reproduce_goeddeke, "mixed precision by inner digits"},
    {"goeddeke-table5", reproduce_goeddeke, "one core and a GPU, double and mixed; with table 6"},
    {"goeddeke-table6", reproduce_goeddeke, "the same rows: table 6 is computed from table 5, per digit gained"},
    {"goeddeke-meshes", reproduce_goeddeke_meshes, "aspect ratios, widths and condition numbers of the meshes"},
    {"goeddeke-figure2", reproduce_goeddeke, "AXPY and DEFECT by level, single and double precision"},
    {"goeddeke-figure5", reproduce_goeddeke, "smoothers, isotropic mesh"},
    {"geveler-figure4", reproduce_geveler,
     "Geveler, Ribbrock, Goeddeke, Zajac, Turek 2013: finite elements on unstructured meshes in 2D"},
    {"geveler-figure5", reproduce_geveler, "the same in 3D"},
    {"goeddeke-figure6", reproduce_goeddeke, "smoothers, anisotropic mesh"},
    {"gupta-table1", reproduce_gupta, "Gupta, Vuik, Lemmens 2010: deflated conjugate gradients, seven versions"},
    {"gupta-table2", reproduce_gupta, "words and operations of kernels"},
    {"gupta-table3", reproduce_gupta, "kernels of the last version"},
    {"gupta-table4", reproduce_gupta, "characteristics of kernels"},
    {"gupta-table5", reproduce_gupta, "shares of the time and bandwidths"},
    {"gupta-figure5", reproduce_gupta, "speed-ups; counts by grids, blocks and vectors"},
    {"gupta-two-phase", reproduce_gupta, "two phases at 1000:1"},
    {"mueller-table1", reproduce_mueller, "Mueller, Scheichl, Vainikko 2015: flat domains, words per cell"},
    {"mueller-table2", reproduce_mueller, "words of halos over words of memory"},
    {"mueller-table3", reproduce_mueller, "iterations and times, multigrid and conjugate gradients"},
    {"mueller-table4", reproduce_mueller, "conjugate gradients"},
    {"mueller-table5", reproduce_mueller, "multigrid by levels"},
    {"mueller-table6", reproduce_mueller, "unknowns on many GPUs"},
    {"mueller-table7", reproduce_mueller, "strong scaling, modelled"},
    {"mueller-figure2", reproduce_mueller, "CFL numbers"},
    {"mueller-figure3", reproduce_mueller, "multigrid by levels"},
    {"mueller-figure4", reproduce_mueller, "weak scaling, modelled"},
    {"mueller-figure5", reproduce_mueller, "cores and GPUs"},
    {"mueller-figure6", reproduce_mueller, "operations and bandwidth"},
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

void reproduce_compare(json_t *row, double paper, const char *why, double ours)
{
    command_keys(row, KEY("paper", paper), KEY("ours", ours));
    if (isnan(paper))
        json_object_set_new(row, "not_stated", json_string(why ? why : REPRODUCE_LEFT_OUT));
}

json_t *reproduce_number(struct bench *bench, const char *name, double paper, const char *why, double ours)
{
    json_t *row = bench_remark(bench, "starfish", name);
    reproduce_compare(row, paper, why, ours);
    return row;
}

void reproduce_copies(struct bench *bench)
{
    json_t *row;
    size_t i;
    json_array_foreach (bench->rows, i, row)
        reproduce_compare(row, (double)NAN, "copies of this machine, beside which others stand", bench_seconds(row));
}

void reproduce_words(json_t *row, const char *says)
{
    json_object_set_new(row, "paper_says", json_string(says));
    if (json_is_null(json_object_get(row, "paper")))
        json_object_set_new(row, "not_stated", json_string(REPRODUCE_IN_WORDS));
}

enum { WIDEST_CASE = 72, NUMBER = 14, APART = 2 };

/* What is left of a line beside two numbers. */
static int case_width(void)
{
    const int left = table_terminal_width() - 2 * (NUMBER + APART), least = 16;
    return left > WIDEST_CASE ? WIDEST_CASE : left < least ? least : left;
}

/* A name that is too long for its column has lines of its own. */
static void print_case(const char *name)
{
    const int width = case_width();
    if ((int)strlen(name) <= width) {
        printf("%-*s", width, name);
        return;
    }
    table_print_text(name, 0, 4);
    printf("%*s", width, "");
}

/* Times in milliseconds; other numbers as they are. A time of ours need not stand in the row twice. */
static void print_number(const json_t *row, const char *key, const char *without)
{
    const json_t *seconds = json_object_get(row, "seconds"), *digits = json_object_get(row, "digits");
    const json_t *value = json_object_get(row, key);
    char text[64];
    if (!value && strcmp(key, "ours") == 0)
        value = seconds;
    snprintf(text, sizeof text, "%s", without);
    if (json_is_number(value))
        snprintf(text, sizeof text, "%.*g%s", digits ? (int)json_integer_value(digits) : 4,
                 (seconds ? 1e3 : 1) * json_number_value(value), seconds ? " ms" : "");
    printf("%*s%*s", APART, "", NUMBER, text);
}

static void print_head(const struct bench *bench)
{
    char title[2 * BENCH_MACHINE];
    snprintf(title, sizeof title, "%s on %s\n", bench->name, bench->machine[0] ? bench->machine : "this machine");
    table_print_text(title, 0, 4);
    print_case("case");
    printf("%*s%*s%*s%*s\n", APART, "", NUMBER, "ours", APART, "", NUMBER, "paper");
}

static void print_row(const json_t *row, const json_t *before)
{
    const char *who = starfish_json_text_of(row, "who"), *name = starfish_json_text_of(row, "case");
    const char *says = json_string_value(json_object_get(row, "paper_says"));
    (void)before;
    print_case(
        bench_name("%s%s%s", name, strcmp(who, "starfish") == 0 ? "" : ", ", strcmp(who, "starfish") == 0 ? "" : who));
    print_number(row, "ours", "not measured");
    if (says) {
        const int at = case_width() + NUMBER + 2 * APART;
        printf("%*s", APART, "");
        table_print_text(says, at, at);
    } else {
        print_number(row, "paper", "not stated");
        printf("\n");
    }
}

/* Whether a row before it has the same reason. */
static int is_known(const json_t *rows, size_t row, const char *why)
{
    for (size_t i = 0; i < row; i++) {
        const char *other = starfish_json_text_of(json_array_get(rows, i), "not_stated");
        if (other && strcmp(why, other) == 0)
            return 1;
    }
    return 0;
}

/* Why numbers of the paper are not stated, each reason once. */
static void print_reasons(const struct bench *bench)
{
    int listed = 0;
    const json_t *row;
    size_t i;
    json_array_foreach (bench->rows, i, row) {
        const char *why = starfish_json_text_of(row, "not_stated");
        if (!why || json_object_get(row, "paper_says") || is_known(bench->rows, i, why))
            continue;
        printf("%s", listed++ == 0 ? "\n" : "");
        table_print_text(bench_name("not stated: %s", why), 0, 4);
    }
}

int reproduce_main(struct bench *bench, const char *summary, const struct option_entry *options, int argc, char **argv,
                   starfish_status (*measure)(struct bench *bench))
{
    static const struct bench_print print = {.head = print_head, .row = print_row, .end = print_reasons};
    bench->print = &print;
    return bench_start(bench, "reproduce", summary, options, argc, argv, measure);
}

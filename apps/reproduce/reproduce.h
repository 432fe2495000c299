/* starfish reproduce: experiments of papers, their figures beside ours. A reproduction is a benchmark
 * (apps/frame/frame.h) whose rows also have keys "paper", null where the paper's text states no number, and "ours". */
#ifndef STARFISH_APPS_REPRODUCE_REPRODUCE_H
#define STARFISH_APPS_REPRODUCE_REPRODUCE_H

#include "apps/frame/frame.h"

int reproduce_valero_lara_2d(int argc, char **argv);
int reproduce_valero_lara_3d(int argc, char **argv);
int reproduce_goeddeke_table1(int argc, char **argv);
int reproduce_goeddeke_table2(int argc, char **argv);
int reproduce_goeddeke_table3(int argc, char **argv);
int reproduce_goeddeke_table4(int argc, char **argv);
int reproduce_goeddeke_table5(int argc, char **argv);
int reproduce_goeddeke_table6(int argc, char **argv);
int reproduce_goeddeke_meshes(int argc, char **argv);
int reproduce_goeddeke_figure2(int argc, char **argv);
int reproduce_goeddeke_figure5(int argc, char **argv);
int reproduce_goeddeke_figure6(int argc, char **argv);
int reproduce_geveler_figure4(int argc, char **argv);
int reproduce_geveler_figure5(int argc, char **argv);
int reproduce_gupta_table1(int argc, char **argv);
int reproduce_gupta_table2(int argc, char **argv);
int reproduce_gupta_table3(int argc, char **argv);
int reproduce_gupta_table4(int argc, char **argv);
int reproduce_gupta_table5(int argc, char **argv);
int reproduce_gupta_figure5(int argc, char **argv);
int reproduce_gupta_two_phase(int argc, char **argv);
int reproduce_mueller_table1(int argc, char **argv);
int reproduce_mueller_table2(int argc, char **argv);
int reproduce_mueller_table3(int argc, char **argv);
int reproduce_mueller_table4(int argc, char **argv);
int reproduce_mueller_table5(int argc, char **argv);
int reproduce_mueller_table6(int argc, char **argv);
int reproduce_mueller_table7(int argc, char **argv);
int reproduce_mueller_figure2(int argc, char **argv);
int reproduce_mueller_figure3(int argc, char **argv);
int reproduce_mueller_figure4(int argc, char **argv);
int reproduce_mueller_figure5(int argc, char **argv);
int reproduce_mueller_figure6(int argc, char **argv);

/* The table for people: what, ours, the paper's. Key "digits" of a row: how many are shown, else 4. */
extern const struct bench_print reproduce_print;

/* Add the two keys; paper: NaN where it states none. */
void reproduce_compare(json_t *row, double paper, double ours);
/* A row of ours that is no time, with the two keys; the bench owns it. */
json_t *reproduce_number(struct bench *bench, const char *name, double paper, double ours);

/* The rows of goeddeke-figure2, on grids up to level `largest` (goeddeke_figure2.c). No context may be open:
 * its workers would use the cores. */
starfish_status reproduce_goeddeke_microbenchmarks(struct bench *bench, int largest);

#endif

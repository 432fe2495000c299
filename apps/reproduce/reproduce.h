/* starfish reproduce: experiments of papers, their figures beside ours. A reproduction is a benchmark
 * (apps/frame/frame.h) whose rows also have keys "paper" and "ours"; where the paper states no number, "paper" is null
 * and "not_stated" says why. */
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

/* Add the two keys; paper: NaN where it states none, and then why is the reason, a text without a full stop; NULL: a
 * table of the paper's leaves it out. */
void reproduce_compare(json_t *row, double paper, const char *why, double ours);
/* A row of ours that is no time, with these keys; the bench owns it. */
json_t *reproduce_number(struct bench *bench, const char *name, double paper, const char *why, double ours);
/* Rows of plain copies, which are no experiment of a paper's. */
void reproduce_copies(struct bench *bench);
/* What the paper says in words, which stands in the table too where it states no number. */
void reproduce_words(json_t *row, const char *says);

/* Reasons that several experiments have. */
#define REPRODUCE_PICTURE "a picture of the paper shows it, without a number"
#define REPRODUCE_IN_WORDS "the paper says it in words"
#define REPRODUCE_SIZE "the paper has other sizes"
#define REPRODUCE_LEFT_OUT "the paper's table leaves it out"
#define REPRODUCE_OURS "ours alone: the paper has no such row"

/* The rows of goeddeke-figure2, on grids up to level `largest` (goeddeke_figure2.c). No context may be open:
 * its workers would use the cores. */
starfish_status reproduce_goeddeke_microbenchmarks(struct bench *bench, int largest);

#endif

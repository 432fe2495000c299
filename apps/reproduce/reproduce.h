/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish reproduce: experiments of papers, their figures beside ours. A reproduction is a benchmark
 * (apps/frame/frame.h) whose rows also have keys "paper" and "ours"; where the paper states no number, "paper" is null
 * and "not_stated" says why. Key "digits": how many are shown, else 4. */
#ifndef STARFISH_APPS_REPRODUCE_REPRODUCE_H
#define STARFISH_APPS_REPRODUCE_REPRODUCE_H

#include "apps/frame/frame.h"

/* The experiments of a paper: argv[0] names one of them. */
int reproduce_valero_lara(int argc, char **argv);
int reproduce_goeddeke(int argc, char **argv);
int reproduce_goeddeke_meshes(int argc, char **argv);
int reproduce_geveler(int argc, char **argv);
int reproduce_gupta(int argc, char **argv);
int reproduce_mueller(int argc, char **argv);

/* bench_main of an experiment: "reproduce NAME [OPTION ...]", and rows as they are shown here. */
int reproduce_main(struct bench *bench, const char *summary, const struct option_entry *options, int argc, char **argv,
                   starfish_status (*measure)(struct bench *bench));

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

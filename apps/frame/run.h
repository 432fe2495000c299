/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Processes with a time limit, and solves in such, for what measures another program than itself: this one on several
 * ranks, or on a simulated machine. */
#ifndef STARFISH_APPS_FRAME_RUN_H
#define STARFISH_APPS_FRAME_RUN_H

#include "base/status.h"

#include <jansson.h>
#include <stddef.h>

/* Run a program with its standard output in a file, for at most so many seconds. Errors: FILE, RUNTIME (it failed, or
 * was not done by then). */
starfish_status run_program(const char *const arguments[], const char *output, double seconds);

enum { RUN_ARGUMENTS = 40, RUN_SECONDS = 600 };

/* A command line, to which words are added; the first one is a program with its path. */
struct run_line {
    const char *word[RUN_ARGUMENTS + 1]; /* ended by NULL */
    size_t words;
};
#define run_add(line, ...) run_add_words(line, (const char *const[]){__VA_ARGS__, NULL})
void run_add_words(struct run_line *line, const char *const words[]);
/* This program. */
const char *run_self(void);
/* Put where the problem file's name goes. */
extern const char run_problem[];

/* Run a command that prints one JSON object, for at most so many seconds: *printed, which the caller releases. Errors:
 * FILE, MEMORY, RUNTIME (the command failed; what it said is on standard error). */
starfish_status run_json(const struct run_line *line, double seconds, json_t **printed);

/* Solve a box of n[0] x n[1] x n[2] unknowns, periodic in x, cells between Neumann ends in y and a Dirichlet and a
 * Neumann end in z, right-hand side 1, by run_json of a command, for at most RUN_SECONDS. */
starfish_status run_box(const size_t n[3], const struct run_line *line, json_t **printed);

#endif

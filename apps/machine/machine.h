/* starfish machine: what its files share. What a machine's folder holds is said in apps/recorded/recorded.h. */
#ifndef STARFISH_APPS_MACHINE_MACHINE_H
#define STARFISH_APPS_MACHINE_MACHINE_H

#include "apps/recorded/recorded.h"
#include "apps/recorded/simulate.h"

#include <jansson.h>
#include <stddef.h>

/* Subcommands: argv[0] is their name. Each returns the program's exit status. */
int machine_record(int argc, char **argv);
int machine_list(int argc, char **argv);
int machine_compare(int argc, char **argv);
int machine_derive(int argc, char **argv);

/* Something to solve under several policies, and how often. */
struct machine_case {
    const char *name;
    size_t n; /* unknowns in each direction, where it is a problem file */
    /* Of the file: "plain"; "boundary": with data there; "singular": Neumann ends in z too; all of nodes, or of cells:
     * "cells", "cells boundary", "cells singular". "stretched": y with cells that differ by a factor of a million,
     * whose basis needs refinement. NULL: there is no file, and the arguments say what is solved. */
    const char *problem;
    /* Options of `starfish sched`, with single blanks between. */
    const char *arguments, *workers, *policies;
    size_t repeat;
    double seconds; /* that it is expected to take */
};

/* What is recorded, the most wanted first: what needs GPUs is left out where there is none. NULL-named entry at the
 * end. */
const struct machine_case *machine_cases(int gpus);
/* The same with little of all, for tests. */
const struct machine_case *machine_quick_cases(void);

/* A case's problem, as FOLDER/problem.json and what it names. Errors: FILE, ARGUMENT (there is no such problem). */
starfish_status machine_write_problem(const char *folder, size_t n, const char *problem);
/* A case leaves files in a folder: its problem, and sched.json, which it prints. After machine_expect_case signals
 * remove them; machine_remove_case does it in any case. Error: FILE. */
starfish_status machine_expect_case(const char *folder);
void machine_remove_case(const char *folder);

/* Run a program with its standard output in a file, for at most so many seconds. Errors: FILE, RUNTIME (it failed, or
 * was not done by then). */
starfish_status machine_run(const char *const arguments[], const char *output, double seconds);
/* Is that a machine's name? Error: ARGUMENT. */
starfish_status machine_check_name(const char *name);
/* A folder, made where it is missing. Error: FILE. */
starfish_status machine_make_folder(const char *path);
/* Seconds of a clock that only goes on. */
double machine_clock(void);

#endif

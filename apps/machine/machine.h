/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starfish machine: declarations shared by its files. apps/recorded/recorded.h describes a machine's folder. */
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
int machine_fit(int argc, char **argv);
int machine_derive(int argc, char **argv);

/* When a case is solved: so that whoever runs out of time has first what is needed most. */
enum machine_stage {
    MACHINE_CODELETS, /* first: these between them run every codelet */
    MACHINE_SIZES,    /* then sizes, precisions and cuts, for the models and for the comparison */
    MACHINE_HELD_OUT, /* then what the models never see: how well they hold for what was not recorded */
    MACHINE_POLICIES, /* at last the other policies, for the comparison */
    MACHINE_STAGES
};

/* Something to solve. */
struct machine_case {
    const char *name;
    size_t n[3]; /* unknowns in each direction, where it is a file; n[1] = 0: in all directions as in the first */
    /* Of the file: "plain"; "boundary": with data there; "singular": Neumann ends in z too; all of nodes, or of cells:
     * "cells", "cells boundary", "cells singular". "stretched": y with cells that differ by a factor of a million,
     * whose basis needs refinement. "square": in 2D, of n[0] x n[1]. "atmosphere", "diffusion"; "elements": a mesh of
     * n[0] x n[0] cells for finite elements. NULL: there is no file, and the arguments say what is solved. */
    const char *problem;
    /* Options of `starfish sched`, with single blanks between. */
    const char *arguments;
    const char *workers; /* sets of workers, ';' between them */
    enum machine_stage stage;
    int all_policies; /* not only the first policy */
};

/* What is recorded, the most wanted first; an entry without a name ends it. Where there is no GPU only the sets of
 * workers without one are taken. */
const struct machine_case *machine_cases(void);
/* The same with little of all, for tests. */
const struct machine_case *machine_quick_cases(void);

/* One set of workers under one policy, in one context: what of the cases' stage belongs to it. */
struct machine_pass {
    char folder[SIMULATE_PATH / 2];
    int gpus, quick;
    char workers[64], policy[64];
    enum machine_stage stage;
    double seconds; /* no case is begun later */
};
/* How many cases of the pass have no row yet. Error: MEMORY. */
size_t machine_pass_left(const struct machine_pass *pass);
/* A pass runs in a process of its own: `starfish machine pass FOLDER GPUS QUICK WORKERS POLICY STAGE SECONDS`, which is
 * not for people. */
starfish_status machine_pass_start(const struct machine_pass *pass);
int machine_pass(int argc, char **argv);

/* Solves of a row of measured times, solves before them, and how often as many follow where they are short. */
enum { MACHINE_REPEATS = 5, MACHINE_WARMUP = 2, MACHINE_RUNS = 5 };
/* Under which models are calibrated. */
#define MACHINE_FIRST_POLICY "dmdas"

/* A case's problem, as FOLDER/problem.json and what it names, or FOLDER/mesh.msh; machine_problem_path is which.
 * Errors: FILE, ARGUMENT (there is no such problem). */
starfish_status machine_write_problem(const char *folder, const size_t n[3], const char *problem);
void machine_problem_path(const char *folder, const char *problem, char path[SIMULATE_PATH]);
/* A case leaves files in a folder: its problem, and sched.json, which it prints. After machine_expect_case signals
 * remove them; machine_remove_case does it in any case. Error: FILE. */
starfish_status machine_expect_case(const char *folder);
void machine_remove_case(const char *folder);

/* Give links that several GPUs of a recorded machine share the rate that all of them reached together (links.c); a
 * machine with one GPU stays as it is. Errors: FILE, ARGUMENT. */
starfish_status machine_share_links(const char *folder);

/* Take out of StarPU's models in a recorded machine's folder what is there twice (models.c). Error: FILE. */
starfish_status machine_mend_models(const char *folder);

/* Is that a machine's name? Error: ARGUMENT. */
starfish_status machine_check_name(const char *name);
/* A folder, made where it is missing; a new one goes again if the command is interrupted while it is empty. Error:
 * FILE. */
starfish_status machine_make_folder(const char *path);
#endif

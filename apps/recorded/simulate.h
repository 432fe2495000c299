/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Simulated machines: the same subcommand in a program of its own, which knows another StarPU (docs/simulation.md). */
#ifndef STARFISH_APPS_RECORDED_SIMULATE_H
#define STARFISH_APPS_RECORDED_SIMULATE_H

#include "base/status.h"

#include <starpu.h>

/* Is this that program? */
#ifdef STARPU_SIMGRID
enum { SIMULATED = 1 };
#else
enum { SIMULATED = 0 };
#endif

enum { SIMULATE_PATH = 2048 };

/* Is --simulate given, and is there another program to start for it? */
int simulate_wanted(int argc, char **argv);
/* Become that program, with the same arguments; returns, with an exit status, only when that cannot be done. */
int simulate_instead(int argc, char **argv);

/* The folder of a machine: `name` itself where it is a folder's path with a slash, else the one of that name among
 * those that come with Starfish or lie in the folder that STARFISH_MACHINES names. Error: ARGUMENT, which lists what
 * there is. */
starfish_status simulate_find(const char *name, char folder[SIMULATE_PATH]);
/* Names of the machines that there are, ", " between them; "none". */
void simulate_list(char *text, size_t size);
/* Where machines are looked for: folder number `which`, 0 when there are no more. */
int simulate_place(int which, char folder[SIMULATE_PATH]);
/* The program for simulated machines. Error: UNSUPPORTED when there is none. */
starfish_status simulate_program(char path[SIMULATE_PATH]);
/* Whether the links and times of the machine in a folder are there and whole. Errors: FILE, which names the file;
 * ARGUMENT. */
starfish_status simulate_check(const char *folder);
/* Variables for a program that is to run on the simulated machine in a folder. */
starfish_status simulate_environment(const char *folder);
/* What this process starts from now on depends on nothing here: it has the same addresses in every run, since StarPU
 * locks data in their order, and sees the NUMA nodes of the machine in a folder, since StarPU numbers memories after
 * them. */
starfish_status simulate_isolate(const char *folder);
/* In the simulated program, before all else: nothing that is random or measured may be left, since it would change what
 * is where in memory, and StarPU locks data in the order of their addresses. Calls simulate_learn_anew. */
starfish_status simulate_begin(void);
/* What heteroprio has learnt in earlier runs would make each run another. In this process, and in those that it starts,
 * it begins anew, in a temporary file. Errors: FILE, MEMORY. */
starfish_status simulate_learn_anew(void);
/* In the simulated program: a sentence on the machine, and on times of tasks that are estimates
 * (scheduler/lab/simulated.h); or "". */
void simulate_describe(char *text, size_t size);
/* Remove the file of what heteroprio has learnt, if simulate_learn_anew was called. */
void simulate_discard(void);

/* Set a variable of the environment. Error: MEMORY. */
starfish_status simulate_set(const char *variable, const char *value);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Interface of every subcommand: its entry point, and its report of failures. */
#ifndef STARFISH_APPS_COMMAND_H
#define STARFISH_APPS_COMMAND_H

#include "base/status.h"

#include <jansson.h>
#include <stdio.h>

/* argv[0] is the subcommand's name. Returns the program's exit status: 0 solved, 1 not converged or wrong,
 * 2 bad usage or input. */
int command_info(int argc, char **argv);
int command_solve(int argc, char **argv);
int command_fem(int argc, char **argv);
int command_bench(int argc, char **argv);
int command_reproduce(int argc, char **argv);
int command_sched(int argc, char **argv);
int command_trace(int argc, char **argv);
int command_machine(int argc, char **argv);

/* Say on standard error, in one line, what starfish_error_message says, and, for machines, the same as a JSON object on
 * standard output: {"status": "error", "code": ..., "message": ...}. Returns the exit status that `status` means. */
int command_fail(starfish_status status, int json);

/* One of several processes that fail together speaks for all: the others say nothing. */
void command_set_silent(int silent);

/* Print a JSON object and release it: to a stream, not 0 without memory; on standard output. */
int command_write_json(FILE *stream, json_t *object);
void command_print_json(json_t *object);
/* Was there no memory for JSON on standard output? */
int command_print_failed(void);
/* A number, or null where JSON has none (NaN, infinity). */
json_t *command_json_real(double value);

/* Add keys to an object: command_keys(object, KEY("n", n), KEY("workers", "cpu")). Values are texts, whole numbers,
 * numbers (null where they are not finite), or JSON. */
#define command_keys(object, ...) command_set(object, __VA_ARGS__, (const char *)NULL)
/* clang-format off */
#define KEY(name, value)                                                                                               \
    (name), _Generic((value), char *: json_string, const char *: json_string, int: json_integer,                       \
                     size_t: command_json_count, double: command_json_real, json_t *: command_json)(value)
/* clang-format on */
void command_set(json_t *object, ...) __attribute__((sentinel));
json_t *command_json_count(size_t count);
json_t *command_json(json_t *value);

/* The median of `count` >= 1 values, which are sorted. */
double command_median(double *values, size_t count);

#endif

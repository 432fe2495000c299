/* Command-line options, read by a table. */
#ifndef STARFISH_APPS_OPTIONS_H
#define STARFISH_APPS_OPTIONS_H

#include "base/status.h"

#include <stddef.h>

typedef enum option_kind {
    OPTION_FLAG,   /* int: becomes 1 */
    OPTION_TEXT,   /* const char * */
    OPTION_COUNT,  /* size_t, at least 1 */
    OPTION_NUMBER, /* size_t, may be 0 */
    OPTION_CHOICE, /* const char *: one of `choices` */
} option_kind;

struct option_entry {
    const char *name; /* with its dashes; NULL ends the table */
    option_kind kind;
    void *target;
    const char *argument; /* what help calls it */
    const char *help;
    const char *choices[6]; /* ended by NULL */
};

struct command_line {
    const char *usage; /* "solve PROBLEM.json [OPTION...]" */
    const char *summary;
    const struct option_entry *options;
    const char **operands; /* filled in, in order */
    size_t operand_count;  /* how many there must be */
    const char *operand_help;
};

/* Read argv[1..]; "--name value" and "--name=value". Error: ARGUMENT. */
starfish_status options_read(const struct command_line *line, int argc, char **argv);

/* Does argv[1..] ask for help? */
int options_ask_help(int argc, char **argv);
void options_print_help(const struct command_line *line);

#endif

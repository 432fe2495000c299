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
    const char *const *choices; /* ended by NULL; of OPTION_TEXT, what its list is made of, for help */
};
/* Choices that are in no list of names.h. */
#define OPTION_CHOICES(...) ((const char *const[]){__VA_ARGS__, NULL})

struct command_line {
    const char *usage; /* "solve PROBLEM.json [OPTION...]" */
    const char *summary;
    const struct option_entry *options;
    const char **operands; /* filled in, in order */
    size_t operand_count;  /* how many there may be */
    int may_lack_operands; /* else there must be as many */
    const char *operand_help;
};

/* Read argv[1..]; "--name value" and "--name=value". Error: ARGUMENT. */
starfish_status options_read(const struct command_line *line, int argc, char **argv);

/* Does argv[1..] ask for help? */
int options_ask_help(int argc, char **argv);
void options_print_help(const struct command_line *line);

#endif

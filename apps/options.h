/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Command-line options, read by a table: options of the program alone, and members of the library's option structs,
 * whose names, ranges, defaults and texts come from the library's tables (base/options.h). */
#ifndef STARFISH_APPS_OPTIONS_H
#define STARFISH_APPS_OPTIONS_H

#include "base/options.h"

typedef enum option_kind {
    OPTION_FLAG,   /* int: becomes 1 */
    OPTION_TEXT,   /* const char * */
    OPTION_TEXTS,  /* struct option_texts: may be there several times, or have several words with a '=' in each */
    OPTION_COUNT,  /* size_t, at least 1 */
    OPTION_NUMBER, /* size_t, may be 0 */
    /* As the row of `table` with this flag says: */
    OPTION_MEMBER,   /* a member of one of the library's option structs, or an int that takes one of the row's names */
    OPTION_POSITIVE, /* a member that is a number; 0, which leaves the choice to the library, is not to be said */
    OPTION_LIST,     /* const char *: a list of the row's names, for list_choices */
    OPTION_WORD,     /* const char *: a word for one of `kinds`, which is known later */
    OPTION_WORDS,    /* struct option_words: stands for an OPTION_WORD of each flag of `kinds` (options_expand) */
} option_kind;

enum { OPTION_MOST_TEXTS = 64 };
struct option_texts {
    size_t count;
    const char *text[OPTION_MOST_TEXTS];
};

/* Words for one of several kinds, kept until it is known which. NULL: not given. */
enum { OPTION_MOST_WORDS = 32 };
struct option_words {
    size_t count;
    const char *flag[OPTION_MOST_WORDS], *word[OPTION_MOST_WORDS];
};

/* What `target` holds before the command line is read is the default, which help tells. */
struct option_entry {
    const char *name; /* with its dashes; NULL ends the table */
    option_kind kind;
    void *target;
    const char *argument;                      /* what help calls it */
    const char *help;                          /* help, printed before the row's text; NULL: that text alone */
    const struct starfish_option_table *table; /* the library's or names.h's, or NULL */
    const char **given;                        /* receives `name` when it is there; or NULL */
    const struct starfish_kind *const *kinds;  /* of OPTION_WORD, ended by NULL; one with problems has the flag */
    void (*list)(char *names, size_t size);    /* of a text: names that completions offer; or NULL */
    const char *may_differ;                    /* between ranks (mpi.h), for this reason; NULL: it may not */
};

struct command_line {
    const char *usage; /* "solve PROBLEM.json [OPTION...]" */
    const char *summary;
    const struct option_entry *options;
    const char **operands; /* filled in, in order */
    size_t operand_count;  /* how many there may be */
    int may_lack_operands; /* else there must be as many */
    const int *json;       /* is the result, and what keeps it from being one, printed as JSON? NULL: no */
};

/* The word of a flag. */
const char **options_word(struct option_words *words, const char *flag);
/* Set what was given in *library, a struct of the table, which is that of the kind. Errors: ARGUMENT (a value that is
 * none; an option that this kind does not have). */
starfish_status options_set_words(const struct option_words *words, const char *kind,
                                  const struct starfish_option_table *table, void *library);
/* `own` as whole[OPTION_MOST], where rows of the flags that kinds with problems have take the place of OPTION_WORDS;
 * but for flags that have a row of their own. */
enum { OPTION_MOST = 96 };
const struct option_entry *options_expand(const struct option_entry *own, struct option_entry *whole);

/* Read argv[1..]; "--name value" and "--name=value". Error: ARGUMENT. */
starfish_status options_read(const struct command_line *line, int argc, char **argv);

/* Where the message of a failure names members of the table's struct, "options.slabs", it names their flags instead,
 * "--slabs". Returns `status`. */
starfish_status options_name_flags(const struct starfish_option_table *table, starfish_status status);

/* A fingerprint (base/fingerprint.h) of what the target holds. */
uint64_t options_fingerprint(const struct option_entry *entry);

/* Does argv[1..] ask for help? */
int options_ask_help(int argc, char **argv);
void options_print_help(const struct command_line *line);

/* A command that has others below it: prints their list, or runs the one that argv[1] names. Returns the exit status.
 */
struct option_command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
};
struct option_commands {
    const char *name, *noun, *argument; /* "bench", "benchmark", "NAME" */
    const char *text;                   /* for help, with a newline at its end */
    const struct option_command *list;
    size_t count;
};
int options_choose(const struct option_commands *commands, int argc, char **argv);

/* Commands tell these instead of printing help, while there are any: so that manuals and completions are made of the
 * tables that command lines are read by (manual.h). NULL, NULL: help is printed again. */
void options_report(void (*line)(const struct command_line *line),
                    void (*commands)(const struct option_commands *list));
/* Of an option, as help has it: what follows it ("M", NULL: nothing), what it does, and the names that it may have (""
 * where these are not a list). */
void options_describe(const struct option_entry *entry, char *text, size_t size, char *names, size_t names_size);
int options_takes_value(const struct option_entry *entry);

/* The end of a subcommand: reports a failure, with the line's flags for members. Returns the exit status. */
int options_end(const struct command_line *line, starfish_status status, int json);
/* A subcommand: print help where it is asked for, else read the command line and run. Returns the exit status. */
int options_run(const struct command_line *line, int argc, char **argv, starfish_status (*run)(void *), void *data);

#endif

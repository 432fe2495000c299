/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Option structs as tables: one row per member, from which come its default, its check, the text of its error, its
 * line of help and its flag on a command line.
 *
 * A public option struct begins with `size_t size`, which its initialiser sets to sizeof of the struct as the program
 * was compiled with it. So a struct can grow: a program compiled with fewer members hands over a smaller struct, and
 * the members that it does not know take their defaults. For that, new members go to the end, and never into padding at
 * the end of an older struct, which a program leaves undefined. */
#ifndef STARFISH_BASE_OPTIONS_H
#define STARFISH_BASE_OPTIONS_H

#include "base/status.h"

#include <starfish/options.h>
#include <starfish/types.h>
#include <stddef.h>
#include <stdint.h>

/* What ranks that make a plan together must have alike of a member. */
typedef enum starfish_agreement {
    STARFISH_AGREE_SAME,    /* its value, or where it is a pointer what that points to */
    STARFISH_AGREE_PRESENT, /* whether it is NULL: functions, and what is dealt to ranks */
    STARFISH_AGREE_RANKS,   /* a number for each rank (size_t), or NULL */
    STARFISH_AGREE_LOCAL    /* nothing: it changes nothing for other ranks */
} starfish_agreement;

struct starfish_option {
    const char *name;     /* of the member */
    const char *synonym;  /* an older name, which wrappers and option setters also accept; NULL: none */
    size_t offset;        /* of the member in its struct */
    double default_value; /* of a number, choice or switch; texts and pointers are NULL */
    /* Numbers: the range, both ends included; HUGE_VAL: no upper end. A REAL with DBL_MAX must be finite. */
    double least, most;
    const char *const *values; /* CHOICE: names by value, NULL where a value is not allowed */
    const char *flag;          /* on a command line, as "--slabs"; NULL: none */
    const char *text;          /* what it is, for help: without a full stop */
    starfish_option_type type;
    starfish_agreement agree; /* of a POINTER: PRESENT, RANKS or LOCAL */
    int below_most;           /* REAL: `most` itself is not allowed */
    int value_count;
};

struct starfish_option_table {
    const char *defaults; /* the initialiser's name, for messages */
    size_t size;          /* of the struct as this library knows it */
    size_t alignment;     /* of the struct: the size of every version of it is a multiple */
    size_t count;
    const struct starfish_option *option; /* in the order of the members, without `size` */
};

/* Names of precisions, by starfish_precision; behind them, for programs, that of f64 with cycles in f32, which solvers
 * by cycles have; then NULL. */
extern const char *const starfish_precision_names[];
enum { STARFISH_PRECISIONS = STARFISH_F64 + 1, STARFISH_PRECISION_MIXED = STARFISH_PRECISIONS };

/* A row's offset, the values of a choice, and the struct's table. */
#define STARFISH_OPTION_AT(type, member) .name = #member, .offset = offsetof(struct type, member)
#define STARFISH_OPTION_VALUES(names) .values = (names), .value_count = sizeof(names) / sizeof(names)[0]
#define STARFISH_OPTION_PRECISIONS .values = starfish_precision_names, .value_count = STARFISH_PRECISIONS
/* What options of several structs have alike: one of some names, a precision, a tolerance, and steps at most. */
#define STARFISH_OPTION_CHOICES(names) .type = STARFISH_OPTION_CHOICE, STARFISH_OPTION_VALUES(names)
#define STARFISH_OPTION_PRECISION                                                                                      \
    .type = STARFISH_OPTION_CHOICE, .default_value = STARFISH_F64, STARFISH_OPTION_PRECISIONS
#define STARFISH_OPTION_TOLERANCE .type = STARFISH_OPTION_REAL, .most = 1, .below_most = 1, .flag = "--tolerance"
#define STARFISH_OPTION_STEPS                                                                                          \
    .type = STARFISH_OPTION_INT, .default_value = 10000, .least = 1, .most = INT_MAX, .flag = "--max-iterations"
#define STARFISH_OPTION_TABLE(type, initialiser, rows)                                                                 \
    {                                                                                                                  \
        .defaults = #initialiser, .size = sizeof(struct type), .alignment = _Alignof(struct type),                     \
        .count = sizeof(rows) / sizeof(rows)[0], .option = (rows)                                                      \
    }

/* Fills *options, a struct of table->size bytes, with the defaults. */
void starfish_options_set_defaults(const struct starfish_option_table *table, void *options);

/* Copies the user's struct to *options. A smaller one leaves defaults in the members that it does not have; of a larger
 * one all that this library does not know must be zero. NULL: all defaults. Errors: ARGUMENT (options.size). */
starfish_status starfish_options_take(const struct starfish_option_table *table, const void *user, void *options);

/* Checks the range of every member. Errors: ARGUMENT (`options.NAME is VALUE, not in ...`). */
starfish_status starfish_options_check(const struct starfish_option_table *table, const void *options);

/* starfish_options_take and starfish_options_check. */
starfish_status starfish_options_read(const struct starfish_option_table *table, const void *user, void *options);

/* A fingerprint (fingerprint.h) of the member's value: of a text of what it says, of a pointer whether it is NULL. */
uint64_t starfish_option_fingerprint(const struct starfish_option *option, const void *options);

/* The body of the public functions of starfish/options.h: row `index` of the table. Errors: ARGUMENT. */
starfish_status starfish_option_describe(const struct starfish_option_table *table, size_t index,
                                         struct starfish_option_description *description);

/* ---- For command lines and help ---------------------------------------------------------------------------------- */

/* The row with that flag, or that name or synonym, NULL when there is none. */
const struct starfish_option *starfish_option_of_flag(const struct starfish_option_table *table, const char *flag);
const struct starfish_option *starfish_option_named(const struct starfish_option_table *table, const char *name);

/* The value of a CHOICE or SWITCH that has that name, -1 when there is none. */
int starfish_option_value(const struct starfish_option *option, const char *name);

/* What a member may be ("0..8", "0 or more", "f32, f64"), and its default. Both fill text[size] and return it. */
const char *starfish_option_range(const struct starfish_option *option, char *text, size_t size);
const char *starfish_option_default(const struct starfish_option *option, char *text, size_t size);

/* Sets the member in *options from a word of the command line; a SWITCH takes "off" or "on", and NULL
 * turns it on. A TEXT is not copied. Errors: ARGUMENT (names the flag). */
starfish_status starfish_option_set(const struct starfish_option *option, void *options, const char *word);

/* The body of public functions that set options by name in a user's struct. Errors: ARGUMENT. */
starfish_status starfish_option_set_named(const struct starfish_option_table *table, void *options, const char *name,
                                          const char *value);

/* Refuses more than `most` of what an option counts. */
#define STARFISH_REFUSE_ABOVE(most, name, asked)                                                                       \
    STARFISH_REFUSE_IF((asked) > (most), "options." name " is %zu, but at most %zu are possible", asked, most)

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Descriptions of the members of option structs: name, offset, default, range, names of choices, a line of help. The
 * library checks options by the same tables. Wrappers in other languages, such as pystarfish, read their keywords from
 * here. */
#ifndef STARFISH_OPTIONS_H
#define STARFISH_OPTIONS_H

#include <starfish/status.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* C type and meaning of a member. */
typedef enum starfish_option_type {
    STARFISH_OPTION_INT,    /* int */
    STARFISH_OPTION_SIZE,   /* size_t */
    STARFISH_OPTION_REAL,   /* double */
    STARFISH_OPTION_CHOICE, /* an enum, or an int with a few allowed values, each of which has a name */
    STARFISH_OPTION_SWITCH, /* int: 0 is off, any other value is on */
    STARFISH_OPTION_TEXT,   /* const char *, NULL where absent */
    STARFISH_OPTION_POINTER /* to data or to a function; not checked */
} starfish_option_type;

/* One member. All texts are in static storage. */
struct starfish_option_description {
    const char *name;          /* name of the member */
    const char *text;          /* one line of help */
    starfish_option_type type; /* C type and meaning */
    size_t offset;             /* offset of the member in its struct, in bytes */
    double default_value;      /* default of a number, choice or switch; that of texts and pointers is NULL */
    double least, most;        /* range of a number, both ends included; infinity: no upper limit */
    int below_most;            /* REAL: 1 if `most` itself is excluded */
    int value_count;           /* CHOICE: length of `values`; else 0 */
    const char *const *values; /* CHOICE: names by value, NULL where a value is not allowed */
    size_t struct_size;        /* size of the whole struct in this version of the library */
    const char *synonym;       /* an older name of the member, accepted as a keyword; NULL: none */
};

/* Returns name `index` (0, 1, ...) of those that have options: "context" and the families of plans ("tridiag",
 * "poisson", ...). NULL past the last. The options of NAME are struct starfish_NAME_options. Static storage;
 * thread-safe. */
STARFISH_API const char *starfish_options_name(size_t index);
/* Describes member `index` of the options of `name`: 0, 1, ... in the order of the struct, without `size`. Thread-safe.
 * Errors: ARGUMENT (no such name; no such member, which ends a loop over all members). */
STARFISH_API starfish_status starfish_option(const char *name, size_t index,
                                             struct starfish_option_description *description);

#ifdef __cplusplus
}
#endif

#endif

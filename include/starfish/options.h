/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the members of the option structs are: name, place, default, range, names of choices, a line of help. They come
 * from the tables by which the library checks options, so that wrappers in other languages, as the package pystarfish,
 * have their keywords from here and keep no second list. */
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
    STARFISH_OPTION_CHOICE, /* an enum, or an int, of which only some values are allowed; each has a name */
    STARFISH_OPTION_SWITCH, /* int: 0 is off, all else is on */
    STARFISH_OPTION_TEXT,   /* const char *, NULL where absent */
    STARFISH_OPTION_POINTER /* to data or to a function; not checked */
} starfish_option_type;

/* One member. All texts are in static storage. */
struct starfish_option_description {
    const char *name;          /* of the member */
    const char *text;          /* what the member is: one line of help */
    starfish_option_type type; /* C type and meaning */
    size_t offset;             /* of the member in its struct, in bytes */
    double default_value;      /* of a number, choice or switch; texts and pointers are NULL */
    double least, most;        /* of numbers: the range, both ends included; infinity: no upper end */
    int below_most;            /* of REAL: `most` itself is not allowed */
    int value_count;           /* CHOICE: length of `values`; else 0 */
    const char *const *values; /* CHOICE: names by value, NULL where a value is not allowed */
    size_t struct_size;        /* of the whole struct, as this library knows it */
    const char *synonym;       /* an older name of the member, which keywords may have; NULL: none */
};

/* Who has options: "context" and the families of plans ("tridiag", "poisson", ...), by number `index` (0, 1, ...); NULL
 * past the last. The options of NAME are struct starfish_NAME_options. Static storage; thread-safe. */
STARFISH_API const char *starfish_options_name(size_t index);
/* Member `index` (0, 1, ... in the order of the struct, without `size`) of the options of `name`. Thread-safe. Errors:
 * ARGUMENT (no such name; no such member, which ends a loop over all). */
STARFISH_API starfish_status starfish_option(const char *name, size_t index,
                                             struct starfish_option_description *description);

#ifdef __cplusplus
}
#endif

#endif

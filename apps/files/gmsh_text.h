/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Words and numbers of a text, line by line, for the reader of Gmsh's formats. */
#ifndef STARFISH_APPS_FILES_GMSH_TEXT_H
#define STARFISH_APPS_FILES_GMSH_TEXT_H

#include "base/status.h"

#include <stddef.h>

struct starfish_gmsh_text {
    const char *path;
    char *text; /* ends with a 0 */
    size_t at, size, line;
    const char *section; /* for messages */
};

/* The whole file. Errors: FILE, MEMORY. The caller frees text->text. */
starfish_status starfish_gmsh_text_open(const char *path, struct starfish_gmsh_text *text);
/* `PATH:LINE: REASON` as a FILE error; the reason in printf format. */
starfish_status starfish_gmsh_complain(const struct starfish_gmsh_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Return from the calling function with a complaint where `condition` holds. */
#define STARFISH_GMSH_COMPLAIN_IF(condition, ...)                                                                      \
    do {                                                                                                               \
        if (condition)                                                                                                 \
            return starfish_gmsh_complain(__VA_ARGS__);                                                                \
    } while (0)
/* The next word, NULL at the end. */
const char *starfish_gmsh_word(struct starfish_gmsh_text *text, size_t *length);
/* Numbers. Errors: FILE (the text ends, or there is something else, or a number that its type cannot hold). */
starfish_status starfish_gmsh_integer(struct starfish_gmsh_text *text, const char *what, long least, long *value);
starfish_status starfish_gmsh_int(struct starfish_gmsh_text *text, const char *what, int least, int *value);
starfish_status starfish_gmsh_real(struct starfish_gmsh_text *text, const char *what, double *value);
/* A number of things that are yet to come, each of which takes 2 characters at least. */
starfish_status starfish_gmsh_count(struct starfish_gmsh_text *text, const char *what, size_t *count);
/* A word that must be this one. */
starfish_status starfish_gmsh_expect(struct starfish_gmsh_text *text, const char *expected);

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Words and numbers of a text (gmsh_text.h). The file is read into memory as a whole; complaints name it and the
 * line. */
#include "apps/files/gmsh_text.h"

#include "apps/files/regular.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

starfish_status starfish_gmsh_text_open(const char *path, struct starfish_gmsh_text *text)
{
    *text = (struct starfish_gmsh_text){.path = path, .line = 1, .section = "the file"};
    return starfish_regular_read(path, &text->text, &text->size);
}

starfish_status starfish_gmsh_complain(const struct starfish_gmsh_text *text, const char *format, ...)
{
    char reason[400];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    return starfish_fail(STARFISH_ERROR_FILE, "%s:%zu: %s", text->path, text->line, reason);
}

static int is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

const char *starfish_gmsh_word(struct starfish_gmsh_text *text, size_t *length)
{
    while (text->at < text->size && is_space(text->text[text->at]))
        text->line += text->text[text->at++] == '\n';
    const size_t first = text->at;
    while (text->at < text->size && !is_space(text->text[text->at]))
        text->at++;
    *length = text->at - first;
    return *length > 0 ? text->text + first : NULL;
}

/* The next word as a copy that ends. */
static starfish_status take(struct starfish_gmsh_text *text, const char *what, char copy[64])
{
    size_t length;
    const char *word = starfish_gmsh_word(text, &length);

    STARFISH_GMSH_COMPLAIN_IF(!word, text, "%s ends where %s should be: the file is truncated", text->section, what);
    length = length < 63 ? length : 63;
    memcpy(copy, word, length);
    copy[length] = 0;
    return STARFISH_SUCCESS;
}

static starfish_status read_integer(struct starfish_gmsh_text *text, const char *what, const long range[2], long *value)
{
    char word[64], *end;

    STARFISH_TRY(take(text, what, word));
    errno = 0;
    *value = strtol(word, &end, 10);
    STARFISH_GMSH_COMPLAIN_IF(*end, text, "%s: '%s' is not %s", text->section, word, what);
    STARFISH_GMSH_COMPLAIN_IF(errno || *value < range[0] || *value > range[1], text,
                              "%s: '%s' is not %s: it is not from %ld to %ld", text->section, word, what, range[0],
                              range[1]);
    return STARFISH_SUCCESS;
}

starfish_status starfish_gmsh_integer(struct starfish_gmsh_text *text, const char *what, long least, long *value)
{
    return read_integer(text, what, (const long[]){least, LONG_MAX}, value);
}

starfish_status starfish_gmsh_int(struct starfish_gmsh_text *text, const char *what, int least, int *value)
{
    long number = 0;
    const starfish_status status = read_integer(text, what, (const long[]){least, INT_MAX}, &number);

    *value = (int)number;
    return status;
}

starfish_status starfish_gmsh_real(struct starfish_gmsh_text *text, const char *what, double *value)
{
    char word[64], *end;

    STARFISH_TRY(take(text, what, word));
    *value = strtod(word, &end);
    STARFISH_GMSH_COMPLAIN_IF(*end || !isfinite(*value), text, "%s: '%s' is not %s", text->section, word, what);
    return STARFISH_SUCCESS;
}

starfish_status starfish_gmsh_count(struct starfish_gmsh_text *text, const char *what, size_t *count)
{
    long value;

    STARFISH_TRY(starfish_gmsh_integer(text, what, 0, &value));
    *count = (size_t)value;
    STARFISH_GMSH_COMPLAIN_IF(*count > (text->size - text->at) / 2 + 1, text,
                              "%s: %s is %ld, more than the file has: it is truncated", text->section, what, value);
    return STARFISH_SUCCESS;
}

starfish_status starfish_gmsh_expect(struct starfish_gmsh_text *text, const char *expected)
{
    char word[64];

    STARFISH_TRY(take(text, expected, word));
    return strcmp(word, expected) == 0 ? STARFISH_SUCCESS
                                       : starfish_gmsh_complain(text, "'%s' where %s should be", word, expected);
}

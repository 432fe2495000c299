/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* StarPU's trace in Paje's format, as programs that read it want it.
 *
 * Tracing begins while a program runs. Where a worker, a memory or a thread was then in a state within another, the
 * trace has the end of the inner one without its beginning. Where two threads write at once, times may go backwards.
 * In both cases pj_dump, and with it StarVZ, reads no further. */
#include "scheduler/lab/paje.h"

#include "base/c_locale.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LAST_OF_HEAD = 7,
    SET = 10,
    PUSH = 11,
    POP = 12,
    SET_TASK = 20,
    SET_TASK_OF_CONTEXT = 21
}; /* StarPU's numbers of events */

/* How many states lie within each other, of a type of states of a container. */
struct nest {
    char container[32], type[16];
    int depth;
};

struct nests {
    struct nest *nest;
    size_t count;
};

static struct nest *find(struct nests *nests, const char *container, const char *type)
{
    for (size_t i = 0; i < nests->count; i++)
        if (strcmp(nests->nest[i].container, container) == 0 && strcmp(nests->nest[i].type, type) == 0)
            return &nests->nest[i];
    struct nest *more = realloc(nests->nest, (nests->count + 1) * sizeof *more);
    if (!more)
        return NULL;
    nests->nest = more;
    more = &more[nests->count++];
    *more = (struct nest){.depth = 0};
    snprintf(more->container, sizeof more->container, "%s", container);
    snprintf(more->type, sizeof more->type, "%s", type);
    return more;
}

/* Is a line to be kept? All are but ends without a beginning. */
static int keeps(struct nests *nests, const char *line)
{
    int event;
    char container[32], type[16];
    if (sscanf(line, "%d %*f %31s %15s", &event, container, type) != 3)
        return 1;
    if (event != SET && event != PUSH && event != POP && event != SET_TASK && event != SET_TASK_OF_CONTEXT)
        return 1;
    struct nest *nest = find(nests, container, type);
    if (!nest)
        return 1;
    const int kept = event != POP || nest->depth > 0;
    if (event == PUSH)
        nest->depth++;
    else
        nest->depth = event == POP ? nest->depth - kept : 1;
    return kept;
}

/* ---- Lines in order ---------------------------------------------------------------------------------------------- */

struct line {
    double time; /* -1: of the head, which defines events, types and containers */
    size_t number;
    char *text;
};

struct lines {
    struct line *line;
    size_t count, room;
};

static double time_of(const char *text)
{
    int event;
    double time;
    return sscanf(text, "%d %lf", &event, &time) == 2 && event > LAST_OF_HEAD ? time : -1;
}

static int compare_lines(const void *a, const void *b)
{
    const struct line *first = a, *second = b;
    if (first->time != second->time)
        return first->time < second->time ? -1 : 1;
    return first->number < second->number ? -1 : 1;
}

/* Takes the text. 0: no memory. */
static int add_line(struct lines *lines, char *text)
{
    if (lines->count == lines->room) {
        const size_t room = 2 * lines->room + 1024;
        struct line *more = realloc(lines->line, room * sizeof *more);
        if (!more)
            return 0;
        lines->line = more;
        lines->room = room;
    }
    lines->line[lines->count] = (struct line){time_of(text), lines->count, text};
    lines->count++;
    return 1;
}

static int read_lines(FILE *stream, struct lines *lines)
{
    char *text = NULL;
    size_t size = 0;
    int read = 1;
    while (read && getline(&text, &size, stream) > 0) {
        read = add_line(lines, text);
        text = read ? NULL : text;
        size = 0;
    }
    free(text);
    return read && !ferror(stream);
}

static void write_lines(FILE *stream, const struct lines *lines)
{
    struct nests nests = {NULL, 0};
    for (size_t i = 0; i < lines->count; i++)
        if (keeps(&nests, lines->line[i].text))
            fputs(lines->line[i].text, stream);
    free(nests.nest);
}

static starfish_status copy_lines(const char *path, FILE *from, FILE *to)
{
    struct lines lines = {NULL, 0, 0};
    errno = 0;
    const locale_t before = starfish_c_locale_enter();
    int copied = read_lines(from, &lines);
    starfish_c_locale_leave(before);
    if (copied && lines.count > 0) {
        qsort(lines.line, lines.count, sizeof *lines.line, compare_lines);
        write_lines(to, &lines);
    }
    copied = copied && !ferror(to) && fflush(to) == 0;
    const int reason = errno;
    for (size_t i = 0; i < lines.count; i++)
        free(lines.line[i].text);
    free(lines.line);
    return STARFISH_OR_FAIL(copied, STARFISH_ERROR_FILE, "%s: cannot be read and written anew: %s", path,
                            reason ? strerror(reason) : "out of memory");
}

starfish_status starfish_paje_mend(const char *folder)
{
    char path[4096], mended[4096 + 8];
    snprintf(path, sizeof path, "%s/paje.trace", folder);
    snprintf(mended, sizeof mended, "%s.mended", path);
    FILE *from = fopen(path, "r"), *to = from ? fopen(mended, "w") : NULL;
    if (!from)
        return STARFISH_SUCCESS; /* nothing to mend */
    starfish_status status =
        to ? copy_lines(path, from, to)
           : starfish_fail(STARFISH_ERROR_FILE, "%s: cannot be written: %s", mended, strerror(errno));
    fclose(from);
    if (to && fclose(to) != 0 && status == STARFISH_SUCCESS)
        status = starfish_fail(STARFISH_ERROR_FILE, "%s: cannot be written: %s", mended, strerror(errno));
    if (status == STARFISH_SUCCESS && rename(mended, path) != 0)
        status = starfish_fail(STARFISH_ERROR_FILE, "%s: cannot be written anew: %s", path, strerror(errno));
    if (status != STARFISH_SUCCESS)
        remove(mended);
    return status;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* StarPU's files of models, after a pass.
 *
 * StarPU 1.4.10 may write the times on a GPU twice where there are two of them, and then reads both as times of one:
 * the next pass writes four times as many, and so on. A file keeps one line for each task of each kind of worker. */
#include "apps/machine/machine.h"

#include "apps/files/output.h"
#include "apps/files/regular.h"
#include "apps/recorded/recorded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A file's lines, with their ends. */
struct lines {
    char **line;
    size_t count, room;
};

/* Takes the text. 0: no memory. */
static int add_line(struct lines *lines, char *text)
{
    if (lines->count == lines->room) {
        char **more = realloc(lines->line, (2 * lines->room + 256) * sizeof *more);
        if (!more)
            return 0;
        lines->line = more;
        lines->room = 2 * lines->room + 256;
    }
    lines->line[lines->count++] = text;
    return 1;
}

static starfish_status read_lines(const char *path, struct lines *lines)
{
    FILE *stream;
    int right = 1;
    STARFISH_TRY(starfish_regular_open(path, &stream));
    for (;;) {
        char *text = NULL;
        size_t size = 0;
        if (!right || getline(&text, &size, stream) < 0) {
            free(text);
            break;
        }
        right = add_line(lines, text);
    }
    right &= !ferror(stream);
    fclose(stream);
    return right ? STARFISH_SUCCESS : starfish_fail(STARFISH_ERROR_FILE, "%s: cannot be read", path);
}

/* The last number of a line of a time. */
static unsigned long samples_of(const char *line)
{
    const char *tab = strrchr(line, '\t');
    return tab ? strtoul(tab, NULL, 10) : 0;
}

/* Moves those lines of first .. last - 1 to the front that are to stay: of each footprint the one with most samples.
 * Returns how many they are. */
static size_t sort_out(char **line, size_t first, size_t last)
{
    size_t kept = first;
    for (size_t i = first; i < last; ++i) {
        size_t same = first;
        while (same < kept && strncmp(line[same], line[i], 8) != 0)
            ++same;
        if (same == kept || samples_of(line[i]) > samples_of(line[same])) {
            char *other = line[same];
            line[same] = line[i];
            line[i] = other;
        }
        kept += same == kept;
    }
    return kept - first;
}

/* Writes all lines but those that are twice. */
static void write_lines(FILE *stream, const struct lines *lines)
{
    static const char number[] = "# number of entries";
    size_t at = 0;
    while (at < lines->count) {
        fputs(lines->line[at++], stream);
        if (strncmp(lines->line[at - 1], number, sizeof number - 1) != 0 || at == lines->count ||
            strtoul(lines->line[at], NULL, 10) == 0)
            continue;
        size_t first = at + 1, last;
        while (first < lines->count && !machine_is_time(lines->line[first]))
            ++first;
        for (last = first; last < lines->count && machine_is_time(lines->line[last]);)
            ++last;
        const size_t kept = sort_out(lines->line, first, last);
        fprintf(stream, "%zu\n", kept);
        for (++at; at < first + kept; ++at)
            fputs(lines->line[at], stream);
        at = last;
    }
}

static starfish_status mend(const char *path, const char *host)
{
    struct lines lines = {NULL, 0, 0};
    struct starfish_output output;
    (void)host; /* of all machines */
    starfish_status status = read_lines(path, &lines);
    STARFISH_THEN(status, starfish_output_open(&output, path));
    if (status == STARFISH_SUCCESS) {
        write_lines(output.stream, &lines);
        status = starfish_output_finish(&output, STARFISH_SUCCESS);
    }
    for (size_t i = 0; i < lines.count; ++i)
        free(lines.line[i]);
    free(lines.line);
    return status;
}

starfish_status machine_mend_models(const char *folder)
{
    char path[SIMULATE_PATH];
    snprintf(path, sizeof path, "%s/sampling/codelets", folder);
    return machine_each_file(path, 1, mend, NULL);
}

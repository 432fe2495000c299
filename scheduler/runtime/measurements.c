/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads StarPU 1.4's files by the same rules, but returns errors where StarPU has assertions: perfmodel_bus.c for the
 * links and perfmodel_history.c for the models, in src/core/perfmodel.
 *
 * All formats are numbers between white space, in the C locale, and comments from # to the end of the line. Comments
 * may occur only where drop_comments is called. */
#include "scheduler/runtime/measurements.h"

#include "base/c_locale.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Models have some 20 KB, and 100 devices would have links of 1 MB. */
enum { MOST_BYTES = 16 << 20, MOST_DEVICES = 64 };

struct text {
    const char *at;
    int good; /* all that was expected has been there so far */
};

static void drop_comments(struct text *text)
{
    while (*text->at == '#' || *text->at == '\n')
        text->at += *text->at == '#' ? strcspn(text->at, "\n") : 1;
}

static void number_ends(struct text *text, const char *end)
{
    text->good = text->good && end != text->at && (*end == 0 || isspace((unsigned char)*end));
    text->at = end;
}

static double real(struct text *text)
{
    char *end;
    const double value = strtod(text->at, &end);
    number_ends(text, end);
    return value;
}

/* A whole number from 0 to `most`; 0 where there is another or none. */
static unsigned long whole(struct text *text, int base, unsigned long most)
{
    char *end;
    errno = 0;
    const unsigned long value = strtoul(text->at, &end, base);
    const int held = errno == 0 && value <= most && !memchr(text->at, '-', (size_t)(end - text->at));
    number_ends(text, end);
    text->good = text->good && held;
    return text->good ? value : 0;
}

static unsigned long commented_whole(struct text *text, unsigned long most)
{
    drop_comments(text);
    return whole(text, 10, most);
}

static int expect(struct text *text, const char *word)
{
    const size_t length = strlen(word);
    const int found = strncmp(text->at, word, length) == 0;
    text->at += found ? length : 0;
    return found;
}

/* ---- Links ------------------------------------------------------------------------------------------------------- */

/* StarPU measures again where numbers after the first do not fit. */
static int config_is_good(struct text *text)
{
    commented_whole(text, INT_MAX);
    return text->good;
}

/* A head with a column for each NUMA node, and for each kind of device rows that begin with 0, 1, ... */
static int affinity_is_good(struct text *text)
{
    unsigned long nodes = 0, next = 0;
    if (!expect(text, "# GPU\t"))
        return 0;
    for (; expect(text, "NUMA"); nodes++) {
        whole(text, 10, INT_MAX);
        text->at += strspn(text->at, "\t ");
    }
    for (drop_comments(text); text->good && *text->at; drop_comments(text)) {
        const unsigned long device = whole(text, 10, INT_MAX);
        text->good = text->good && (device == next || device == 0);
        next = device + 1;
        for (unsigned long n = 0; n < nodes; n++)
            whole(text, 10, nodes - 1);
        text->at += strspn(text->at, "\t ");
    }
    return text->good && nodes > 0;
}

/* ---- Models ------------------------------------------------------------------------------------------------------ */

/* One line of the times: footprint, bytes, operations, mean, deviation, sum, sum of squares, number. Files of older
 * versions have no operations. */
static void read_times(struct text *text)
{
    double value[5] = {0, 0, 0, 0, 0};
    drop_comments(text);
    const char *end = strchr(text->at, '\n');
    text->good = text->good && end;
    whole(text, 16, UINT_MAX);
    whole(text, 10, ULONG_MAX);
    for (int i = 0; text->good && i < 4; i++)
        value[i] = real(text);
    if (!text->good)
        return;
    struct text last = *text;
    whole(&last, 10, UINT_MAX);
    const int has_operations = !last.good || last.at > end;
    if (has_operations) {
        value[4] = real(text);
        whole(text, 10, UINT_MAX);
    } else
        *text = last;
    text->good = text->good && text->at <= end;
    for (int i = 0; i < 5; i++) /* operations alone may be unknown */
        text->good = text->good && (value[i] >= 0 || (i == 0 && has_operations && value[i] != value[i]));
}

/* The coefficients of three regressions, and the times that they are of. */
static void read_implementation(struct text *text)
{
    const unsigned long times = commented_whole(text, UINT_MAX);
    drop_comments(text);
    for (int i = 0; i < 6; i++)
        real(text);
    whole(text, 10, UINT_MAX);
    whole(text, 10, ULONG_MAX);
    whole(text, 10, ULONG_MAX);
    text->at += strspn(text->at, " \t\n");
    drop_comments(text);
    for (int i = 0; i < 3; i++)
        real(text);
    text->at += strspn(text->at, " \t\n");
    const unsigned long coefficients = commented_whole(text, UINT_MAX);
    for (unsigned long i = 0; text->good && i < coefficients; i++)
        real(text);
    text->at += strspn(text->at, " \t\n");
    for (unsigned long i = 0; text->good && i < times; i++)
        read_times(text);
}

static void read_combination(struct text *text)
{
    const unsigned long devices = commented_whole(text, MOST_DEVICES);
    text->good = text->good && devices > 0;
    for (unsigned long i = 0; text->good && i < devices; i++) {
        commented_whole(text, MOST_DEVICES); /* kind */
        commented_whole(text, INT_MAX);      /* number */
        commented_whole(text, INT_MAX);      /* cores */
    }
    const unsigned long implementations = commented_whole(text, INT_MAX);
    text->good = text->good && implementations > 0;
    for (unsigned long i = 0; text->good && i < implementations; i++)
        read_implementation(text);
}

/* StarPU ignores empty ones. */
static int model_is_good(struct text *text)
{
    if (!*text->at)
        return 1;
    const unsigned long version = commented_whole(text, INT_MAX), combinations = commented_whole(text, INT_MAX);
    text->good = text->good && version == strtoul(STARFISH_MODEL_VERSION, NULL, 10);
    for (unsigned long i = 0; text->good && i < combinations; i++)
        read_combination(text);
    return text->good;
}

/* ---- Files ------------------------------------------------------------------------------------------------------- */

static int is_being_written(int file)
{
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    return fcntl(file, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

static char *read_text(int file, size_t bytes)
{
    char *text = bytes <= MOST_BYTES ? malloc(bytes + 1) : NULL;
    size_t done = 0;
    while (text && done < bytes) {
        const ssize_t more = read(file, text + done, bytes - done);
        if (more <= 0)
            break;
        done += (size_t)more;
    }
    if (text)
        text[done] = 0;
    return text;
}

static int is_good(const char *content, enum starfish_measurement kind)
{
    static int (*const reader[])(struct text *) = {[STARFISH_MEASUREMENT_CONFIG] = config_is_good,
                                                   [STARFISH_MEASUREMENT_AFFINITY] = affinity_is_good,
                                                   [STARFISH_MEASUREMENT_MODEL] = model_is_good};
    struct text text = {content, 1};
    const locale_t before = starfish_c_locale_enter();
    const int good = reader[kind](&text);
    starfish_c_locale_leave(before);
    return good;
}

int starfish_measurement_is_bad(const char *path, enum starfish_measurement kind)
{
    struct stat found;
    if (lstat(path, &found) != 0)
        return errno != ENOENT && errno != ENOTDIR;
    if (stat(path, &found) != 0 || !S_ISREG(found.st_mode) || access(path, R_OK | W_OK) != 0)
        return 1;
    if (kind == STARFISH_MEASUREMENT_FILE)
        return 0;
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return 1;
    char *content = NULL;
    int bad = 0;
    if (!is_being_written(file)) {
        content = read_text(file, (size_t)found.st_size);
        bad = !content || !is_good(content, kind);
    }
    free(content);
    close(file);
    return bad;
}

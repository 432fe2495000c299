/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks that all files of a recorded machine that StarPU and SimGrid read exist and are complete. Otherwise both would
 * end the program without naming the file or the fault. */
#include "apps/recorded/simulate.h"

#include "apps/files/regular.h"
#include "apps/recorded/recorded.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- links ------------------------------------------------------------------------------------------------------- */

/* Does the file's last line end so? */
static int ends_with(FILE *stream, const char *end)
{
    char *line = NULL;
    size_t size = 0;
    int found = 0;
    while (getline(&line, &size, stream) > 0)
        if (strspn(line, " \t\r\n") != strlen(line))
            found = strstr(line, end) != NULL;
    free(line);
    return found;
}

static starfish_status check_links(const char *folder, const char *host)
{
    static const char *const endings[] = {"bandwidth", "config", "latency", "platform.v4.xml"};
    char path[SIMULATE_PATH + 256];
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; ++i) {
        snprintf(path, sizeof path, "%s/sampling/bus/%s.%s", folder, host, endings[i]);
        FILE *stream;
        STARFISH_TRY(starfish_regular_open(path, &stream));
        const int whole = strcmp(endings[i], "platform.v4.xml") != 0 || ends_with(stream, "</platform>");
        fclose(stream);
        STARFISH_FAIL_IF(!whole, STARFISH_ERROR_FILE, "%s: does not end in </platform>", path);
    }
    return STARFISH_SUCCESS;
}

/* ---- times of tasks ---------------------------------------------------------------------------------------------- */

/* Counts that a file of a codelet's times announces, and what follows. */
struct counts {
    long combinations, implementations, entries;           /* announced */
    long combination_blocks, implementation_blocks, times; /* found */
};

int machine_is_time(const char *line)
{
    return strspn(line, "0123456789abcdef") == 8 && (line[8] == '\t' || line[8] == ' ');
}

/* The sum of numbers such as the one that the line announces, and the next line says; NULL: it announces none. */
static long *announced_by(const char *line, struct counts *counts)
{
    static const char *const heads[] = {"# number of combinations", "# number of implementations",
                                        "# number of entries"};
    long *const sums[] = {&counts->combinations, &counts->implementations, &counts->entries};
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; ++i)
        if (strncmp(line, heads[i], strlen(heads[i])) == 0) {
            counts->combination_blocks += i == 1;
            counts->implementation_blocks += i == 2;
            return sums[i];
        }
    return NULL;
}

static int is_whole(FILE *stream)
{
    struct counts counts = {0, 0, 0, 0, 0, 0};
    char *line = NULL, *end = NULL;
    size_t size = 0, lines = 0;
    int right = 1;
    long *sum = NULL;
    for (; getline(&line, &size, stream) > 0; ++lines) {
        if (sum) {
            *sum += strtol(line, &end, 10);
            right &= end > line;
            sum = NULL;
        } else
            sum = announced_by(line, &counts);
        counts.times += machine_is_time(line) && strchr(line, '\n');
    }
    free(line);
    return lines == 0 || (right && !sum && counts.combinations == counts.combination_blocks &&
                          counts.implementations == counts.implementation_blocks && counts.entries == counts.times);
}

static starfish_status check_times(const char *path, const char *host)
{
    const size_t length = strlen(path), end = strlen(host);
    if (length <= end || strcmp(path + length - end, host) != 0)
        return STARFISH_SUCCESS; /* of another machine: StarPU does not read it */
    FILE *stream;
    STARFISH_TRY(starfish_regular_open(path, &stream));
    const int whole = is_whole(stream);
    fclose(stream);
    STARFISH_FAIL_IF(!whole, STARFISH_ERROR_FILE, "%s: is not whole: it announces other numbers of times than it has",
                     path);
    return STARFISH_SUCCESS;
}

starfish_status machine_each_file(const char *folder, int depth, machine_visit *visit, const char *host)
{
    DIR *list = opendir(folder);
    const struct dirent *entry;
    starfish_status status = STARFISH_SUCCESS;
    while (list && status == STARFISH_SUCCESS && (entry = readdir(list))) {
        char path[SIMULATE_PATH + 1024];
        const int length = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] != '.' && length < (int)sizeof path)
            status = depth > 0 ? machine_each_file(path, depth - 1, visit, host) : visit(path, host);
    }
    if (list)
        closedir(list);
    return status;
}

starfish_status simulate_check(const char *folder)
{
    static struct starfish_machine machine;
    char models[SIMULATE_PATH + 128];
    STARFISH_TRY(machine_read(folder, &machine));
    const char *host = machine.models[0] ? machine.models : machine.name;
    STARFISH_TRY(check_links(folder, host));
    if (machine.models[0])
        snprintf(models, sizeof models, "%s/../%s/sampling/codelets", folder, machine.models);
    else
        snprintf(models, sizeof models, "%s/sampling/codelets", folder);
    return machine_each_file(models, 1, check_times, host);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Quotas of control groups, as Documentation/admin-guide/cgroup-v2.rst and scheduler/sched-bwc.rst of Linux have them.
 *
 * A line of /proc/self/cgroup is ID:CONTROLLERS:PATH; version 2 has the ID 0 and no controllers. In a container the
 * folder that is mounted may be the group itself, where PATH is that of the host: then PATH is not there, and the
 * folder at the top says what holds. */
#include "scheduler/runtime/quota.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 4096 };

/* Up to two numbers at the start of a file; how many. "max" is none. */
static int read_numbers(const char *folder, const char *name, double number[2])
{
    char path[LONGEST + 64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    const int count = fscanf(file, "%lf %lf", &number[0], &number[1]);
    fclose(file);
    return count > 0 ? count : 0;
}

/* Cores' worth of time of one group; infinite without a quota. */
static double share(const char *folder)
{
    double number[2], period[2];
    if (read_numbers(folder, "cpu.max", number) == 2 && number[0] > 0 && number[1] > 0)
        return number[0] / number[1];
    if (read_numbers(folder, "cpu.cfs_quota_us", number) == 1 && number[0] > 0 &&
        read_numbers(folder, "cpu.cfs_period_us", period) == 1 && period[0] > 0)
        return number[0] / period[0];
    return INFINITY;
}

/* The least share of the group `path` of the hierarchy at root/below and of all groups above it. */
static double least_share(const char *root, const char *below, const char *path)
{
    char folder[LONGEST];
    if (snprintf(folder, sizeof folder, "%s/%s%s", root, below, path) >= (int)sizeof folder)
        return INFINITY;
    double least = INFINITY;
    for (size_t length = strlen(folder); length > strlen(root); length--)
        if (folder[length] == 0 || folder[length] == '/') {
            folder[length] = 0;
            least = fmin(least, share(folder));
        }
    return least;
}

static int has_controller(const char *controllers, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = controllers; *at; at += strcspn(at, ","), at += *at == ',')
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == 0))
            return 1;
    return 0;
}

/* One line of the process's groups. */
static double share_of_line(char *line, const char *root)
{
    char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!path)
        return INFINITY;
    *controllers++ = 0;
    *path++ = 0;
    path[strcspn(path, "\n")] = 0;
    if (!*controllers) /* version 2, alone or beside version 1 */
        return fmin(least_share(root, "", path), least_share(root, "unified", path));
    if (!has_controller(controllers, "cpu"))
        return INFINITY;
    return fmin(least_share(root, controllers, path), least_share(root, "cpu", path));
}

int starfish_quota_cores(const char *groups, const char *root)
{
    char line[LONGEST];
    double least = INFINITY;
    FILE *file = fopen(groups, "re");
    if (!file)
        return 0;
    while (fgets(line, sizeof line, file))
        least = fmin(least, share_of_line(line, root));
    fclose(file);
    return least >= INT_MAX ? 0 : least < 1 ? 1 : (int)(least + 1e-9);
}

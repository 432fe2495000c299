/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Quotas of control groups of both versions (scheduler/runtime/quota.h), read from folders that the test makes up. */
#include "scheduler/runtime/quota.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

static void write_file(const char *folder, const char *name, const char *text)
{
    char path[512], *at = path;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    while ((at = strchr(at + 1, '/'))) {
        *at = 0;
        mkdir(path, 0700);
        *at = '/';
    }
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void quotas_limit_cores(void **state)
{
    (void)state;
    static const struct {
        const char *groups, *file, *text, *second, *second_text;
        int cores;
    } cases[] = {
        {"0::/a/b\n", "cpu.stat", "", NULL, NULL, 0},
        {"0::/a/b\n", "a/b/cpu.max", "max 100000\n", NULL, NULL, 0},
        {"0::/a/b\n", "a/b/cpu.max", "250000 100000\n", NULL, NULL, 2},
        {"0::/a/b\n", "a/b/cpu.max", "800000 100000\n", "a/cpu.max", "300000 100000\n", 3},
        {"0::/a/b\n", "a/b/cpu.max", "50000 100000\n", NULL, NULL, 1},
        {"0::/../host\n", "cpu.max", "400000 100000\n", NULL, NULL, 4}, /* a container's own view */
        {"3:cpu,cpuacct:/x\n1:name=systemd:/\n", "cpu,cpuacct/x/cpu.cfs_quota_us", "600000\n",
         "cpu,cpuacct/x/cpu.cfs_period_us", "100000\n", 6},
        {"3:cpu:/x/y\n", "cpu/x/cpu.cfs_quota_us", "100000\n", "cpu/x/cpu.cfs_period_us", "50000\n", 2},
        {"3:cpu:/x\n", "cpu/x/cpu.cfs_quota_us", "-1\n", "cpu/x/cpu.cfs_period_us", "100000\n", 0},
        {"3:cpuset:/x\n", "cpuset/x/cpu.max", "100000 100000\n", NULL, NULL, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char root[] = "/tmp/starfish-quota-XXXXXX", groups[64], command[64];
        assert_non_null(mkdtemp(root));
        write_file(root, "groups", cases[i].groups);
        write_file(root, cases[i].file, cases[i].text);
        if (cases[i].second)
            write_file(root, cases[i].second, cases[i].second_text);
        snprintf(groups, sizeof groups, "%s/groups", root);
        if (starfish_quota_cores(groups, root) != cases[i].cores)
            fail_msg("case %zu: %d cores, not %d", i, starfish_quota_cores(groups, root), cases[i].cores);
        snprintf(command, sizeof command, "rm -r %s", root);
        assert_int_equal(system(command), 0);
    }
    assert_int_equal(starfish_quota_cores("/nonexistent", "/nonexistent"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(quotas_limit_cores)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

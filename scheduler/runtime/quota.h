/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The share of the machine's time that the system grants this process (cgroup quotas). */
#ifndef STARFISH_SCHEDULER_RUNTIME_QUOTA_H
#define STARFISH_SCHEDULER_RUNTIME_QUOTA_H

/* Cores' worth of time, rounded down, 1 at least; 0: no limit. By the quotas of the process's control groups and of all
 * groups above, cpu.max of version 2 and cpu.cfs_quota_us of version 1. `groups` is /proc/self/cgroup, `root` the
 * folder that the groups are mounted at, /sys/fs/cgroup. What cannot be read limits nothing. */
int starfish_quota_cores(const char *groups, const char *root);

#endif

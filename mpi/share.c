/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cores and GPUs of a node, shared by its ranks: those that may use the same cores divide them. */
#include "mpi/share.h"

#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Processing units as words that can be sent; of larger machines the first 8192. */
enum { WORDS = 128 };
struct units {
    unsigned long word[WORDS];
};

/* This rank among those of its node that may use the same cores. */
struct group {
    int index, size, on_node, node_index;
};

static struct units units_of(hwloc_const_bitmap_t set)
{
    struct units units;
    for (unsigned w = 0; w < WORDS; w++)
        units.word[w] = hwloc_bitmap_to_ith_ulong(set, w);
    return units;
}

static int find_group(MPI_Comm communicator, const struct units *own, struct group *group)
{
    MPI_Comm node;
    int rank, ranks;
    *group = (struct group){0, 1, 1, 0};
    if (MPI_Comm_split_type(communicator, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node) != MPI_SUCCESS)
        return -1;
    MPI_Comm_rank(node, &rank);
    MPI_Comm_size(node, &ranks);
    struct units *all = calloc((size_t)ranks, sizeof *all);
    int code = all ? 0 : -1;
    if (all && MPI_Allgather(own, sizeof *own, MPI_BYTE, all, sizeof *own, MPI_BYTE, node) != MPI_SUCCESS)
        code = -1;
    if (code == 0) {
        *group = (struct group){0, 0, ranks, rank};
        for (int r = 0; r < ranks; r++)
            if (memcmp(&all[r], own, sizeof *own) == 0) {
                group->index += r < rank;
                group->size++;
            }
    }
    free(all);
    MPI_Comm_free(&node);
    return code;
}

/* ---- Cores ------------------------------------------------------------------------------------------------------- */

/* Cores first .. first + count - 1 of those in the set, counted around, bound to. */
static int bind_cores(hwloc_topology_t machine, hwloc_const_bitmap_t set, int first, int count)
{
    const int cores = hwloc_get_nbobjs_inside_cpuset_by_type(machine, set, HWLOC_OBJ_CORE);
    hwloc_bitmap_t own = hwloc_bitmap_alloc();
    if (!own)
        return -1;
    for (int c = 0; c < count && c < cores; c++) {
        const hwloc_obj_t core =
            hwloc_get_obj_inside_cpuset_by_type(machine, set, HWLOC_OBJ_CORE, (unsigned)((first + c) % cores));
        hwloc_bitmap_or(own, own, core->cpuset);
    }
    hwloc_bitmap_and(own, own, set);
    if (!hwloc_bitmap_iszero(own))
        hwloc_set_cpubind(machine, own, HWLOC_CPUBIND_THREAD);
    hwloc_bitmap_free(own);
    return 0;
}

static int share_cores(hwloc_topology_t machine, hwloc_const_bitmap_t set, const struct group *group, int asked)
{
    const int cores = hwloc_get_nbobjs_inside_cpuset_by_type(machine, set, HWLOC_OBJ_CORE);
    if (group->size == 1 || cores < 1)
        return 0;
    const int first = (int)((long)cores * group->index / group->size);
    const int last = (int)((long)cores * (group->index + 1) / group->size);
    if (asked > last - first)
        return bind_cores(machine, set, asked * group->index % cores, asked);
    return bind_cores(machine, set, cores < group->size ? group->index % cores : first,
                      last > first ? last - first : 1);
}

/* ---- GPUs -------------------------------------------------------------------------------------------------------- */

static int is_told(const char *name)
{
    const char *value = getenv(name);
    return value && *value;
}

/* Each rank of a node takes a run of its GPUs, or, of fewer GPUs than ranks, the one that its number falls on. */
static void share_gpus(const struct group *group, struct starfish_node_share *share)
{
    const int gpus = share->gpus;
    if (gpus == 0 || group->on_node == 1 || is_told("CUDA_VISIBLE_DEVICES") || is_told("STARPU_WORKERS_CUDAID"))
        return;
    const int first = gpus * group->node_index / group->on_node, last = gpus * (group->node_index + 1) / group->on_node;
    char list[512];
    int used = snprintf(list, sizeof list, "%d", first < gpus ? first : gpus - 1);
    for (int gpu = first + 1; gpu < last && used < (int)sizeof list - 8; gpu++)
        used += snprintf(list + used, sizeof list - (size_t)used, ",%d", gpu);
    setenv("STARPU_WORKERS_CUDAID", list, 1);
    share->gpu_workers = last > first ? last - first : 1;
}

/* ---- Both -------------------------------------------------------------------------------------------------------- */

static int share_node(hwloc_topology_t machine, hwloc_bitmap_t set, MPI_Comm communicator, int asked,
                      struct starfish_node_share *share)
{
    struct group group;
    if (hwloc_get_cpubind(machine, set, HWLOC_CPUBIND_THREAD) != 0)
        hwloc_bitmap_copy(set, hwloc_topology_get_allowed_cpuset(machine));
    const struct units own = units_of(set);
    if (find_group(communicator, &own, &group) != 0)
        return -1;
    share_gpus(&group, share);
    return share_cores(machine, set, &group, asked);
}

int starfish_mpi_take_share(MPI_Comm communicator, int asked, struct starfish_node_share *share, char *text,
                            size_t size)
{
    hwloc_topology_t machine;
    if (hwloc_topology_init(&machine) != 0) {
        snprintf(text, size, "hwloc_topology_init failed");
        return -1;
    }
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    const int code =
        set && hwloc_topology_load(machine) == 0 ? share_node(machine, set, communicator, asked, share) : -1;
    if (code != 0)
        snprintf(text, size, "the cores of the node cannot be shared by its ranks");
    hwloc_bitmap_free(set);
    hwloc_topology_destroy(machine);
    return code;
}

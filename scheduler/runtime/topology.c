/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where cores, NUMA nodes and GPUs are, by hwloc, and which cores this process may use.
 *
 * It may use those to which the first calling thread is bound (sched_setaffinity, taskset, a batch system). OpenMP
 * may have bound that thread to one core and its other threads to others (OMP_PROC_BIND): then the process has all of
 * OpenMP's places.
 *
 * hwloc's component gl looks for X servers and for that resolves "localhost", which takes seconds per display where no
 * name can be resolved. It is left out here and in StarPU (start.c). */
#include "scheduler/runtime/context.h"
#include "scheduler/runtime/machine.h"
#include "scheduler/runtime/quota.h"

#include <hwloc.h>
#include <limits.h>
#ifdef STARFISH_CUDA
#include <hwloc/cudart.h>
#endif
#include <omp.h>
#include <stdlib.h>

#ifdef STARPU_SIMGRID

/* ---- A simulated machine: what was recorded of it; no core is any other's neighbour ------------------------------ */

void starfish_topology_count(int *cores, int *numa_nodes)
{
    const struct starfish_machine *machine = starfish_machine_named();
    *cores = machine ? machine->cores : 1;
    *numa_nodes = machine ? machine->numa_nodes : 1;
}

void starfish_topology_look(void) {}

void starfish_topology_machine(int *units, int *cores)
{
    *units = *cores = INT_MAX;
}

int starfish_topology_can_read(const char *file)
{
    (void)file;
    return 1;
}

int starfish_topology_is_restricted(void)
{
    return 0;
}

int starfish_topology_quota(void)
{
    return 0;
}

size_t starfish_topology_cores(int *unit, size_t most)
{
    int cores, numa_nodes;
    starfish_topology_count(&cores, &numa_nodes);
    const size_t count = (size_t)cores < most ? (size_t)cores : most;
    for (size_t i = 0; i < count; i++)
        unit[i] = (int)i;
    return count;
}

void starfish_topology_bind(int unit)
{
    (void)unit;
}

void *starfish_topology_binding(void)
{
    return NULL;
}

void starfish_topology_bind_again(void *binding)
{
    (void)binding;
}

int starfish_topology_numa_of_core(int core)
{
    (void)core;
    return -1;
}

int starfish_topology_numa_of_gpu(int device)
{
    (void)device;
    return -1;
}

#else

/* ---- This machine ------------------------------------------------------------------------------------------------ */

static hwloc_topology_t load(void)
{
    hwloc_topology_t topology;
    if (hwloc_topology_init(&topology) != 0)
        return NULL;
    hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
    hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "gl");
    if (hwloc_topology_load(topology) != 0) {
        hwloc_topology_destroy(topology);
        return NULL;
    }
    return topology;
}

/* The topology does not change while a process runs: loaded once, kept to the end. */
static hwloc_topology_t topology_once;
static void load_once(void)
{
    topology_once = load();
}

static hwloc_topology_t topology(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load_once);
    return topology_once;
}

/* ---- What the process may use ------------------------------------------------------------------------------------ */

static pthread_mutex_t allowed_lock = PTHREAD_MUTEX_INITIALIZER;
static hwloc_bitmap_t allowed; /* processing units, by the system's numbers; NULL: not found yet, or unknown */

static void add_places(hwloc_bitmap_t units)
{
    const int places = omp_get_proc_bind() != omp_proc_bind_false ? omp_get_num_places() : 0;
    for (int place = 0; place < places; place++) {
        const int count = omp_get_place_num_procs(place);
        int *number = count > 0 ? malloc((size_t)count * sizeof *number) : NULL;
        if (!number)
            continue;
        omp_get_place_proc_ids(place, number);
        for (int i = 0; i < count; i++)
            hwloc_bitmap_set(units, (unsigned)number[i]);
        free(number);
    }
}

void starfish_topology_look(void)
{
    hwloc_topology_t machine = topology();
    hwloc_bitmap_t units = machine ? hwloc_bitmap_alloc() : NULL;
    if (units && hwloc_get_cpubind(machine, units, HWLOC_CPUBIND_THREAD) != 0) {
        hwloc_bitmap_free(units);
        units = NULL;
    }
    if (units && hwloc_topology_is_thissystem(machine))
        add_places(units);
    pthread_mutex_lock(&allowed_lock);
    hwloc_bitmap_free(allowed);
    allowed = units;
    pthread_mutex_unlock(&allowed_lock);
}

/* The first processing unit of a core that may be used; NULL: none, or none in `units`. */
static hwloc_obj_t unit_of_core(hwloc_topology_t machine, hwloc_obj_t core, hwloc_const_bitmap_t units)
{
    for (hwloc_obj_t unit = NULL;
         (unit = hwloc_get_next_obj_inside_cpuset_by_type(machine, core->cpuset, HWLOC_OBJ_PU, unit));)
        if (!units || hwloc_bitmap_isset(units, unit->os_index))
            return unit;
    return NULL;
}

/* The units of cores into unit[0..most-1], unless NULL; how many there are, at most `most`. */
static size_t list_cores(int *unit, size_t most)
{
    hwloc_topology_t machine = topology();
    pthread_mutex_lock(&allowed_lock);
    const int known = allowed != NULL;
    pthread_mutex_unlock(&allowed_lock);
    if (!known)
        starfish_topology_look();
    size_t count = 0;
    pthread_mutex_lock(&allowed_lock);
    for (hwloc_obj_t core = NULL;
         machine && count < most && (core = hwloc_get_next_obj_by_type(machine, HWLOC_OBJ_CORE, core));) {
        const hwloc_obj_t first = unit_of_core(machine, core, allowed);
        if (first && unit)
            unit[count] = (int)first->logical_index;
        count += first != NULL;
    }
    pthread_mutex_unlock(&allowed_lock);
    return count;
}

static int cores_of_machine(void)
{
    hwloc_topology_t machine = topology();
    return machine ? hwloc_get_nbobjs_by_type(machine, HWLOC_OBJ_CORE) : 1;
}

void starfish_topology_count(int *cores, int *numa_nodes)
{
    hwloc_topology_t machine = topology();
    *cores = (int)list_cores(NULL, SIZE_MAX);
    *numa_nodes = machine ? hwloc_get_nbobjs_by_type(machine, HWLOC_OBJ_NUMANODE) : 1;
    if (*cores < 1)
        *cores = 1;
    if (*numa_nodes < 1)
        *numa_nodes = 1;
}

void starfish_topology_machine(int *units, int *cores)
{
    hwloc_topology_t machine = topology();
    *units = machine ? hwloc_get_nbobjs_by_type(machine, HWLOC_OBJ_PU) : 0;
    *cores = machine ? cores_of_machine() : 0;
    if (*cores < 1) /* some systems report processing units only */
        *cores = *units;
}

int starfish_topology_can_read(const char *file)
{
    hwloc_topology_t read;
    if (hwloc_topology_init(&read) != 0)
        return 0;
    const int good = hwloc_topology_set_xml(read, file) == 0 && hwloc_topology_load(read) == 0;
    hwloc_topology_destroy(read);
    return good;
}

int starfish_topology_is_restricted(void)
{
    int cores, numa_nodes;
    starfish_topology_count(&cores, &numa_nodes);
    return cores < cores_of_machine();
}

int starfish_topology_quota(void)
{
    return starfish_quota_cores("/proc/self/cgroup", "/sys/fs/cgroup");
}

size_t starfish_topology_cores(int *unit, size_t most)
{
    return list_cores(unit, most);
}

void starfish_topology_bind(int unit)
{
    hwloc_topology_t machine = topology();
    hwloc_obj_t place = machine && unit >= 0 ? hwloc_get_obj_by_type(machine, HWLOC_OBJ_PU, (unsigned)unit) : NULL;
    if (place)
        hwloc_set_cpubind(machine, place->cpuset, HWLOC_CPUBIND_THREAD);
}

void *starfish_topology_binding(void)
{
    hwloc_topology_t machine = topology();
    hwloc_bitmap_t binding = machine ? hwloc_bitmap_alloc() : NULL;
    if (binding && hwloc_get_cpubind(machine, binding, HWLOC_CPUBIND_THREAD) == 0)
        return binding;
    hwloc_bitmap_free(binding);
    return NULL;
}

void starfish_topology_bind_again(void *binding)
{
    if (binding)
        hwloc_set_cpubind(topology(), binding, HWLOC_CPUBIND_THREAD);
    hwloc_bitmap_free(binding);
}

static int numa_of_cpuset(hwloc_const_cpuset_t set)
{
    hwloc_topology_t machine = topology();
    for (hwloc_obj_t node = NULL; (node = hwloc_get_next_obj_by_type(machine, HWLOC_OBJ_NUMANODE, node));)
        if (hwloc_bitmap_intersects(node->cpuset, set))
            return (int)node->os_index;
    return -1;
}

/* `core` is StarPU's binding: a logical processing unit. */
int starfish_topology_numa_of_core(int core)
{
    hwloc_topology_t machine = topology();
    hwloc_obj_t unit = machine && core >= 0 ? hwloc_get_obj_by_type(machine, HWLOC_OBJ_PU, (unsigned)core) : NULL;
    return unit ? numa_of_cpuset(unit->cpuset) : -1;
}

int starfish_topology_numa_of_gpu(int device)
{
#ifdef STARFISH_HAVE_GPU
    hwloc_topology_t machine = topology();
    if (!machine || device < 0)
        return -1;
    hwloc_bitmap_t set = hwloc_bitmap_alloc();
    int numa = set && hwloc_cudart_get_device_cpuset(machine, device, set) == 0 ? numa_of_cpuset(set) : -1;
    hwloc_bitmap_free(set);
    return numa;
#else
    (void)device;
    return -1;
#endif
}

#endif

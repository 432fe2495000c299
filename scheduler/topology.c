/* Where cores, NUMA nodes and GPUs are, by hwloc. */
#include "scheduler/context.h"
#include "scheduler/machine.h"

#include <hwloc.h>
#ifdef STARFISH_CUDA
#include <hwloc/cudart.h>
#endif

#ifdef STARPU_SIMGRID

/* ---- A simulated machine: what was recorded of it; no core is any other's neighbour ------------------------------ */

void starfish_topology_count(int *cores, int *numa_nodes)
{
    const struct starfish_machine *machine = starfish_machine_named();
    *cores = machine ? machine->cores : 1;
    *numa_nodes = machine ? machine->numa_nodes : 1;
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

void starfish_topology_count(int *cores, int *numa_nodes)
{
    hwloc_topology_t machine = topology();
    *cores = machine ? hwloc_get_nbobjs_by_type(machine, HWLOC_OBJ_CORE) : 1;
    *numa_nodes = machine ? hwloc_get_nbobjs_by_type(machine, HWLOC_OBJ_NUMANODE) : 1;
    if (*cores < 1)
        *cores = 1;
    if (*numa_nodes < 1)
        *numa_nodes = 1;
}

size_t starfish_topology_cores(int *unit, size_t most)
{
    hwloc_topology_t machine = topology();
    size_t count = 0;
    for (hwloc_obj_t core = NULL;
         machine && count < most && (core = hwloc_get_next_obj_by_type(machine, HWLOC_OBJ_CORE, core));) {
        hwloc_obj_t first = hwloc_get_obj_inside_cpuset_by_type(machine, core->cpuset, HWLOC_OBJ_PU, 0);
        if (first)
            unit[count++] = (int)first->logical_index;
    }
    return count;
}

void starfish_topology_bind(int unit)
{
    hwloc_topology_t machine = topology();
    hwloc_obj_t place = machine && unit >= 0 ? hwloc_get_obj_by_type(machine, HWLOC_OBJ_PU, (unsigned)unit) : NULL;
    if (place)
        hwloc_set_cpubind(machine, place->cpuset, HWLOC_CPUBIND_THREAD);
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

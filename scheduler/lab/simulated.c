/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Durations of tasks on a simulated machine (simulated.h): the samples of StarPU's models, or estimates, with random
 * deviations. */
#include "scheduler/lab/simulated.h"

#ifdef STARPU_SIMGRID

#include "scheduler/lab/estimate.h"
#include "scheduler/runtime/machine.h"
#include "scheduler/runtime/task.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_SYMBOLS = 256 }; /* codelets, on each kind of worker */

/* SimGrid runs one thread at a time and changes it only where StarPU is called, so that these need no lock. */
static struct starfish_sample_set recorded[MOST_SYMBOLS];
static size_t recorded_count;
static struct starfish_recorded_counts counts;

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static void copy_samples(struct starfish_sample_set *entry, const struct starpu_perfmodel_history_list *list)
{
    size_t count = 0;
    for (const struct starpu_perfmodel_history_list *at = list; at; at = at->next)
        count++;
    entry->room = count > 0 ? count : 1;
    entry->sample = malloc(entry->room * sizeof *entry->sample);
    for (const struct starpu_perfmodel_history_list *at = list; entry->sample && at; at = at->next)
        if (at->entry->nsample > 0 && at->entry->mean > 0)
            entry->sample[entry->count++] = (struct starfish_sample){.footprint = at->entry->footprint,
                                                                     .bytes = (double)at->entry->size,
                                                                     .microseconds = at->entry->mean,
                                                                     .deviation = at->entry->deviation};
}

static void read_samples(struct starfish_sample_set *entry, struct starpu_perfmodel_arch *arch)
{
    struct starpu_perfmodel model = {.type = STARPU_HISTORY_BASED};
    if (starpu_perfmodel_load_symbol(entry->symbol, &model) != 0)
        return;
    const struct starpu_perfmodel_per_arch *per_arch = starpu_perfmodel_get_model_per_arch(&model, arch, 0);
    if (per_arch)
        copy_samples(entry, per_arch->list);
    starpu_perfmodel_unload_model(&model);
}

/* NULL when there are too many symbols. */
static struct starfish_sample_set *recorded_of(const char *symbol, struct starpu_perfmodel_arch *arch)
{
    const enum starpu_worker_archtype type = arch->devices[0].type;
    for (size_t i = 0; i < recorded_count; i++)
        if (recorded[i].symbol == symbol && recorded[i].type == (int)type)
            return &recorded[i];
    if (recorded_count == MOST_SYMBOLS)
        return NULL;
    struct starfish_sample_set entry = {.symbol = symbol, .type = (int)type, .on_cores = type == STARPU_CPU_WORKER};
    read_samples(&entry, arch);
    if (recorded_count == MOST_SYMBOLS) /* StarPU was called: others have run meanwhile */
        return NULL;
    recorded[recorded_count] = entry;
    return &recorded[recorded_count++];
}

/* ---- looking up -------------------------------------------------------------------------------------------------- */

static double bytes_of(struct starpu_task *task)
{
    double bytes = 0;
    for (unsigned i = 0; i < STARPU_TASK_GET_NBUFFERS(task); i++)
        bytes += (double)starpu_data_get_size(STARPU_TASK_GET_HANDLE(task, i));
    return bytes;
}

/* The sample of that task. On a GPU also of the same task beside teams of another size; NULL when there is none. */
static const struct starfish_sample *exactly(const struct starfish_sample_set *entry, uint32_t footprint)
{
    const struct starfish_sample *alike = NULL;
    for (size_t i = 0; i < entry->count; i++) {
        const struct starfish_sample *sample = &entry->sample[i];
        if (sample->footprint == footprint)
            return sample;
        if (!sample->is_estimate && !entry->on_cores &&
            starfish_footprint_hash(sample->footprint) == starfish_footprint_hash(footprint))
            alike = sample;
    }
    return alike;
}

/* Number `draw` of a series of random numbers from 0 to 1: splitmix64 (Steele, Lea, Flood 2014). */
static double uniform(uint64_t draw)
{
    uint64_t mixed = (draw + 1) * 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
    mixed ^= mixed >> 31;
    return ((double)(mixed >> 11) + 0.5) / 9007199254740992.0;
}

/* Of a normal distribution, by Box and Muller, without its far ends: StarPU leaves out samples that are far from the
 * mean. */
static double normal(uint64_t draw)
{
    const double value = sqrt(-2 * log(uniform(2 * draw))) * cos(6.283185307179586 * uniform(2 * draw + 1));
    return fmax(-2, fmin(value, 2.5));
}

/* The duration of a task that runs now; the expected duration of others. */
static double length_by(const struct starfish_sample *sample, struct starpu_task *task)
{
    if (task->status != STARPU_TASK_RUNNING)
        return sample->microseconds;
    counts.run++;
    counts.far += (size_t)sample->is_far;
    const struct starfish_task_header *header = task->cl_arg;
    const double length = sample->microseconds + sample->deviation * normal(header->draw);
    return fmax(length, 0.25 * sample->microseconds);
}

static void keep(struct starfish_sample_set *entry, const struct starfish_sample *made)
{
    if (entry->count == entry->room) {
        struct starfish_sample *larger = realloc(entry->sample, 2 * entry->room * sizeof *larger);
        if (!larger)
            return;
        entry->sample = larger;
        entry->room *= 2;
    }
    entry->sample[entry->count++] = *made;
}

static double length_of(struct starpu_task *task, struct starpu_perfmodel_arch *arch, int *is_estimate)
{
    struct starfish_sample_set *entry = recorded_of(task->cl->model->symbol, arch);
    const uint32_t footprint = starfish_task_footprint(task);
    *is_estimate = 0;
    const struct starfish_sample *exact = entry ? exactly(entry, footprint) : NULL;
    if (exact) {
        *is_estimate = exact->is_estimate;
        return length_by(exact, task);
    }
    const double bytes = bytes_of(task);
    if (!entry || !starfish_closest_sample(entry, footprint, bytes))
        return (double)NAN;
    *is_estimate = 1;
    const struct starfish_task_header *header = task->cl_arg;
    const struct starfish_sample made = starfish_estimate(entry, footprint, bytes, header->growth);
    keep(entry, &made);
    return length_by(&made, task);
}

/* GPUs of a derived machine may be faster or slower than the recorded ones. */
static double speed_of(const struct starpu_perfmodel_arch *arch)
{
    const struct starfish_machine *machine = starfish_machine_named();
    return machine && machine->gpu_speed > 0 && arch->devices[0].type != STARPU_CPU_WORKER ? machine->gpu_speed : 1;
}

/* What the recording's own solves took beside their simulation, of the workers that there are. */
static struct starfish_correction correction_here(void)
{
    const struct starfish_machine *machine = starfish_machine_named();
    const unsigned cores = starpu_cpu_worker_get_count(), gpus = starpu_cuda_worker_get_count();
    const enum starfish_worker_set alone = cores > 1 ? STARFISH_SET_CORES : STARFISH_SET_TEAM;
    const enum starfish_worker_set beside = cores > 0 ? STARFISH_SET_ALL : STARFISH_SET_GPUS;
    return machine ? machine->correction[gpus > 0 ? beside : alone] : (struct starfish_correction){0, 0};
}

/* The recorded times of a task that uses all cores are of just that, and need no correction. */
static double factor_of(const struct starpu_task *task, const struct starpu_perfmodel_arch *arch)
{
    const struct starfish_task_header *header = task->cl_arg;
    const double factor = correction_here().factor;
    return factor > 0 && arch->devices[0].type == STARPU_CPU_WORKER && !header->uses_all_cores ? factor : 1;
}

void starfish_recorded_begin(void)
{
    const double seconds = correction_here().seconds;
    if (seconds > 0)
        starpu_sleep((float)seconds);
}

/* A policy with models evaluates every worker before it assigns a task, and tasks that become ready together are
 * assigned one after the other. Between steps of short tasks that is most of the time. */
static void take_time_to_choose(struct starpu_task *task)
{
    const struct starfish_machine *machine = starfish_machine_named();
    struct starfish_task_header *header = task->cl_arg;
    if (task->status == STARPU_TASK_RUNNING || header->chosen || starpu_worker_get_id() < 0 || !machine)
        return;
    header->chosen = 1;
    starpu_sleep((float)machine->choosing * (float)starpu_worker_get_count());
}

double starfish_recorded_length(struct starpu_task *task, struct starpu_perfmodel_arch *arch, unsigned implementation)
{
    int is_estimate;
    (void)implementation;
    take_time_to_choose(task);
    return length_of(task, arch, &is_estimate) * factor_of(task, arch) / speed_of(arch);
}

int starfish_recorded_is_known(struct starpu_task *task, unsigned worker)
{
    enum { FAR = 16 };
    const struct starfish_sample_set *entry =
        recorded_of(task->cl->model->symbol, starpu_worker_get_perf_archtype((int)worker, 0));
    const double bytes = bytes_of(task);
    const struct starfish_sample *like =
        entry ? starfish_closest_sample(entry, starfish_task_footprint(task), bytes) : NULL;
    return like && starfish_sample_distance(like, bytes) < log(FAR);
}

static int knows_on(const struct starpu_codelet *codelet, const struct starfish_context *context, size_t worker)
{
    const struct starfish_sample_set *entry =
        recorded_of(codelet->model->symbol, starpu_worker_get_perf_archtype(context->worker[worker], 0));
    for (size_t i = 0; entry && i < entry->count; i++)
        if (!entry->sample[i].is_estimate &&
            (!entry->on_cores || starfish_sample_team(entry, entry->sample[i].footprint) == context->team[worker].size))
            return 1;
    return 0;
}

int starfish_recorded_knows(const struct starpu_codelet *codelet, const struct starfish_context *context,
                            starfish_worker_kind kind)
{
    for (size_t i = 0; i < context->workers; i++)
        if (starfish_context_worker_kind(context, i) == kind)
            return knows_on(codelet, context, i);
    return 0;
}

starfish_status starfish_recorded_check(struct starpu_task *task)
{
    int any_estimate = 0;
    for (unsigned worker = 0; worker < starpu_worker_get_count(); worker++) {
        struct starpu_perfmodel_arch *arch = starpu_worker_get_perf_archtype((int)worker, 0);
        int is_estimate;
        if (!(task->where & (int32_t)STARPU_WORKER_TO_MASK(starpu_worker_get_type((int)worker))))
            continue;
        STARFISH_FAIL_IF(!(length_of(task, arch, &is_estimate) > 0), STARFISH_ERROR_UNSUPPORTED,
                         "machine %s: no time of %s on a %s has been recorded", starfish_machine_named()->name,
                         task->cl->name, starpu_worker_get_type((int)worker) == STARPU_CPU_WORKER ? "core" : "GPU");
        any_estimate |= is_estimate;
    }
    counts.estimated += (size_t)any_estimate;
    ((struct starfish_task_header *)task->cl_arg)->draw = counts.submitted++;
    return STARFISH_SUCCESS;
}

struct starfish_recorded_counts starfish_recorded_count(void)
{
    return counts;
}

#else

struct starfish_recorded_counts starfish_recorded_count(void)
{
    return (struct starfish_recorded_counts){0, 0, 0, 0};
}

#endif

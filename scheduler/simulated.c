/* Lengths of tasks on a simulated machine. */
#include "scheduler/simulated.h"

#ifdef STARPU_SIMGRID

#include "scheduler/machine.h"
#include "scheduler/sizes.h"
#include "scheduler/task.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_SYMBOLS = 256 }; /* codelets, on each kind of worker */

struct sample {
    uint32_t footprint;
    double bytes, microseconds, deviation;
    int is_estimate; /* of a task that was not recorded, kept since policies ask for it again and again */
};

/* What was recorded of one codelet on one kind of worker; copied, since StarPU numbers its architectures anew in every
 * context. */
struct recorded {
    const char *symbol; /* the codelet's own */
    enum starpu_worker_archtype type;
    size_t count, room;
    struct sample *sample;
};

/* SimGrid runs one thread at a time and changes it only where StarPU is called, so that these need no lock. */
static struct recorded recorded[MOST_SYMBOLS];
static size_t recorded_count;
static size_t estimated_tasks, all_tasks;

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static void copy_samples(struct recorded *entry, const struct starpu_perfmodel_history_list *list)
{
    size_t count = 0;
    for (const struct starpu_perfmodel_history_list *at = list; at; at = at->next)
        count++;
    entry->room = count > 0 ? count : 1;
    entry->sample = malloc(entry->room * sizeof *entry->sample);
    for (const struct starpu_perfmodel_history_list *at = list; entry->sample && at; at = at->next)
        if (at->entry->nsample > 0 && at->entry->mean > 0)
            entry->sample[entry->count++] = (struct sample){.footprint = at->entry->footprint,
                                                            .bytes = (double)at->entry->size,
                                                            .microseconds = at->entry->mean,
                                                            .deviation = at->entry->deviation};
}

static void read_samples(struct recorded *entry, struct starpu_perfmodel_arch *arch)
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
static struct recorded *recorded_of(const char *symbol, struct starpu_perfmodel_arch *arch)
{
    const enum starpu_worker_archtype type = arch->devices[0].type;
    for (size_t i = 0; i < recorded_count; i++)
        if (recorded[i].symbol == symbol && recorded[i].type == type)
            return &recorded[i];
    if (recorded_count == MOST_SYMBOLS)
        return NULL;
    struct recorded entry = {.symbol = symbol, .type = type};
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

static double apart(const struct sample *sample, double bytes)
{
    return fabs(log((sample->bytes + 1) / (bytes + 1)));
}

/* The cores of the team that a task's time depends on: on a GPU it depends on none. */
static unsigned team_of(const struct recorded *entry, uint32_t footprint)
{
    return entry->type == STARPU_CPU_WORKER ? starfish_footprint_cores(footprint) : 0;
}

/* The sample of that task. On a GPU also of the same task beside teams of another size; NULL when there is none. */
static const struct sample *exactly(const struct recorded *entry, uint32_t footprint)
{
    const struct sample *alike = NULL;
    for (size_t i = 0; i < entry->count; i++) {
        const struct sample *sample = &entry->sample[i];
        if (sample->footprint == footprint)
            return sample;
        if (!sample->is_estimate && entry->type != STARPU_CPU_WORKER &&
            starfish_footprint_hash(sample->footprint) == starfish_footprint_hash(footprint))
            alike = sample;
    }
    return alike;
}

/* The same number of cores comes before the size. NULL when there is none. */
static const struct sample *closest(const struct recorded *entry, uint32_t footprint, double bytes)
{
    const struct sample *best = NULL;
    for (size_t i = 0; i < entry->count; i++) {
        const struct sample *sample = &entry->sample[i];
        if (sample->is_estimate)
            continue;
        const int fits = team_of(entry, sample->footprint) == team_of(entry, footprint);
        const int best_fits = best && team_of(entry, best->footprint) == team_of(entry, footprint);
        if (!best || fits > best_fits || (fits == best_fits && apart(sample, bytes) < apart(best, bytes)))
            best = sample;
    }
    return best;
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

/* Of a task that is running now, how long it takes; of others, how long they can be expected to. */
static double length_by(const struct sample *sample, struct starpu_task *task)
{
    if (task->status != STARPU_TASK_RUNNING)
        return sample->microseconds;
    const struct starfish_task_header *header = task->cl_arg;
    const double length = sample->microseconds + sample->deviation * normal(header->draw);
    return fmax(length, 0.25 * sample->microseconds);
}

/* ---- tasks that were not recorded -------------------------------------------------------------------------------- */

enum { KINDS = 8 }; /* a number of a task that is less than this is a kind, or small */

/* The largest prime factor of what may be the length of a transform, on which its time depends too; from 13 on all are
 * alike. */
static double hardness_of(size_t length)
{
    size_t most = 2;
    for (size_t factor = 2; factor < 13 && length > 1; factor++)
        for (; length % factor == 0; length /= factor)
            most = factor;
    return length > 1 ? 13 : (double)most;
}

/* Of two numbers of tasks: those that stand for a kind, such as a precision or a direction, are equal or far apart;
 * sizes by the square of their ratio's logarithm. */
static double unlike_numbers(size_t here, size_t there)
{
    enum { MOST_LENGTH = 8192 };
    const double ratio = log(((double)here + 1) / ((double)there + 1));
    if (here < KINDS && there < KINDS)
        return (here != there) * 3.0;
    if (here < KINDS || there < KINDS || here > MOST_LENGTH || there > MOST_LENGTH)
        return ratio * ratio;
    const double harder = log(hardness_of(here) / hardness_of(there));
    return ratio * ratio + harder * harder;
}

/* How unlike the task a sample is. Numbers that one of them has beyond the other's count as 0 there, since codelets
 * leave out the last ones where they are 0. Of a sample without numbers any may differ. */
static double unlikeness(const struct sample *sample, const struct starfish_sizes *sizes, double bytes)
{
    const struct starfish_sizes *there = sizes ? starfish_sizes_of(sample->footprint, sizes->count) : NULL;
    double sum = apart(sample, bytes) * apart(sample, bytes);
    if (sizes && !there)
        there = starfish_sizes_of(sample->footprint, 0);
    if (!there)
        return sum + (sizes ? 3.0 * (double)sizes->count : 0);
    for (size_t i = 0; i < sizes->count || i < there->count; i++)
        sum += unlike_numbers(i < sizes->count ? sizes->value[i] : 0, i < there->count ? there->value[i] : 0);
    return sum;
}

/* Sums of a fit of log(time) = a + b log(bytes / those of the task) by least squares with weights. */
struct fit {
    double weight, x, y, xx, xy, deviation;
};

static void add_to_fit(struct fit *fit, double weight, double x, double y, double deviation)
{
    fit->weight += weight;
    fit->x += weight * x;
    fit->y += weight * y;
    fit->xx += weight * x * x;
    fit->xy += weight * x * y;
    fit->deviation += weight * deviation;
}

/* exp(a). Times grow with the bytes but for what the sizes nearby show: b is drawn towards 1, and is not below 0. */
static double value_of_fit(const struct fit *fit)
{
    const double draw = 0.02, x = fit->x / fit->weight, y = fit->y / fit->weight;
    const double xx = fit->xx / fit->weight - x * x, xy = fit->xy / fit->weight - x * y;
    const double b = fmax(0, fmin((xy + draw) / (xx + draw), 1.5));
    return exp(y - b * x);
}

/* The bytes of the largest recorded task on as many cores. */
static double most_bytes(const struct recorded *entry, uint32_t footprint)
{
    double most = 0;
    for (size_t i = 0; i < entry->count; i++)
        if (!entry->sample[i].is_estimate && team_of(entry, entry->sample[i].footprint) == team_of(entry, footprint))
            most = fmax(most, entry->sample[i].bytes);
    return most;
}

/* Is every number that stands for a kind the same, and every size in `small` at most that in `large`? One of at least
 * four sizes may be larger, such as a number of entries. */
static int is_within(const struct starfish_sizes *small, const struct starfish_sizes *large)
{
    size_t sizes = 0, against = 0;
    for (size_t i = 0; i < small->count; i++) {
        const size_t a = small->value[i], b = large->value[i];
        if ((a < KINDS || b < KINDS) && a != b)
            return 0;
        sizes += a >= KINDS;
        against += a > b;
    }
    return 4 * against <= sizes;
}

/* The product of the sizes, but of those that shrink from one task to another. */
static double volume_of(const struct starfish_sizes *sizes, const struct starfish_sizes *from,
                        const struct starfish_sizes *to)
{
    double volume = 1;
    for (size_t i = 0; i < sizes->count; i++)
        if (sizes->value[i] >= KINDS && from->value[i] <= to->value[i])
            volume *= (double)sizes->value[i];
    return volume;
}

/* Recorded tasks next to a task, one that its sizes contain, and one that contains them; NULL: there is none. */
struct bounds {
    const struct sample *low, *high;
};

static int is_closer(const struct starfish_sizes *there, const struct sample *best, int above)
{
    const struct starfish_sizes *other = best ? starfish_sizes_of(best->footprint, there->count) : NULL;
    return !other || (volume_of(there, there, there) < volume_of(other, other, other)) == above;
}

static struct bounds bounds_of(const struct recorded *entry, uint32_t footprint, const struct starfish_sizes *sizes)
{
    struct bounds bounds = {NULL, NULL};
    for (size_t i = 0; i < entry->count; i++) {
        const struct sample *sample = &entry->sample[i];
        const struct starfish_sizes *there = starfish_sizes_of(sample->footprint, sizes->count);
        if (sample->is_estimate || !there || team_of(entry, sample->footprint) != team_of(entry, footprint))
            continue;
        const double ratio = volume_of(there, there, there) / volume_of(sizes, sizes, sizes);
        if (ratio < 1 && is_within(there, sizes) && is_closer(there, bounds.low, 0))
            bounds.low = sample;
        if (ratio > 1 && is_within(sizes, there) && is_closer(there, bounds.high, 1))
            bounds.high = sample;
    }
    return bounds;
}

/* Bytes are no measure of a task that has fewer than a recorded one of smaller sizes, as small grids of finite elements
 * may, whose matrices of several steps are made up to some size. Its time is then between those of the tasks that are
 * smaller and larger by their sizes, by these. 0: bytes are a measure of it. */
static double by_sizes(const struct recorded *entry, uint32_t footprint, double bytes)
{
    const struct starfish_sizes *sizes = starfish_sizes_of(footprint, 0);
    const struct bounds bounds = sizes ? bounds_of(entry, footprint, sizes) : (struct bounds){NULL, NULL};
    if (!bounds.low || bytes >= bounds.low->bytes)
        return 0;
    const struct starfish_sizes *low = starfish_sizes_of(bounds.low->footprint, sizes->count);
    const double growth = volume_of(sizes, low, sizes) / volume_of(low, low, sizes);
    if (!bounds.high)
        return bounds.low->microseconds;
    const struct starfish_sizes *high = starfish_sizes_of(bounds.high->footprint, sizes->count);
    const double whole = volume_of(high, low, sizes) / volume_of(low, low, sizes);
    const double ratio = bounds.high->microseconds / bounds.low->microseconds;
    return bounds.low->microseconds * (whole > growth ? pow(ratio, log(growth) / log(whole)) : 1);
}

static size_t number_at(const struct starfish_sizes *sizes, size_t i)
{
    return sizes && i < sizes->count ? sizes->value[i] : 0;
}

/* Of a codelet's tasks, which numbers stand for kinds: operations, levels, precisions. They are small in all tasks. */
static void find_kinds(const struct recorded *entry, const struct starfish_sizes *sizes,
                       int is_kind[STARFISH_SIZES_MOST])
{
    enum { MOST_KIND = 20 };
    for (size_t i = 0; i < STARFISH_SIZES_MOST; i++)
        is_kind[i] = number_at(sizes, i) <= MOST_KIND;
    for (size_t s = 0; s < entry->count; s++)
        for (size_t i = 0; i < STARFISH_SIZES_MOST; i++)
            is_kind[i] &= number_at(starfish_sizes_of(entry->sample[s].footprint, 0), i) <= MOST_KIND;
}

static int is_of_kind(const struct sample *sample, const struct starfish_sizes *sizes,
                      const int is_kind[STARFISH_SIZES_MOST])
{
    const struct starfish_sizes *there = starfish_sizes_of(sample->footprint, 0);
    for (size_t i = 0; there && i < STARFISH_SIZES_MOST; i++)
        if (is_kind[i] && number_at(sizes, i) != number_at(there, i))
            return 0;
    return there != NULL;
}

/* On cores, where operations on the same bytes differ by more than on GPUs, the tasks of the same kinds tell all where
 * there are two sizes of them. NULL: all tasks count. */
static const int *kinds_that_count(const struct recorded *entry, uint32_t like, const struct starfish_sizes *sizes,
                                   int is_kind[STARFISH_SIZES_MOST])
{
    double least = HUGE_VAL, most = 0;
    if (entry->type != STARPU_CPU_WORKER || !sizes)
        return NULL;
    find_kinds(entry, sizes, is_kind);
    for (size_t i = 0; i < entry->count; i++) {
        const struct sample *sample = &entry->sample[i];
        if (!sample->is_estimate && team_of(entry, sample->footprint) == team_of(entry, like) &&
            is_of_kind(sample, sizes, is_kind)) {
            least = fmin(least, sample->bytes);
            most = fmax(most, sample->bytes);
        }
    }
    return most > 1.1 * least ? is_kind : NULL;
}

/* Of a task that was not recorded, from all that were of its codelet, those most that are most like it. Beyond the
 * largest of these, times grow as the bytes do. */
static struct sample estimate(const struct recorded *entry, uint32_t footprint, double bytes)
{
    int is_kind[STARFISH_SIZES_MOST];
    const struct starfish_sizes *sizes = starfish_sizes_of(footprint, 0);
    const struct sample *like = closest(entry, footprint, bytes);
    const int *kinds = kinds_that_count(entry, like->footprint, sizes, is_kind);
    const double inside = fmin(bytes, most_bytes(entry, like->footprint)), beyond = bytes / fmax(inside, 1);
    struct fit fit = {.weight = 0};
    for (size_t i = 0; i < entry->count; i++) {
        const struct sample *sample = &entry->sample[i];
        const unsigned there = team_of(entry, sample->footprint), here = team_of(entry, footprint);
        /* Other teams count where there are no others. */
        if (sample->is_estimate || there != team_of(entry, like->footprint) ||
            (kinds && !is_of_kind(sample, sizes, kinds)))
            continue;
        const double teams = here > 0 ? (double)there / here : 1, far = unlikeness(sample, sizes, inside) + 0.01;
        const double x = log((sample->bytes + 1) / (inside + 1));
        /* Of a task of other than some ten times the bytes nothing can be learnt about how times grow here. */
        add_to_fit(&fit, exp(-x * x / 8) / (far * far), x, log(sample->microseconds * teams),
                   sample->deviation / sample->microseconds);
    }
    const double sized = by_sizes(entry, footprint, bytes);
    const double microseconds = sized > 0 ? sized : value_of_fit(&fit) * fmax(beyond, 1);
    return (struct sample){.footprint = footprint,
                           .bytes = bytes,
                           .microseconds = microseconds,
                           .deviation = microseconds * fit.deviation / fit.weight,
                           .is_estimate = 1};
}

static void keep(struct recorded *entry, const struct sample *made)
{
    if (entry->count == entry->room) {
        struct sample *larger = realloc(entry->sample, 2 * entry->room * sizeof *larger);
        if (!larger)
            return;
        entry->sample = larger;
        entry->room *= 2;
    }
    entry->sample[entry->count++] = *made;
}

static double length_of(struct starpu_task *task, struct starpu_perfmodel_arch *arch, int *is_estimate)
{
    struct recorded *entry = recorded_of(task->cl->model->symbol, arch);
    const uint32_t footprint = starfish_task_footprint(task);
    *is_estimate = 0;
    const struct sample *exact = entry ? exactly(entry, footprint) : NULL;
    if (exact) {
        *is_estimate = exact->is_estimate;
        return length_by(exact, task);
    }
    const double bytes = bytes_of(task);
    if (!entry || !closest(entry, footprint, bytes))
        return (double)NAN;
    *is_estimate = 1;
    const struct sample made = estimate(entry, footprint, bytes);
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

/* A policy with models looks at every worker before it gives a task to one, and a task that has made others possible
 * gives them one after the other: between steps of short tasks that is most of the time. */
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
    const struct recorded *entry =
        recorded_of(task->cl->model->symbol, starpu_worker_get_perf_archtype((int)worker, 0));
    const double bytes = bytes_of(task);
    const struct sample *like = entry ? closest(entry, starfish_task_footprint(task), bytes) : NULL;
    return like && apart(like, bytes) < log(FAR);
}

static int knows_on(const struct starpu_codelet *codelet, const struct starfish_context *context, size_t worker)
{
    const struct recorded *entry =
        recorded_of(codelet->model->symbol, starpu_worker_get_perf_archtype(context->worker[worker], 0));
    for (size_t i = 0; entry && i < entry->count; i++)
        if (!entry->sample[i].is_estimate && (entry->type != STARPU_CPU_WORKER ||
                                              team_of(entry, entry->sample[i].footprint) == context->team[worker].size))
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
        if (!(length_of(task, arch, &is_estimate) > 0))
            return starfish_fail(STARFISH_ERROR_UNSUPPORTED, "machine %s: no time of %s on a %s has been recorded",
                                 starfish_machine_named()->name, task->cl->name,
                                 starpu_worker_get_type((int)worker) == STARPU_CPU_WORKER ? "core" : "GPU");
        any_estimate |= is_estimate;
    }
    estimated_tasks += (size_t)any_estimate;
    ((struct starfish_task_header *)task->cl_arg)->draw = all_tasks++;
    return STARFISH_SUCCESS;
}

void starfish_recorded_count(size_t *estimated, size_t *all)
{
    *estimated = estimated_tasks;
    *all = all_tasks;
}

#else

int starfish_recorded_knows(const struct starpu_codelet *codelet, const struct starfish_context *context,
                            starfish_worker_kind kind)
{
    (void)codelet, (void)context, (void)kind;
    return 1;
}

void starfish_recorded_count(size_t *estimated, size_t *all)
{
    *estimated = *all = 0;
}

#endif

int starfish_recorded_knows_everywhere(const struct starpu_codelet *codelet, const struct starfish_context *context)
{
    for (int kind = 0; kind < STARFISH_WORKER_KINDS; kind++)
        if (context->workers_of[kind] > 0 && !starfish_recorded_knows(codelet, context, (starfish_worker_kind)kind))
            return 0;
    return 1;
}

/* Tasks: a cut vector collected in one array, and spread from it. Bound by the links between the memories. */
#include "codelets/collect.h"

#include "base/real.h"

struct arguments {
    struct starfish_task_header header;
    starfish_precision precision;
    const struct starfish_space *cut; /* the space of the cut vector */
    size_t first, parts;              /* the parts that this task copies */
    int spreads;
    struct starfish_access whole, part[STARFISH_SPACE_MOST_PARTS];
};

/* Elements of a part: in the cut vector behind its first row, in the whole one behind the rows of the parts before. */
static int copy_part(const struct starfish_place *place, void *buffers[], const struct arguments *a, size_t part)
{
    const size_t size = starfish_real_size(a->precision), start = a->cut->first[1][part] * a->cut->n[0];
    const size_t count = starfish_space_part_size(a->cut, part);
    char *piece = starfish_vector_here(buffers, &a->part[part], a->precision);
    char *whole = (char *)starfish_vector_here(buffers, &a->whole, a->precision) + start * size;

    if (!a->cut->local)
        piece += start * size;
    TRY_LAUNCH(starfish_place_copy(place, a->spreads ? piece : whole, a->spreads ? whole : piece, count));
    return a->spreads ? starfish_vector_publish(place, buffers, &a->part[part]) : 0;
}

static int copy_all(const struct starfish_place *place, void *buffers[], const struct arguments *a)
{
    for (size_t part = a->first; part < a->first + a->parts; part++)
        TRY_LAUNCH(copy_part(place, buffers, a, part));
    return 0;
}

static void collect_cpu(void *buffers[], void *data)
{
    const struct arguments *a = data;
    const struct starfish_place place = {a->precision, 0, NULL, NULL};

    copy_all(&place, buffers, a);
}

#ifdef STARFISH_HAVE_GPU
static void collect_cuda(void *buffers[], void *data)
{
    const struct arguments *a = data;
    const struct starfish_place place = {a->precision, 1, starpu_cuda_get_local_stream(), NULL};

    starfish_task_check(&a->header, "collect", copy_all(&place, buffers, a));
}
#endif

#define spread_cpu collect_cpu
#define spread_cuda collect_cuda
STARFISH_CODELET(collect, "collect", 0x8888aa);
STARFISH_CODELET(spread, "spread", 0xaa88aa);

static struct starfish_extent whole_of(const struct starfish_vector *vector)
{
    return (struct starfish_extent){0, (ptrdiff_t)vector->space->n[0], 0, (ptrdiff_t)vector->space->n[1], 0};
}

static void attach_part(struct starfish_task *task, struct arguments *a, const struct starfish_vector *vector,
                        size_t part, enum starpu_data_access_mode mode)
{
    const struct starfish_extent extent = starfish_part_extent(vector->space, part);

    a->part[part] = starfish_vector_attach(task, vector, part, &extent, mode);
}

static void set_footprint(struct arguments *a, size_t count)
{
    const size_t sizes[] = {a->precision, a->parts, count};

    a->header.footprint = starfish_footprint_of(sizes, sizeof sizes / sizeof sizes[0]);
}

starfish_status starfish_submit_collect(const struct starfish_algebra *algebra, const struct starfish_vector *from,
                                        const struct starfish_vector *to)
{
    const struct starfish_extent whole = whole_of(to);
    struct starfish_task task;
    struct arguments a = {.precision = to->precision, .cut = from->space, .parts = from->space->parts[1]};

    starfish_task_begin(&task, &collect_codelet, algebra->progress, algebra->phase);
    starfish_task_of_owner(&task, to->space, 0, algebra->where);
    for (size_t part = 0; part < a.parts; part++)
        attach_part(&task, &a, from, part, STARPU_R);
    a.whole = starfish_vector_attach(&task, to, 0, &whole, STARPU_W);
    set_footprint(&a, to->space->n[0] * to->space->n[1]);
    return starfish_task_submit(&task, &a, sizeof a);
}

starfish_status starfish_submit_spread(const struct starfish_algebra *algebra, const struct starfish_vector *from,
                                       const struct starfish_vector *to)
{
    const struct starfish_extent whole = whole_of(from);

    for (size_t part = 0; part < to->space->parts[1]; part++) {
        struct starfish_task task;
        struct arguments a = {.precision = to->precision, .cut = to->space, .first = part, .parts = 1, .spreads = 1};
        starfish_task_begin(&task, &spread_codelet, algebra->progress, algebra->phase);
        starfish_task_of_owner(&task, to->space, part, algebra->where);
        a.whole = starfish_vector_attach(&task, from, 0, &whole, STARPU_R);
        attach_part(&task, &a, to, part, STARPU_W);
        set_footprint(&a, starfish_space_part_size(to->space, part));
        STARFISH_TRY(starfish_task_submit(&task, &a, sizeof a));
    }
    return STARFISH_SUCCESS;
}

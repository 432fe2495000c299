/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The sections of Gmsh's files, in formats 2.2 and 4.1 (gmsh.h): groups, entities, nodes and elements, checked as they
 * are read. */
#include "apps/files/gmsh.h"

#include "apps/files/gmsh_mesh.h"
#include "apps/files/gmsh_text.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIMENSIONS = 4, MOST_GROUPS_OF_ENTITY = 64 };

/* Format 4.1: the groups of an entity. */
struct entity {
    int dimension;
    long tag;
    size_t count;
    int group[MOST_GROUPS_OF_ENTITY];
};

struct reader {
    struct starfish_gmsh_text text;
    struct starfish_gmsh_raw raw;
    int version; /* 2 or 4; 0: not known yet */
    size_t entities;
    struct entity *entity;
    size_t last_group, last_entity; /* found: mostly it is the next one to be looked for too, or the one behind it */
    int has_nodes, has_elements;
};

/* ---- Groups ------------------------------------------------------------------------------------------------------ */

/* The index of a group, which is new when it is met first. Numbers are negative where a side is turned round. */
static starfish_status group_of(struct reader *r, int dimension, int number, int *index)
{
    struct starfish_gmsh_raw *raw = &r->raw;
    const int positive = abs(number);

    for (size_t k = 0; k < raw->groups; ++k) {
        const size_t at = (r->last_group + k) % raw->groups;
        if (raw->group[at].dimension == dimension && raw->group[at].number == positive) {
            r->last_group = at;
            *index = (int)at;
            return STARFISH_SUCCESS;
        }
    }
    struct starfish_gmsh_group *more = realloc(raw->group, (raw->groups + 1) * sizeof *more);
    STARFISH_FAIL_IF(!more, STARFISH_ERROR_MEMORY, "%s: out of memory", r->text.path);
    raw->group = more;
    *index = (int)raw->groups;
    more[raw->groups++] = (struct starfish_gmsh_group){.dimension = dimension, .number = positive};
    return STARFISH_SUCCESS;
}

/* A name in quotes, which may have spaces in it. */
static starfish_status read_name(struct reader *r, char name[STARFISH_GMSH_NAME])
{
    struct starfish_gmsh_text *t = &r->text;

    while (t->at < t->size && t->text[t->at] != '"' && t->text[t->at] != '\n')
        t->at++;
    const char *first = t->text + t->at + 1,
               *end = t->at < t->size && t->text[t->at] == '"' ? strchr(first, '"') : NULL;
    STARFISH_GMSH_COMPLAIN_IF(!end || memchr(first, '\n', (size_t)(end - first)), t,
                              "$PhysicalNames: a name must be in quotes");
    snprintf(name, STARFISH_GMSH_NAME, "%.*s",
             (int)(end - first < STARFISH_GMSH_NAME ? end - first : STARFISH_GMSH_NAME - 1), first);
    t->at = (size_t)(end - t->text) + 1;
    return STARFISH_SUCCESS;
}

static starfish_status read_names(struct reader *r)
{
    size_t count;

    STARFISH_TRY(starfish_gmsh_count(&r->text, "the number of names", &count));
    for (size_t i = 0; i < count; ++i) {
        int dimension, number, group;
        STARFISH_TRY(starfish_gmsh_int(&r->text, "a dimension", 0, &dimension));
        STARFISH_TRY(starfish_gmsh_int(&r->text, "the number of a group", -INT_MAX, &number));
        STARFISH_TRY(group_of(r, dimension, number, &group));
        STARFISH_TRY(read_name(r, r->raw.group[group].name));
    }
    return STARFISH_SUCCESS;
}

/* ---- Format 4.1: entities ---------------------------------------------------------------------------------------- */

static starfish_status skip_integers(struct reader *r, const char *what, size_t count)
{
    long ignored;

    for (size_t i = 0; i < count; ++i)
        STARFISH_TRY(starfish_gmsh_integer(&r->text, what, LONG_MIN, &ignored));
    return STARFISH_SUCCESS;
}

static starfish_status begin_entity(struct reader *r, int dimension)
{
    struct entity *entity = &r->entity[r->entities++];

    *entity = (struct entity){.dimension = dimension};
    return starfish_gmsh_integer(&r->text, "the tag of an entity", LONG_MIN, &entity->tag);
}

/* Extent, groups and ends of the last entity. */
static starfish_status end_entity(struct reader *r)
{
    struct entity *entity = &r->entity[r->entities - 1];
    const int coordinates = entity->dimension == 0 ? 3 : 6;
    double ignored;
    size_t count;

    for (int i = 0; i < coordinates; ++i)
        STARFISH_TRY(starfish_gmsh_real(&r->text, "a coordinate", &ignored));
    STARFISH_TRY(starfish_gmsh_count(&r->text, "the number of an entity's groups", &entity->count));
    STARFISH_GMSH_COMPLAIN_IF(entity->count > MOST_GROUPS_OF_ENTITY, &r->text,
                              "an entity is in %zu groups, more than %d", entity->count, MOST_GROUPS_OF_ENTITY);
    for (size_t i = 0; i < entity->count; ++i) {
        int number;
        STARFISH_TRY(starfish_gmsh_int(&r->text, "the number of a group", -INT_MAX, &number));
        STARFISH_TRY(group_of(r, entity->dimension, number, &entity->group[i]));
    }
    if (entity->dimension == 0)
        return STARFISH_SUCCESS;
    STARFISH_TRY(starfish_gmsh_count(&r->text, "the number of an entity's ends", &count));
    return skip_integers(r, "the tag of an entity", count);
}

static starfish_status read_entity(struct reader *r, int dimension)
{
    STARFISH_TRY(begin_entity(r, dimension));
    return end_entity(r);
}

/* A part of an entity that was cut for several processes: the entity's dimension and tag, and the partitions. */
static starfish_status read_part(struct reader *r, int dimension)
{
    size_t partitions;

    STARFISH_TRY(begin_entity(r, dimension));
    STARFISH_TRY(skip_integers(r, "the tag of an entity", 2));
    STARFISH_TRY(starfish_gmsh_count(&r->text, "the number of an entity's partitions", &partitions));
    STARFISH_TRY(skip_integers(r, "a partition", partitions));
    return end_entity(r);
}

/* Of all dimensions, each by `read`, behind those that are there. */
static starfish_status add_entities(struct reader *r, starfish_status (*read)(struct reader *r, int dimension))
{
    size_t count[DIMENSIONS], all = r->entities;

    for (int d = 0; d < DIMENSIONS; ++d) {
        STARFISH_TRY(starfish_gmsh_count(&r->text, "the number of entities", &count[d]));
        all += count[d];
    }
    struct entity *more = realloc(r->entity, (all + 1) * sizeof *more);
    STARFISH_FAIL_IF(!more, STARFISH_ERROR_MEMORY, "%s: out of memory", r->text.path);
    r->entity = more;
    for (int d = 0; d < DIMENSIONS; ++d)
        for (size_t i = 0; i < count[d]; ++i)
            STARFISH_TRY(read(r, d));
    return STARFISH_SUCCESS;
}

static starfish_status read_entities(struct reader *r)
{
    STARFISH_GMSH_COMPLAIN_IF(r->version != 4 || r->entity, &r->text, "$Entities does not belong here");
    return add_entities(r, read_entity);
}

/* Of a mesh that was cut for several processes the elements lie on the parts. Ghosts are cells that are there too. */
static starfish_status read_parts(struct reader *r)
{
    size_t ghosts;

    STARFISH_GMSH_COMPLAIN_IF(r->version != 4, &r->text, "$PartitionedEntities does not belong here");
    STARFISH_TRY(skip_integers(r, "the number of partitions", 1));
    STARFISH_TRY(starfish_gmsh_count(&r->text, "the number of ghosts", &ghosts));
    STARFISH_TRY(skip_integers(r, "a ghost", 2 * ghosts));
    return add_entities(r, read_part);
}

/* ---- Nodes ------------------------------------------------------------------------------------------------------- */

static starfish_status make_nodes(struct reader *r, size_t count)
{
    STARFISH_GMSH_COMPLAIN_IF(r->has_nodes, &r->text, "$Nodes is there twice");
    STARFISH_GMSH_COMPLAIN_IF(count > INT_MAX, &r->text, "$Nodes: more than %d nodes", INT_MAX);
    r->has_nodes = 1;
    r->raw.nodes = count;
    r->raw.number = calloc(count + 1, sizeof *r->raw.number);
    r->raw.point = calloc(3 * count + 1, sizeof *r->raw.point);
    STARFISH_FAIL_IF(!r->raw.number || !r->raw.point, STARFISH_ERROR_MEMORY, "%s: out of memory", r->text.path);
    return STARFISH_SUCCESS;
}

static starfish_status read_point(struct reader *r, size_t node)
{
    for (size_t i = 0; i < 3; ++i)
        STARFISH_TRY(starfish_gmsh_real(&r->text, "a coordinate", &r->raw.point[3 * node + i]));
    return STARFISH_SUCCESS;
}

static starfish_status read_nodes_2(struct reader *r)
{
    size_t count;

    STARFISH_TRY(starfish_gmsh_count(&r->text, "the number of nodes", &count));
    STARFISH_TRY(make_nodes(r, count));
    for (size_t n = 0; n < count; ++n) {
        STARFISH_TRY(starfish_gmsh_integer(&r->text, "the number of a node", 0, &r->raw.number[n]));
        STARFISH_TRY(read_point(r, n));
    }
    return STARFISH_SUCCESS;
}

/* The head of a block: dimension and tag of its entity, how many follow, and whether nodes have parameters, or of which
 * type elements are. */
struct block {
    int dimension, is;
    long tag;
    size_t count;
};

static starfish_status read_block(struct reader *r, const char *what, struct block *block)
{
    STARFISH_TRY(starfish_gmsh_int(&r->text, "the dimension of a block", 0, &block->dimension));
    STARFISH_TRY(starfish_gmsh_integer(&r->text, "the tag of an entity", LONG_MIN, &block->tag));
    STARFISH_TRY(starfish_gmsh_int(&r->text, what, 0, &block->is));
    return starfish_gmsh_count(&r->text, "the size of a block", &block->count);
}

static starfish_status read_node_block(struct reader *r, size_t *done)
{
    struct block block;

    STARFISH_TRY(read_block(r, "whether there are parameters", &block));
    const size_t count = block.count;
    STARFISH_GMSH_COMPLAIN_IF(count > r->raw.nodes - *done, &r->text,
                              "$Nodes: more nodes than the %zu that it begins with", r->raw.nodes);
    for (size_t n = 0; n < count; ++n)
        STARFISH_TRY(starfish_gmsh_integer(&r->text, "the number of a node", 0, &r->raw.number[*done + n]));
    for (size_t n = 0; n < count; ++n) {
        double parameter;
        STARFISH_TRY(read_point(r, *done + n));
        for (int p = 0; block.is != 0 && p < block.dimension; ++p)
            STARFISH_TRY(starfish_gmsh_real(&r->text, "a parameter", &parameter));
    }
    *done += count;
    return STARFISH_SUCCESS;
}

/* Blocks, of what has such a number, each by `read`; `begin` is called before the first one, with the sum of all. */
static starfish_status read_blocks(struct reader *r, const char *what, const char *number,
                                   starfish_status (*begin)(struct reader *r, size_t count),
                                   starfish_status (*read)(struct reader *r, size_t *done))
{
    size_t blocks, count, done = 0;
    long ignored;

    STARFISH_TRY(starfish_gmsh_count(&r->text, "the number of blocks", &blocks));
    STARFISH_TRY(starfish_gmsh_count(&r->text, what, &count));
    for (int i = 0; i < 2; ++i)
        STARFISH_TRY(starfish_gmsh_integer(&r->text, number, 0, &ignored));
    STARFISH_TRY(begin ? begin(r, count) : STARFISH_SUCCESS);
    for (size_t b = 0; b < blocks; ++b)
        STARFISH_TRY(read(r, &done));
    STARFISH_GMSH_COMPLAIN_IF(done != count, &r->text, "%s: %zu %s of %zu", r->text.section, done,
                              what + strlen("the number of "), count);
    return STARFISH_SUCCESS;
}

/* ---- Elements ---------------------------------------------------------------------------------------------------- */

static void *grown(void *array, size_t needed, size_t *room, size_t size)
{
    if (needed <= *room)
        return array;
    *room = 2 * needed + 64;
    return realloc(array, *room * size);
}

static starfish_status add_element(struct reader *r, const struct starfish_gmsh_element *element)
{
    struct starfish_gmsh_raw *raw = &r->raw;
    struct starfish_gmsh_element *more = grown(raw->element, raw->elements + 1, &raw->element_room, sizeof *more);

    STARFISH_FAIL_IF(!more, STARFISH_ERROR_MEMORY, "%s: out of memory", r->text.path);
    raw->element = more;
    more[raw->elements++] = *element;
    return STARFISH_SUCCESS;
}

/* The nodes of an element, at the end of all. */
static starfish_status read_element_nodes(struct reader *r, long number, int type, size_t *first)
{
    struct starfish_gmsh_raw *raw = &r->raw;
    const struct starfish_gmsh_type *known = starfish_gmsh_type(type);

    STARFISH_GMSH_COMPLAIN_IF(!known, &r->text,
                              "element %ld has type %d: only quadrilaterals of 4 or 9 nodes, hexahedra of 8 or "
                              "27, and what lies on them are read",
                              number, type);
    long *more = grown(raw->node, raw->element_nodes + (size_t)known->nodes, &raw->node_room, sizeof *more);
    STARFISH_FAIL_IF(!more, STARFISH_ERROR_MEMORY, "%s: out of memory", r->text.path);
    raw->node = more;
    *first = raw->element_nodes;
    for (int n = 0; n < known->nodes; ++n)
        STARFISH_TRY(starfish_gmsh_integer(&r->text, "a node of an element", 0, &raw->node[raw->element_nodes++]));
    return STARFISH_SUCCESS;
}

static starfish_status read_element_2(struct reader *r)
{
    long number;
    int tag, group = 0;
    size_t tags;
    struct starfish_gmsh_element element = {.group = -1};

    STARFISH_TRY(starfish_gmsh_integer(&r->text, "the number of an element", 0, &number));
    STARFISH_TRY(starfish_gmsh_int(&r->text, "the type of an element", 0, &element.type));
    STARFISH_TRY(starfish_gmsh_count(&r->text, "the number of an element's tags", &tags));
    for (size_t i = 0; i < tags; ++i) {
        STARFISH_TRY(starfish_gmsh_int(&r->text, "a tag of an element", -INT_MAX, &tag));
        group = i == 0 ? tag : group;
    }
    element.number = number;
    STARFISH_TRY(read_element_nodes(r, number, element.type, &element.node));
    if (group != 0)
        STARFISH_TRY(group_of(r, starfish_gmsh_type(element.type)->dimension, group, &element.group));
    return add_element(r, &element);
}

static starfish_status read_elements_2(struct reader *r)
{
    size_t count;

    STARFISH_TRY(starfish_gmsh_count(&r->text, "the number of elements", &count));
    for (size_t e = 0; e < count; ++e)
        STARFISH_TRY(read_element_2(r));
    return STARFISH_SUCCESS;
}

static const struct entity *find_entity(struct reader *r, long dimension, long tag)
{
    for (size_t k = 0; k < r->entities; ++k) {
        const struct entity *entity = &r->entity[(r->last_entity + k) % r->entities];
        if (entity->dimension == dimension && entity->tag == tag) {
            r->last_entity = (size_t)(entity - r->entity);
            return entity;
        }
    }
    return NULL;
}

static starfish_status read_element_block(struct reader *r, size_t *done)
{
    struct block block;

    STARFISH_TRY(read_block(r, "the type of elements", &block));
    const struct entity *entity = find_entity(r, block.dimension, block.tag);
    for (size_t e = 0; e < block.count; ++e) {
        struct starfish_gmsh_element element = {.type = block.is, .group = -1};
        STARFISH_TRY(starfish_gmsh_integer(&r->text, "the number of an element", 0, &element.number));
        STARFISH_TRY(read_element_nodes(r, element.number, element.type, &element.node));
        const size_t groups = entity ? entity->count : 0;
        for (size_t g = 0; g < (groups > 0 ? groups : 1); ++g) {
            element.group = groups > 0 ? entity->group[g] : -1;
            STARFISH_TRY(add_element(r, &element));
        }
    }
    *done += block.count;
    return STARFISH_SUCCESS;
}

/* ---- Sections ---------------------------------------------------------------------------------------------------- */

static starfish_status read_format(struct reader *r)
{
    double version;
    long binary, size;

    STARFISH_TRY(starfish_gmsh_real(&r->text, "the version", &version));
    STARFISH_TRY(starfish_gmsh_integer(&r->text, "the type of the file", 0, &binary));
    STARFISH_TRY(starfish_gmsh_integer(&r->text, "the size of reals", 0, &size));
    STARFISH_GMSH_COMPLAIN_IF(binary != 0, &r->text, "the file is binary: only ASCII is read");
    r->version = version > 4.05 && version < 4.15 ? 4 : version > 1.95 && version < 2.25 ? 2 : 0;
    return r->version ? STARFISH_SUCCESS
                      : starfish_gmsh_complain(&r->text, "format %g: only 2.2 and 4.1 are read", version);
}

static starfish_status read_nodes(struct reader *r)
{
    return r->version == 4 ? read_blocks(r, "the number of nodes", "the number of a node", make_nodes, read_node_block)
                           : read_nodes_2(r);
}

static starfish_status read_elements(struct reader *r)
{
    r->has_elements = 1;
    return r->version == 4
               ? read_blocks(r, "the number of elements", "the number of an element", NULL, read_element_block)
               : read_elements_2(r);
}

static const struct section {
    const char *name, *end;
    starfish_status (*read)(struct reader *r);
} sections[] = {{"$MeshFormat", "$EndMeshFormat", read_format},
                {"$PhysicalNames", "$EndPhysicalNames", read_names},
                {"$Entities", "$EndEntities", read_entities},
                {"$PartitionedEntities", "$EndPartitionedEntities", read_parts},
                {"$Nodes", "$EndNodes", read_nodes},
                {"$Elements", "$EndElements", read_elements}};
enum { SECTIONS = sizeof sections / sizeof sections[0] };

/* Sections without which there is no mesh, but which are not read, and how to get a file without them. */
static const char *const not_read[][2] = {
    {"$ParametricNodes", "save the mesh with Mesh.SaveParametric = 0, or in format 4.1, whose parameters are skipped"},
    {"$NOD", "save the mesh in format 2.2 or 4.1 (gmsh -save -format msh41)"}};
enum { NOT_READ = sizeof not_read / sizeof not_read[0] };

static int is_word(const char *name, const char *word, size_t length)
{
    return strlen(name) == length && strncmp(name, word, length) == 0;
}

/* To the end of a section that says nothing of a mesh. */
static starfish_status skip(struct reader *r, const char *name, size_t length)
{
    char end[80];
    size_t size;
    const char *word;

    snprintf(end, sizeof end, "$End%.*s", (int)(length < 60 ? length - 1 : 60), name + 1);
    while ((word = starfish_gmsh_word(&r->text, &size)))
        if (is_word(end, word, size))
            return STARFISH_SUCCESS;
    return starfish_gmsh_complain(&r->text, "the file ends before %s: it is truncated", end);
}

static starfish_status read_section(struct reader *r, const char *name, size_t length)
{
    STARFISH_GMSH_COMPLAIN_IF(name[0] != '$', &r->text, "'%.*s' where a section should begin",
                              (int)(length < 40 ? length : 40), name);
    for (int i = 0; i < SECTIONS; ++i)
        if (is_word(sections[i].name, name, length)) {
            STARFISH_GMSH_COMPLAIN_IF(i > 0 && !r->version, &r->text, "%s before $MeshFormat", sections[i].name);
            r->text.section = sections[i].name;
            STARFISH_TRY(sections[i].read(r));
            return starfish_gmsh_expect(&r->text, sections[i].end);
        }
    for (int i = 0; i < NOT_READ; ++i)
        STARFISH_GMSH_COMPLAIN_IF(is_word(not_read[i][0], name, length), &r->text, "section %s is not read: %s",
                                  not_read[i][0], not_read[i][1]);
    return skip(r, name, length);
}

static starfish_status read_sections(struct reader *r)
{
    const char *name;
    size_t length;

    STARFISH_TRY(starfish_gmsh_text_open(r->text.path, &r->text));
    while ((name = starfish_gmsh_word(&r->text, &length)))
        STARFISH_TRY(read_section(r, name, length));
    STARFISH_GMSH_COMPLAIN_IF(!r->version || !r->has_nodes || !r->has_elements, &r->text,
                              "the file has no %s: it is no mesh of Gmsh's, or truncated",
                              !r->version     ? "$MeshFormat"
                              : !r->has_nodes ? "$Nodes"
                                              : "$Elements");
    return STARFISH_SUCCESS;
}

starfish_status starfish_gmsh_read(const char *path, struct starfish_gmsh *gmsh)
{
    struct reader r = {.text = {.path = path}};

    memset(gmsh, 0, sizeof *gmsh);
    starfish_status status = read_sections(&r);
    STARFISH_THEN(status, starfish_gmsh_make(path, &r.raw, gmsh));
    free(r.text.text);
    free(r.entity);
    free(r.raw.number);
    free(r.raw.point);
    free(r.raw.element);
    free(r.raw.node);
    free(r.raw.group);
    if (status != STARFISH_SUCCESS)
        starfish_gmsh_free(gmsh);
    return status;
}

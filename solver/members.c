/* Where the elements of a member lie, and how many of them count. */
#include "solver/kinds.h"

#include <starfish/poisson.h>

const char *const starfish_end_names[] = {
    [STARFISH_PERIODIC] = "periodic", [STARFISH_DIRICHLET] = "dirichlet", [STARFISH_NEUMANN] = "neumann"};

size_t starfish_member_size(const struct starfish_member *member)
{
    static const size_t size[STARFISH_MEMBER_TYPES] = {
        [STARFISH_MEMBER_INT] = sizeof(int),        [STARFISH_MEMBER_SWITCH] = sizeof(int),
        [STARFISH_MEMBER_SIZE] = sizeof(size_t),    [STARFISH_MEMBER_REAL] = sizeof(double),
        [STARFISH_MEMBER_LONG] = sizeof(long long), [STARFISH_MEMBER_BYTE] = sizeof(unsigned char),
        [STARFISH_MEMBER_POINTER] = sizeof(void *)};

    return member->type == STARFISH_MEMBER_STRUCT ? member->table->size : size[member->type];
}

const void *starfish_member_data(const struct starfish_member *member, const void *in)
{
    const char *at = (const char *)in + member->offset;

    return member->shape ? *(const void *const *)(const void *)at : at;
}

struct starfish_elements starfish_member_elements(const struct starfish_member *member, const void *in,
                                                  const void *around)
{
    if (member->elements)
        return member->elements(in, around);
    return starfish_elements_of(member->shape ? 1 : member->bytes / starfish_member_size(member));
}

const struct starfish_problem_row *starfish_problem_row(size_t index, const struct starfish_kind **kind)
{
    for (size_t k = 0; starfish_kinds[k]; k++)
        for (const struct starfish_problem_row *row = starfish_kinds[k]->problems; row && row->name; row++)
            if (index-- == 0) {
                *kind = starfish_kinds[k];
                return row;
            }
    return NULL;
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where the elements of a member lie, and how many of them count. */
#include "solver/members.h"

#include <starfish/poisson.h>
#include <string.h>

const char *const starfish_end_names[] = {
    [STARFISH_PERIODIC] = "periodic", [STARFISH_DIRICHLET] = "dirichlet", [STARFISH_NEUMANN] = "neumann",
    [STARFISH_ROBIN] = "robin",       [STARFISH_END_AXIS] = "axis",       [STARFISH_END_POLE] = "pole",
    [STARFISH_END_CENTRE] = "centre"};

starfish_status starfish_problem_take(const void *problem, void *own, size_t bytes)
{
    enum { LARGEST_STRUCT = 4096 }; /* bytes: more are no struct's, and its tail is not looked at */
    size_t size;

    STARFISH_NEED(problem, "problem");
    memcpy(&size, problem, sizeof size);
    STARFISH_REFUSE_IF(size != 0 && (size < bytes || size > LARGEST_STRUCT || size % sizeof size != 0),
                       "problem.size is %zu, no size of a version's struct: set it to 0, or to the struct's sizeof",
                       size);
    for (size_t byte = bytes; byte < size; byte++)
        STARFISH_FAIL_IF(((const unsigned char *)problem)[byte] != 0, STARFISH_ERROR_UNSUPPORTED,
                         "problem.size is %zu, not %zu: this library is older than the program, and byte %zu is "
                         "not zero: it belongs to a member that the library does not know",
                         size, bytes, byte);
    memcpy(own, problem, bytes);
    memcpy(own, &bytes, sizeof bytes);
    return STARFISH_SUCCESS;
}

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

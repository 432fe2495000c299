/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Algebra of whole vectors (algebra.h): one task per part, which the tasks of neighbouring parts do not wait for. */
#include "tasks/algebra.h"

starfish_status starfish_algebra_update(const struct starfish_algebra *algebra, const struct starfish_vector *u,
                                        const struct starfish_factor *factor, const struct starfish_vector *correction,
                                        const struct starfish_vector *v)
{
    for (size_t part = 0; part < v->space->parts[1]; part++)
        STARFISH_TRY(starfish_submit_update(algebra, part, u, factor, correction, v));
    return STARFISH_SUCCESS;
}

starfish_status starfish_algebra_product(const struct starfish_algebra *algebra, const struct starfish_vector *u,
                                         const struct starfish_vector *v, const struct starfish_sums *sums)
{
    for (size_t part = 0; part < v->space->parts[1]; part++)
        STARFISH_TRY(starfish_submit_product(algebra, part, u, v, sums->part[part].handle));
    return STARFISH_SUCCESS;
}

starfish_status starfish_algebra_convert(const struct starfish_algebra *algebra, const struct starfish_factor *factor,
                                         int adds, const struct starfish_vector *from, const struct starfish_vector *to)
{
    for (size_t part = 0; part < to->space->parts[1]; part++)
        STARFISH_TRY(starfish_submit_convert(algebra, part, factor, adds, from, to));
    return STARFISH_SUCCESS;
}

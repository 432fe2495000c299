/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Algebra of whole vectors: a task per part of their space (codelets/vectors.h). */
#ifndef STARFISH_TASKS_ALGEBRA_H
#define STARFISH_TASKS_ALGEBRA_H

#include "codelets/scalars.h"

/* v = u + factor * correction; u NULL: zero; correction NULL: v = u, also between layouts. v may be u or the
 * correction; where the factor is 0 the correction may be anything. */
starfish_status starfish_algebra_update(const struct starfish_algebra *algebra, const struct starfish_vector *u,
                                        const struct starfish_factor *factor, const struct starfish_vector *correction,
                                        const struct starfish_vector *v);
/* The inner product of u and v. */
starfish_status starfish_algebra_product(const struct starfish_algebra *algebra, const struct starfish_vector *u,
                                         const struct starfish_vector *v, const struct starfish_sums *sums);
/* to = factor * from, or += where `adds`, between f64 and f32. */
starfish_status starfish_algebra_convert(const struct starfish_algebra *algebra, const struct starfish_factor *factor,
                                         int adds, const struct starfish_vector *from,
                                         const struct starfish_vector *to);

#endif

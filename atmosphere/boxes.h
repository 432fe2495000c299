/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cut of flat domains into boxes of columns, by option or where runs of rows are not possible. */
#ifndef STARFISH_ATMOSPHERE_BOXES_H
#define STARFISH_ATMOSPHERE_BOXES_H

#include "atmosphere/plan.h"

/* `cut` points into the struct, which must stay where it is. */
struct starfish_atmosphere_boxes {
    struct starfish_flat_cut cut; /* no parts: none are wanted, or possible */
    struct starfish_owner owner[STARFISH_KRYLOV_MOST_PARTS];
    int owners;  /* ranks */
    int any_gpu; /* of any rank */
};

/* By options.parts and options.boxes. On one rank where options.boxes asks for them: for its GPUs, and for its cores
 * where there are more boxes than GPUs, or no GPU; without options.parts as many as there are GPUs, or cores, and as
 * there are enough rows of columns for. On several also where y is periodic, whose ends runs of rows cannot
 * join, where ranks are more than MOST_RUNS of boxes.c, or there are too few rows for all. Collective. Errors: ARGUMENT
 * (parts are no multiple of boxes, or more than there are columns, or not the panels of a sphere, which always are its
 * six boxes), MEMORY, RUNTIME. */
starfish_status starfish_atmosphere_cut(starfish_context *context, const struct starfish_atmosphere_options *options,
                                        const struct starfish_atmosphere_problem *problem,
                                        struct starfish_atmosphere_boxes *boxes);

#endif

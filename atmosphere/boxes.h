/* How flat domains are cut into boxes of columns: who asks for them, or where runs of rows do not do. */
#ifndef STARFISH_ATMOSPHERE_BOXES_H
#define STARFISH_ATMOSPHERE_BOXES_H

#include "atmosphere/plan.h"

/* `cut` points into the struct, which must stay where it is. */
struct starfish_atmosphere_boxes {
    struct starfish_flat_cut cut; /* no parts: none are wanted, or possible */
    struct starfish_owner owner[STARFISH_SPACE_MOST_PARTS];
    int owners;  /* ranks */
    int any_gpu; /* of any rank */
};

/* So many boxes, `across` of them in x: of one process, for its GPUs, and for its cores where there are more boxes than
 * GPUs, or no GPU. parts 0: as many as there are GPUs, or cores, and as ny rows of columns are enough for. Error:
 * ARGUMENT (no multiple). */
starfish_status starfish_atmosphere_cut_alone(const starfish_context *context, size_t parts, size_t across, size_t ny,
                                              struct starfish_atmosphere_boxes *boxes);
/* On one rank where options.boxes asks for them. On several also where y is periodic, whose ends runs of rows cannot
 * join, where ranks are more than MOST_RUNS of boxes.c, or there are too few rows for all. Collective. Errors: ARGUMENT
 * (parts are no multiple of boxes, or more than there are columns, or not the panels of a sphere, which always are its
 * six boxes), MEMORY, RUNTIME. */
starfish_status starfish_atmosphere_cut(const struct starfish_atmosphere_plan *plan,
                                        const struct starfish_atmosphere_problem *problem,
                                        struct starfish_atmosphere_boxes *boxes);

#endif

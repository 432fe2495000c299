/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Phases of a direct solve, among which its time is divided: a task belongs to one, and its activities may to
 * others. */
#ifndef STARFISH_CODELETS_PHASES_H
#define STARFISH_CODELETS_PHASES_H

enum starfish_phase {
    STARFISH_PHASE_FORWARD,    /* transforms of the right-hand side */
    STARFISH_PHASE_MODES,      /* the systems of the modes */
    STARFISH_PHASE_BACKWARD,   /* transforms to the solution */
    STARFISH_PHASE_REFINEMENT, /* what is between two solves */
    STARFISH_PHASE_RESIDUAL,
    STARFISH_PHASES
};

#endif

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Chains, sums and rows of block cyclic reduction on the cores of a team (scheduler/runtime/team.h), inside a task on a
 * CPU worker. */
#ifndef STARFISH_CODELETS_REDUCTION_TEAM_H
#define STARFISH_CODELETS_REDUCTION_TEAM_H

#include "base/place.h"
#include "blktri/kernels/rows.h"
#include "scheduler/runtime/context.h"
#include "tridiag/kernels/shifted_sums.h"
#include "tridiag/kernels/tridiag.h"

/* Bytes of work space for each core of the team; vectors: of a chain's batch, groups: of a sum's. */
size_t starfish_team_chain_workspace(size_t n, size_t lanes, size_t vectors, int periodic, size_t element_size);
size_t starfish_team_sums_workspace(size_t n, size_t lanes, size_t groups, int periodic, size_t element_size);

/* As the kernels for one core, with that work space times the cores of the team. The cores share vectors or groups,
 * where these are few lanes, if there are enough; a few groups of a few lanes are shared by their roots, and what the
 * cores have summed is added in the order of the cores. */
void starfish_team_chain(const struct starfish_context *context, starfish_precision precision,
                         const struct starfish_tridiag_chain *chain);
void starfish_team_sums(const struct starfish_context *context, starfish_precision precision,
                        const struct starfish_shifted_sums *sums);
/* Rows, as their kernel moves them. */
void starfish_team_rows(const struct starfish_context *context, starfish_precision precision,
                        const struct starfish_rows *rows, enum starfish_rows_operation operation);
/* The same at a place: on a GPU the kernel. Returns a cudaError_t, 0 on cores. */
int starfish_rows_at(const struct starfish_place *place, const struct starfish_context *context,
                     const struct starfish_rows *rows, enum starfish_rows_operation operation);

#endif

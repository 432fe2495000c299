/* The third kind of grids on a context: one part, and three parts for each of some sets of owners. Returns how many
 * checks failed. */
#ifndef STARFISH_TESTS_MULTIGRID_CSR_CASES_H
#define STARFISH_TESTS_MULTIGRID_CSR_CASES_H

#include "tests/multigrid/csr_kind.h"

int test_csr_kind_on(starfish_context *context, const struct starfish_owner owners[][TEST_CSR_PARTS], size_t sets);

#endif

/* Rows of approximate inverses on a core, one after the other. */
#include "sparse/kernels/local_inverse.h"

#include <math.h>

#define LOCAL_FUNCTION static
#define LANE 0
#define LANES 1
#define WAIT() (void)0
#include "sparse/kernels/local_inverse_row.h"

void starfish_local_inverse_cpu(const struct starfish_local_inverse *a)
{
    for (size_t row = a->first; row < a->last; row++)
        local_row(a, row, a->work);
}

/* The method multigrid on cores. */
#include "tests/poisson/multigrid.h"

int main(void)
{
    return test_poisson_multigrid("cores", -1, 0);
}

#include "tests/poisson/direct.h"

int main(void)
{
    return test_direct_solvers("cpu", -1, 0);
}

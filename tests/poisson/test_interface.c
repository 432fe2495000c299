#include "tests/poisson/interface.h"

int main(void)
{
    return test_interface("cpu", -1, 0);
}

/* The kernels on seven-point matrices on the CPU. */
#include "tests/multigrid/seven_kernel_cases.h"

static const struct test_seven_device device = {&test_host_memory,
                                                {starfish_seven_smooth_cpu_f32, starfish_seven_smooth_cpu_f64},
                                                {starfish_seven_defect_cpu_f32, starfish_seven_defect_cpu_f64},
                                                {starfish_seven_restrict_cpu_f32, starfish_seven_restrict_cpu_f64},
                                                {starfish_seven_prolong_cpu_f32, starfish_seven_prolong_cpu_f64},
                                                {starfish_seven_lines_cpu_f32, starfish_seven_lines_cpu_f64},
                                                starfish_seven_lines_work_cpu};

int main(void)
{
    return test_seven_kernels(&device, 0);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels on vectors on the CPU; inner products by one core, and by three that share the rows. */
#include "tests/krylov/vector_cases.h"

typedef void product_kernel(const struct starfish_vector_product *arguments);

static void share(const struct starfish_vector_product *whole, product_kernel *kernel)
{
    enum { SLOTS = 3 };
    const size_t rows = whole->at.y1 - whole->at.y0;

    for (size_t slot = SLOTS; slot-- > 0;) {
        struct starfish_vector_product part = *whole;
        part.slot = slot;
        part.slots = SLOTS;
        part.at.y0 = whole->at.y0 + rows * slot / SLOTS;
        part.at.y1 = whole->at.y0 + rows * (slot + 1) / SLOTS;
        kernel(&part);
    }
}

static void share_f32(const struct starfish_vector_product *whole)
{
    share(whole, starfish_vector_product_cpu_f32);
}

static void share_f64(const struct starfish_vector_product *whole)
{
    share(whole, starfish_vector_product_cpu_f64);
}

#define DEVICE(product_f32, product_f64)                                                                               \
    {                                                                                                                  \
        &test_host_memory, {starfish_vector_update_cpu_f32, starfish_vector_update_cpu_f64},                           \
            {product_f32, product_f64}, starfish_vector_narrow_cpu, starfish_vector_widen_cpu                          \
    }
static const struct test_vector_device devices[] = {
    DEVICE(starfish_vector_product_cpu_f32, starfish_vector_product_cpu_f64), DEVICE(share_f32, share_f64)};

int main(void)
{
    return test_vector_kernels(&devices[0], 0) + test_vector_kernels(&devices[1], 0);
}

/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plans of the CUDA transforms: their tables on the device, and which way they go (transform_cuda.cuh). */
#include "fft/kernels/transform_cuda.cuh"

#include <cstdlib>

namespace starfish
{

namespace
{

constexpr size_t alignment = 256;

size_t aligned(size_t bytes)
{
    return (bytes + alignment - 1) / alignment * alignment;
}

/* Copies `bytes` behind *offset of the plan's table memory; *place is where they lie then. Without memory, as long as
 * `tables` is NULL, only counts. */
template <typename pointer>
int upload(starfish_transform_cuda *plan, size_t *offset, const void *source, size_t bytes, pointer *place)
{
    const size_t begin = *offset;
    *offset += aligned(bytes);
    if (!plan->tables)
        return cudaSuccess;
    void *to = static_cast<char *>(plan->tables) + begin;
    *place = static_cast<pointer>(to);
    return cudaMemcpy(to, source, bytes, cudaMemcpyHostToDevice);
}

int upload_combination(starfish_transform_cuda *plan, size_t *offset, const starfish_transform_combination &host,
                       starfish_device_tables *device)
{
    const size_t reals = host.length * starfish_real_size(plan->precision), ints = host.length * sizeof(int);
    device->length = static_cast<unsigned>(host.length);
    device->terms = host.terms;
    STARFISH_TRY_CUDA(upload(plan, offset, host.first, ints, &device->first));
    STARFISH_TRY_CUDA(upload(plan, offset, host.second, ints, &device->second));
    STARFISH_TRY_CUDA(upload(plan, offset, host.p, reals, &device->p));
    return upload(plan, offset, host.q, reals, &device->q);
}

/* What a plan has on the host until it has been copied. */
struct host_tables {
    starfish_transform_tables combinations;
    starfish_line_plan line;
    starfish_line_before before[2];
    starfish_line_after after[2];
    starfish_line_pairs pairs[2];
    int *output; /* of mirrored lines */
    starfish_transform_products products;
};

/* What comes after the transform, or before that of a synthesis. */
int upload_outputs(starfish_transform_cuda *plan, size_t *offset, const host_tables &host, int d)
{
    const size_t number = 2 * starfish_real_size(plan->precision);
    starfish_device_line *line = &plan->line;
    if (plan->shape.fft == STARFISH_FFT_COMPLEX) {
        const size_t elements = plan->shape.length;
        STARFISH_TRY_CUDA(upload(plan, offset, host.after[d].entry, 2 * elements * sizeof(int), &line->entry[d]));
        return upload(plan, offset, host.after[d].weight, elements * number, &line->weight[d]);
    }
    const starfish_line_pairs &pairs = host.pairs[d];
    const size_t slots = static_cast<size_t>(pairs.count) * pairs.radix;
    STARFISH_TRY_CUDA(upload(plan, offset, pairs.place, 2 * pairs.count * sizeof(int), &line->place[d]));
    STARFISH_TRY_CUDA(upload(plan, offset, pairs.entry, 2 * slots * sizeof(int), &line->entry[d]));
    return upload(plan, offset, pairs.weight, slots * number, &line->weight[d]);
}

int upload_line(starfish_transform_cuda *plan, size_t *offset, const host_tables &host)
{
    const size_t number = 2 * starfish_real_size(plan->precision);
    starfish_device_line *line = &plan->line;
    STARFISH_TRY_CUDA(upload(plan, offset, host.line.start, 2 * host.line.starts * sizeof(int), &line->start));
    STARFISH_TRY_CUDA(upload(plan, offset, host.line.twiddle, host.line.twiddles * number, &line->twiddle));
    if (host.output)
        return upload(plan, offset, host.output, plan->shape.length * sizeof(int), &line->output);
    for (int d = 0; d < 2; d++) {
        const starfish_line_before &before = host.before[d];
        STARFISH_TRY_CUDA(upload(plan, offset, before.input, 2 * before.length * sizeof(int), &line->input[d]));
        STARFISH_TRY_CUDA(upload(plan, offset, before.weight, before.length * number, &line->input_weight[d]));
        line->terms[d] = before.terms;
        line->weighted[d] = before.weighted;
        STARFISH_TRY_CUDA(upload_outputs(plan, offset, host, d));
    }
    return cudaSuccess;
}

int upload_all(starfish_transform_cuda *plan, const host_tables &host, size_t *bytes)
{
    *bytes = 0;
    if (plan->way == STARFISH_IN_SHARED_MEMORY)
        return upload_line(plan, bytes, host);
    for (int d = 0; d < 2; d++) {
        STARFISH_TRY_CUDA(upload_combination(plan, bytes, host.combinations.before[d], &plan->before[d]));
        STARFISH_TRY_CUDA(upload_combination(plan, bytes, host.combinations.after[d], &plan->after[d]));
    }
    return cudaSuccess;
}

/* Counts, allocates, copies. */
starfish_status create_tables(starfish_transform_cuda *plan, const host_tables &host)
{
    size_t bytes;
    int error = upload_all(plan, host, &bytes);
    if (error == cudaSuccess)
        error = cudaMalloc(&plan->tables, bytes);
    if (error == cudaSuccess)
        error = upload_all(plan, host, &bytes);
    if (error == cudaSuccess)
        return STARFISH_SUCCESS;
    return starfish_fail(error == cudaErrorMemoryAllocation ? STARFISH_ERROR_MEMORY : STARFISH_ERROR_RUNTIME,
                         "tables of a transform with n = %zu: %s", plan->n,
                         cudaGetErrorString(static_cast<cudaError_t>(error)));
}

/* Mirrored lines have nothing else. */
starfish_status create_line_plan(starfish_transform_cuda *plan, host_tables *host)
{
    const int length = static_cast<int>(plan->shape.length), mirror = plan->shape.mirror;
    STARFISH_TRY(starfish_line_plan_create(&host->line, length, mirror, plan->precision));
    plan->line.plan = host->line;
    plan->line.plan.start = plan->line.plan.position = nullptr;
    plan->line.plan.twiddle = nullptr;
    if (mirror == 0)
        return STARFISH_SUCCESS;
    host->output = static_cast<int *>(malloc(plan->shape.length * sizeof *host->output));
    if (!host->output)
        return starfish_fail(STARFISH_ERROR_MEMORY, "no memory for the outputs of a line of length %d", length);
    starfish_line_outputs(&host->line, host->output);
    return STARFISH_SUCCESS;
}

/* `gain`: forward and backward together multiply by that times the length of the line. */
starfish_status create_line(starfish_transform_cuda *plan, double gain, host_tables *host)
{
    STARFISH_TRY(create_line_plan(plan, host));
    for (int d = 0; d < 2 && !host->output; d++) {
        const starfish_transform_direction direction = static_cast<starfish_transform_direction>(d);
        STARFISH_TRY(starfish_line_before_create(&host->before[d], &host->combinations.before[d], plan->precision));
        STARFISH_TRY(starfish_line_after_create(&host->after[d], &host->combinations, direction, plan->precision));
        plan->line.synthesis[d] = starfish_line_is_synthesis(&host->combinations, direction);
    }
    for (int d = 0; d < 2 && plan->shape.fft == STARFISH_FFT_REAL && !host->output; d++) {
        const bool synthesis = plan->line.synthesis[d];
        STARFISH_TRY(starfish_line_pairs_create(&host->pairs[d], &host->line, &host->after[synthesis ? 1 - d : d],
                                                synthesis, gain, plan->precision));
        plan->line.pairs[d] = host->pairs[d];
        plan->line.pairs[d].place = plan->line.pairs[d].entry = nullptr;
        plan->line.pairs[d].weight = nullptr;
    }
    return STARFISH_SUCCESS;
}

starfish_status fill_line(starfish_transform_cuda *plan, enum starfish_transform_kind kind, size_t, host_tables *host)
{
    const double gain = starfish_transform_scale(kind, plan->n) / static_cast<double>(plan->shape.length);
    STARFISH_TRY(create_line(plan, gain, host));
    return create_tables(plan, *host);
}

starfish_status fill_products(starfish_transform_cuda *plan, enum starfish_transform_kind kind, size_t max_lines,
                              host_tables *host)
{
    STARFISH_TRY(starfish_transform_products_create(&host->products, kind, plan->n));
    plan->products = starfish_transform_products_shape(kind, plan->n);
    plan->group = starfish_transform_products_group(plan->n, max_lines);
    return products_create(plan, host->products);
}

starfish_status fill_cufft(starfish_transform_cuda *plan, enum starfish_transform_kind, size_t max_lines,
                           host_tables *host)
{
    plan->group = starfish_transform_group(&plan->shape, max_lines, plan->precision);
    STARFISH_TRY(create_tables(plan, *host));
    return cufft_create(plan);
}

starfish_status fill(starfish_transform_cuda *plan, enum starfish_transform_kind kind, size_t max_lines,
                     host_tables *host)
{
    STARFISH_TRY(starfish_transform_tables_create(&host->combinations, kind, plan->n, plan->precision,
                                                  STARFISH_TRANSFORM_DOUBLED));
    plan->shape = host->combinations.shape;
    plan->gain[0] = host->combinations.gain[0];
    plan->gain[1] = host->combinations.gain[1];
    const bool products = starfish_transform_has_products(kind, plan->n, plan->precision) && products_can_be();
    plan->way = starfish_line_fits(&plan->shape) ? STARFISH_IN_SHARED_MEMORY
                : products                       ? STARFISH_BY_PRODUCTS
                                                 : STARFISH_BY_CUFFT;
    if (plan->shape.fft == STARFISH_FFT_NONE) {
        plan->group = starfish_transform_group(&plan->shape, max_lines, plan->precision);
        return STARFISH_SUCCESS;
    }
    static starfish_status (*const create[])(starfish_transform_cuda *, enum starfish_transform_kind, size_t,
                                             host_tables *) = {fill_line, fill_products, fill_cufft};
    return create[plan->way](plan, kind, max_lines, host);
}

void free_host(host_tables *host)
{
    for (int d = 0; d < 2; d++) {
        free(host->before[d].input);
        free(host->before[d].weight);
        free(host->after[d].entry);
        free(host->after[d].weight);
        free(host->pairs[d].place);
        free(host->pairs[d].entry);
        free(host->pairs[d].weight);
    }
    free(host->output);
    starfish_line_plan_destroy(&host->line);
    starfish_transform_products_destroy(&host->products);
    starfish_transform_tables_destroy(&host->combinations);
}

} // namespace

/* cuFFT's way is in place. */
int columns_from(const starfish_transform_cuda *plan, starfish_transform_direction direction,
                 const starfish_transform_columns *columns, const void *in, cudaStream_t stream)
{
    if (plan->way == STARFISH_IN_SHARED_MEMORY)
        return columns_by_lines(plan, direction, columns, in, stream);
    if (plan->way == STARFISH_BY_PRODUCTS)
        return columns_by_products(plan, direction, columns, in, stream);
    const size_t bytes = columns->inner * plan->n * columns->outer * starfish_real_size(plan->precision);
    if (in != columns->data && bytes > 0)
        STARFISH_TRY_CUDA(cudaMemcpyAsync(columns->data, in, bytes, cudaMemcpyDeviceToDevice, stream));
    return columns_by_cufft(plan, direction, columns, stream);
}

} // namespace starfish

/* ---- The contract ----------------------------------------------------------------------------------------------- */
extern "C" starfish_status starfish_transform_cuda_create(struct starfish_transform_cuda **plan,
                                                          enum starfish_transform_kind kind, size_t n, size_t max_lines,
                                                          starfish_precision precision)
{
    *plan = static_cast<starfish_transform_cuda *>(calloc(1, sizeof **plan));
    if (!*plan)
        return starfish_fail(STARFISH_ERROR_MEMORY, "no memory for a transform plan");
    (*plan)->n = n;
    (*plan)->precision = precision;
    (*plan)->fft = (*plan)->from_rows = starfish::no_fft;
    starfish::host_tables host = {};
    const starfish_status status = starfish::fill(*plan, kind, max_lines, &host);
    starfish::free_host(&host);
    if (status != STARFISH_SUCCESS) {
        starfish_transform_cuda_destroy(*plan);
        *plan = nullptr;
    }
    return status;
}

/* Failures here mean that the device is lost already; there is nobody to tell. */
extern "C" void starfish_transform_cuda_destroy(struct starfish_transform_cuda *plan)
{
    if (!plan)
        return;
    starfish::cufft_destroy(plan);
    (void)cudaFree(plan->tables);
    free(plan);
}

extern "C" int starfish_transform_rows_cuda(struct starfish_transform_cuda *plan,
                                            enum starfish_transform_direction direction,
                                            const struct starfish_transform_rows *arguments, struct CUstream_st *stream)
{
    using namespace starfish;
    static int (*const ways[])(const starfish_transform_cuda *, starfish_transform_direction,
                               const starfish_transform_rows *,
                               cudaStream_t) = {rows_by_lines, rows_by_products, rows_by_cufft};
    return ways[plan->way](plan, direction, arguments, stream);
}

extern "C" int starfish_transform_columns_cuda(struct starfish_transform_cuda *plan,
                                               enum starfish_transform_direction direction,
                                               const struct starfish_transform_columns *arguments,
                                               struct CUstream_st *stream)
{
    return starfish::columns_from(plan, direction, arguments, arguments->data, stream);
}

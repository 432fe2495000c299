/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Peer: cuFFT's all-periodic spectral solve: a real transform in 3D, a division by eigenvalues, and the inverse. Bound
 * by memory. */
#include "bench/peers.h"

#include <cuda_runtime.h>
#include <cufft.h>

namespace
{

template <typename real> struct Complex {
    real x, y;
};

template <typename real> __device__ real eigenvalue(size_t k, size_t n)
{
    const real s = sin(real(3.14159265358979323846) * real(k) / real(n)) * real(n);
    return -4 * s * s;
}

struct Extents {
    size_t x, y, z;
};

template <typename real> __global__ void divide(Complex<real> *u, Extents n)
{
    const size_t half = n.x / 2 + 1, i = blockIdx.x * size_t(blockDim.x) + threadIdx.x, j = blockIdx.y, k = blockIdx.z;
    if (i >= half)
        return;
    const real sum = eigenvalue<real>(i, n.x) + eigenvalue<real>(j, n.y) + eigenvalue<real>(k, n.z);
    const real factor = sum == 0 ? real(0) : 1 / (sum * real(n.x) * real(n.y) * real(n.z));
    Complex<real> &value = u[i + half * (j + n.y * k)];
    value.x *= factor;
    value.y *= factor;
}

template <typename real> __global__ void fill(real *u, size_t count)
{
    for (size_t e = blockIdx.x * size_t(blockDim.x) + threadIdx.x; e < count; e += size_t(gridDim.x) * blockDim.x)
        u[e] = real((e * 2654435761u) % 1000003u) / real(1000003) - real(0.5);
}

struct Plans {
    cufftHandle forward, backward;
};

/* In place, modes are where the padded rows of values are. */
template <typename real> struct Field {
    Extents n;
    real *values;
    Complex<real> *modes;

    bool in_place() const { return static_cast<void *>(values) == static_cast<void *>(modes); }
    size_t row() const { return in_place() ? 2 * (n.x / 2 + 1) : n.x; }
    size_t mode_count() const { return (n.x / 2 + 1) * n.y * n.z; }
};

template <typename real> bool allocate(Field<real> &field, peer_cufft_way way)
{
    const bool apart = way == PEER_CUFFT_OUT_OF_PLACE;
    field.values = nullptr;
    if (cudaMalloc(&field.modes, field.mode_count() * sizeof(Complex<real>)) != cudaSuccess) {
        field.modes = nullptr;
        return false;
    }
    if (!apart)
        field.values = reinterpret_cast<real *>(field.modes);
    else if (cudaMalloc(&field.values, field.n.x * field.n.y * field.n.z * sizeof(real)) != cudaSuccess)
        field.values = nullptr;
    return field.values;
}

template <typename real> void release(Field<real> &field)
{
    if (field.values && !field.in_place())
        cudaFree(field.values);
    cudaFree(field.modes);
}

template <typename real> bool solve(const Plans &plans, const Field<real> &field)
{
    const Extents n = field.n;
    const dim3 grid(unsigned((n.x / 2 + 1 + 127) / 128), unsigned(n.y), unsigned(n.z));
    bool good;
    if constexpr (sizeof(real) == 8)
        good = cufftExecD2Z(plans.forward, field.values, (cufftDoubleComplex *)field.modes) == CUFFT_SUCCESS;
    else
        good = cufftExecR2C(plans.forward, field.values, (cufftComplex *)field.modes) == CUFFT_SUCCESS;
    divide<real><<<grid, 128>>>(field.modes, n);
    if constexpr (sizeof(real) == 8)
        return good && cufftExecZ2D(plans.backward, (cufftDoubleComplex *)field.modes, field.values) == CUFFT_SUCCESS;
    else
        return good && cufftExecC2R(plans.backward, (cufftComplex *)field.modes, field.values) == CUFFT_SUCCESS;
}

/* A right-hand side from the host and its solution back, rows without their padding. */
template <typename real>
bool solve_on_host(const Plans &plans, const Field<real> &field, const void *rhs, void *solution)
{
    const size_t row = field.n.x * sizeof(real), pitch = field.row() * sizeof(real), rows = field.n.y * field.n.z;
    return cudaMemcpy2D(field.values, pitch, rhs, row, row, rows, cudaMemcpyHostToDevice) == cudaSuccess &&
           solve<real>(plans, field) &&
           cudaMemcpy2D(solution, row, field.values, pitch, row, rows, cudaMemcpyDeviceToHost) == cudaSuccess;
}

template <typename real> bool time_solves(const Plans &plans, const Field<real> &field, int repeat, double *seconds)
{
    cudaEvent_t start, stop;
    if (cudaEventCreate(&start) != cudaSuccess)
        return false;
    if (cudaEventCreate(&stop) != cudaSuccess) {
        cudaEventDestroy(start);
        return false;
    }
    bool good = true;
    for (int r = -3; r < repeat && good; r++) {
        float milliseconds = 0;
        good = cudaEventRecord(start) == cudaSuccess && solve<real>(plans, field) &&
               cudaEventRecord(stop) == cudaSuccess && cudaEventSynchronize(stop) == cudaSuccess &&
               cudaEventElapsedTime(&milliseconds, start, stop) == cudaSuccess;
        if (r >= 0)
            seconds[r] = 1e-3 * double(milliseconds);
    }
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    return good && cudaGetLastError() == cudaSuccess;
}

/* Somebody else's problem: of one solve, and then the time of many. */
struct Job {
    const void *rhs;
    void *solution;
    int repeat;
    double *seconds;
};

template <typename real> bool run(const Plans &plans, Extents n, peer_cufft_way way, const Job &job)
{
    Field<real> field = {n, nullptr, nullptr};
    bool good = allocate(field, way) && (!job.rhs || solve_on_host<real>(plans, field, job.rhs, job.solution));
    if (good) {
        fill<real><<<1024, 256>>>(field.values, field.row() * n.y * n.z);
        good = time_solves<real>(plans, field, job.repeat, job.seconds);
    }
    release(field);
    return good;
}

} // namespace

extern "C" int peer_cufft_periodic(const size_t n[3], starfish_precision precision, peer_cufft_way way, const void *f,
                                   void *u, int repeat, double *seconds)
{
    Plans plans;
    const bool f64 = precision == STARFISH_F64;
    const Extents extents = {n[0], n[1], n[2]};
    const Job job = {f, u, repeat, seconds};
    const int nx = int(n[0]), ny = int(n[1]), nz = int(n[2]);
    cudaGetLastError(); /* what others left behind is none of ours */
    if (cufftPlan3d(&plans.forward, nz, ny, nx, f64 ? CUFFT_D2Z : CUFFT_R2C) != CUFFT_SUCCESS)
        return 0;
    bool good = cufftPlan3d(&plans.backward, nz, ny, nx, f64 ? CUFFT_Z2D : CUFFT_C2R) == CUFFT_SUCCESS;
    if (good) {
        good = f64 ? run<double>(plans, extents, way, job) : run<float>(plans, extents, way, job);
        cufftDestroy(plans.backward);
    }
    cufftDestroy(plans.forward);
    if (!good)
        cudaGetLastError(); /* nothing is left behind for the next who asks */
    return good;
}

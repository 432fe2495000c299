/* Peer: cuFFT's all-periodic spectral solve. */
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

template <typename real> bool solve(const Plans &plans, real *u, Extents n)
{
    const dim3 grid(unsigned((n.x / 2 + 1 + 127) / 128), unsigned(n.y), unsigned(n.z));
    bool good;
    if (sizeof(real) == 8)
        good = cufftExecD2Z(plans.forward, (cufftDoubleReal *)u, (cufftDoubleComplex *)u) == CUFFT_SUCCESS;
    else
        good = cufftExecR2C(plans.forward, (cufftReal *)u, (cufftComplex *)u) == CUFFT_SUCCESS;
    divide<real><<<grid, 128>>>(reinterpret_cast<Complex<real> *>(u), n);
    if (sizeof(real) == 8)
        return good && cufftExecZ2D(plans.backward, (cufftDoubleComplex *)u, (cufftDoubleReal *)u) == CUFFT_SUCCESS;
    return good && cufftExecC2R(plans.backward, (cufftComplex *)u, (cufftReal *)u) == CUFFT_SUCCESS;
}

template <typename real> bool measure(const Plans &plans, Extents n, int repeat, double *seconds)
{
    real *u = nullptr;
    const size_t count = 2 * (n.x / 2 + 1) * n.y * n.z;
    cudaEvent_t start, stop;
    if (cudaMalloc(&u, count * sizeof(real)) != cudaSuccess)
        return false;
    cudaEventCreate(&start);
    cudaEventCreate(&stop);
    fill<real><<<1024, 256>>>(u, count);
    bool good = true;
    for (int r = -3; r < repeat; r++) {
        float milliseconds = 0;
        cudaEventRecord(start);
        good = solve<real>(plans, u, n) && good;
        cudaEventRecord(stop);
        good = cudaEventSynchronize(stop) == cudaSuccess && good;
        cudaEventElapsedTime(&milliseconds, start, stop);
        if (r >= 0)
            seconds[r] = 1e-3 * double(milliseconds);
    }
    cudaEventDestroy(start);
    cudaEventDestroy(stop);
    cudaFree(u);
    return good && cudaGetLastError() == cudaSuccess;
}

} // namespace

extern "C" int peer_cufft_periodic(const size_t n[3], starfish_precision precision, int repeat, double *seconds)
{
    Plans plans;
    const bool f64 = precision == STARFISH_F64;
    const Extents extents = {n[0], n[1], n[2]};
    const int nx = int(n[0]), ny = int(n[1]), nz = int(n[2]);
    if (cufftPlan3d(&plans.forward, nz, ny, nx, f64 ? CUFFT_D2Z : CUFFT_R2C) != CUFFT_SUCCESS)
        return 0;
    if (cufftPlan3d(&plans.backward, nz, ny, nx, f64 ? CUFFT_Z2D : CUFFT_C2R) != CUFFT_SUCCESS) {
        cufftDestroy(plans.forward);
        return 0;
    }
    const bool good =
        f64 ? measure<double>(plans, extents, repeat, seconds) : measure<float>(plans, extents, repeat, seconds);
    cufftDestroy(plans.forward);
    cufftDestroy(plans.backward);
    return good;
}

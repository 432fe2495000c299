/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A matrix on the GPU, as stored bands or as the tensor products it is made of (multigrid/kernels/band.h): what kernels
 * over either are templates of.
 *
 *     real at<zero>(u, f, i, j, &diagonal)   f - A u, u being zero where `zero`, and the diagonal
 *     real lower<direction>(i, j)            the entry of (i,j) and the unknown before it in x (0) or y (1); 0 for
 *                                            the first one
 *
 * A thread's neighbours read the same values a cycle or a row later, from the first-level cache. */
#ifndef STARFISH_MULTIGRID_OPERATOR_CUH
#define STARFISH_MULTIGRID_OPERATOR_CUH

#include <cstddef>

/* Lines first .. last-1, which of them are improved, and where the share of one of `blocks` blocks begins. */
struct Run {
    size_t first, last;
    starfish_band_choice choice;

    __device__ __forceinline__ bool improves(size_t line) const { return STARFISH_BAND_CHOSEN(choice, line); }

    __device__ __forceinline__ size_t share(size_t block, size_t blocks) const
    {
        return first + (last - first) * block / blocks;
    }
};

template <typename real> struct Stored {
    using Real = real;
    size_t nx, ny;
    const real *band[STARFISH_BANDS];

    explicit Stored(const starfish_band_matrix &matrix) : nx(matrix.nx), ny(matrix.ny), band()
    {
        for (int b = 0; b < STARFISH_BANDS; b++)
            band[b] = static_cast<const real *>(matrix.band[b]);
    }

    template <int direction> __device__ __forceinline__ real lower(size_t i, size_t j) const
    {
        return band[direction == 0 ? STARFISH_BAND_W : STARFISH_BAND_S][i + j * nx];
    }

    /* A neighbour that is missing is the unknown itself: its entry is 0. */
    template <bool zero>
    __device__ __forceinline__ real at(const real *__restrict__ u, const real *__restrict__ f, size_t i, size_t j,
                                       real *diagonal) const
    {
        const size_t e = i + j * nx;
        const real sw = band[STARFISH_BAND_SW][e], s = band[STARFISH_BAND_S][e], se = band[STARFISH_BAND_SE][e],
                   w = band[STARFISH_BAND_W][e], east = band[STARFISH_BAND_E][e], nw = band[STARFISH_BAND_NW][e],
                   n = band[STARFISH_BAND_N][e], ne = band[STARFISH_BAND_NE][e], sum = band[STARFISH_BAND_SUM][e];
        *diagonal = sum - (((sw + s) + (se + w)) + ((east + nw) + (n + ne)));
        if constexpr (zero)
            return f[e];
        const size_t left = i > 0, right = i + 1 < nx;
        const real *middle = u + e, *south = middle - (j > 0 ? nx : 0), *north = middle + (j + 1 < ny ? nx : 0);
        const real here = *middle;
        const real below = sw * (*(south - left) - here) + s * (*south - here) + se * (south[right] - here);
        const real beside = w * (*(middle - left) - here) + east * (middle[right] - here) + sum * here;
        const real above = nw * (*(north - left) - here) + n * (*north - here) + ne * (north[right] - here);
        return f[e] - (below + beside + above);
    }
};

/* The 1D matrices of an axis at one unknown: widths and inverse widths of the elements before and after it. */
template <typename real> struct Elements {
    real width[2], inverse[2];

    __device__ __forceinline__ Elements() : width(), inverse() {}
    __device__ __forceinline__ Elements(const real *widths, const real *inverses, size_t i)
        : width{widths[i], widths[i + 1]}, inverse{inverses[i], inverses[i + 1]}
    {
    }
    __device__ __forceinline__ real stiffness(real before, real here, real after) const
    {
        return inverse[0] * (here - before) + inverse[1] * (here - after);
    }
    __device__ __forceinline__ real mass(real before, real here, real after) const
    {
        return (width[0] * (before + 2 * here) + width[1] * (after + 2 * here)) * real(1.0 / 6);
    }
    __device__ __forceinline__ real mass() const { return (width[0] + width[1]) * real(1.0 / 3); }
    __device__ __forceinline__ real stiffness() const { return inverse[0] + inverse[1]; }
};

/* Entries of a line across the other direction, whose own entry of stiffness and mass at the line are s and m: of the
 * unknowns on both sides of an element, and of one between two. */
template <typename real> struct Across {
    real stiffness, mass; /* factors of the line's inverse widths, and of its widths over 6 */

    __device__ __forceinline__ Across() : stiffness(0), mass(0) {}
    __device__ __forceinline__ Across(const Elements<real> &other, real reaction)
        : stiffness(other.mass()), mass((other.stiffness() + reaction * other.mass()) * real(1.0 / 6))
    {
    }
    __device__ __forceinline__ real off(real width, real inverse) const { return mass * width - stiffness * inverse; }
    __device__ __forceinline__ real own(real width, real inverse) const
    {
        return 2 * mass * width + stiffness * inverse;
    }
};

template <typename real> struct Tensor {
    using Real = real;
    size_t nx, ny;
    const real *width[2], *inverse[2];
    real reaction;

    explicit Tensor(const starfish_band_matrix &matrix)
        : nx(matrix.nx), ny(matrix.ny), width(), inverse(), reaction(static_cast<real>(matrix.reaction))
    {
        for (int d = 0; d < 2; d++) {
            width[d] = static_cast<const real *>(matrix.axis[d].width);
            inverse[d] = static_cast<const real *>(matrix.axis[d].inverse);
        }
    }

    template <int direction> __device__ __forceinline__ Elements<real> elements(size_t i) const
    {
        return Elements<real>(width[direction], inverse[direction], i);
    }
    template <int direction> __device__ __forceinline__ Across<real> across(size_t i, size_t j) const
    {
        return Across<real>(elements<1 - direction>(direction == 0 ? j : i), reaction);
    }
    template <int direction> __device__ __forceinline__ real lower(size_t i, size_t j) const
    {
        const size_t k = direction == 0 ? i : j;
        return k > 0 ? across<direction>(i, j).off(width[direction][k], inverse[direction][k]) : real(0);
    }

    /* At the rows below, of and above j, u between zeros: an element at a Dirichlet end has an unknown on one side
     * only. Not with_f: f is zero. */
    template <bool zero, bool with_f = true>
    __device__ __forceinline__ real at(const real *__restrict__ u, const real *__restrict__ f, size_t i, size_t j,
                                       real *diagonal) const
    {
        const size_t e = i + j * nx;
        const Elements<real> x = elements<0>(i), y = elements<1>(j);
        const real my = y.mass(), sy = y.stiffness() + reaction * my;
        *diagonal = x.stiffness() * my + x.mass() * sy;
        if constexpr (zero)
            return f[e];
        const size_t left = i > 0, right = i + 1 < nx;
        real stiff[3], mass[3];
#pragma unroll
        for (int r = 0; r < 3; r++) {
            const bool there = r == 1 || (r == 0 ? j > 0 : j + 1 < ny);
            const real *row = u + (there ? e + size_t(r) * nx - nx : e);
            const real before = there && left ? *(row - left) : real(0), here = there ? *row : real(0),
                       after = there && right ? row[right] : real(0);
            stiff[r] = x.stiffness(before, here, after);
            mass[r] = x.mass(before, here, after);
        }
        return (with_f ? f[e] : real(0)) -
               (y.mass(stiff[0], stiff[1], stiff[2]) + y.stiffness(mass[0], mass[1], mass[2]) +
                reaction * y.mass(mass[0], mass[1], mass[2]));
    }
};

#endif

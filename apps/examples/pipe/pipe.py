# SPDX-License-Identifier: LGPL-2.1-or-later
"""Temperature in a pipe with a hot patch on its wall: a cylinder with its axis.

Solves laplace(T) = 0 for r < 1, 0 < z < 4 (kind cylinder3d). The wall has the temperature patch(theta, z), an array of
Dirichlet data on r1: 1 in the middle of the patch and 0 far away. Heat does not flow through the ends z0 and z1
(Neumann). The patch has a few Fourier modes, so T is a short sum of Bessel functions. Prints the largest error, the
heat that enters through the wall, and its relative difference to the heat that leaves. The error is of second order.
The exit status is 1 if the error is above 0.5 / n^2, or the difference above 1e-10.

    pipe.py --n 32 --plot pipe.png"""
import argparse
import sys

import numpy as np
import pystarfish as sf

LENGTH = 4.0
SERIES = (3 / 8, 1 / 2, 1 / 8)  # ((1 + cos a) / 2)^2 = 3/8 + cos(a) / 2 + cos(2 a) / 8


def patch(theta, z):
    """Temperature of the wall, of shape (nz, ntheta)."""
    return np.outer((1 - np.cos(2 * np.pi * z / LENGTH))**2, (1 + np.cos(theta))**2) / 16


def bessel(m, x):
    """The modified Bessel function I_m, by a trapezoidal sum of its integral."""
    angle = np.arange(64) * 2 * np.pi / 64
    return np.mean(np.exp(np.multiply.outer(x, np.cos(angle))) * np.cos(m * angle), axis=-1)


def exact(theta, z, r):
    """The temperature, of shape (nr, nz, ntheta)."""
    result = np.zeros((len(r), len(z), len(theta)))
    for m, of_theta in enumerate(SERIES):
        for k, of_z in enumerate(SERIES):
            q = 2 * np.pi * k / LENGTH
            radial = bessel(m, q * r) / bessel(m, q) if k else r**m
            result += np.einsum("i,j,k", of_theta * radial, of_z * (-1)**k * np.cos(q * z), np.cos(m * theta))
    return result


def draw(path, u, faces):
    """The disc through the middle of the patch, and the section through the patch and the axis."""
    try:
        from matplotlib.figure import Figure  # pylint: disable=import-outside-toplevel
    except ImportError:
        sys.exit("--plot needs matplotlib")
    theta, z, r = faces
    figure = Figure((9, 3), layout="constrained")
    disc, section = figure.subplots(1, 2, width_ratios=(1, 2))
    disc.pcolormesh(np.outer(r, np.cos(theta)), np.outer(r, np.sin(theta)), u[:, u.shape[1] // 2], vmin=0, vmax=1)
    both = np.concatenate((u[::-1, :, u.shape[2] // 2], u[:, :, 0]))
    heat = section.pcolormesh(z, np.concatenate((-r[:0:-1], r)), both, vmin=0, vmax=1)
    disc.set(title="across the axis", xlabel="x", ylabel="y", aspect="equal")
    section.set(title="along the axis", xlabel="z", ylabel="x", aspect="equal")
    figure.colorbar(heat, ax=section, label="temperature")
    figure.savefig(path, dpi=80)


def main():
    """Solve, compare, draw."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--n", type=int, default=32, help="cells from the axis to the wall; twice as many in theta, z")
    parser.add_argument("--plot", metavar="FILE.png", help="draw the temperature in two planes")
    n = (given := parser.parse_args()).n
    faces = np.linspace(0, 2 * np.pi, 2 * n + 1), np.linspace(0, LENGTH, 2 * n + 1), np.linspace(0, 1, n + 1)
    theta, z, r = ((a[1:] + a[:-1]) / 2 for a in faces)
    wall = patch(theta, z)
    u = sf.solve(np.zeros((n, 2 * n, 2 * n)), kind="cylinder3d", range={"z": (0, LENGTH), "r": (0, 1)},
                 bc={"theta": "periodic", "z": "neumann", "r": ("axis", "dirichlet")}, boundary={"r1": wall})
    flux = (wall - u[-1]) * 2 * n * (2 * np.pi / (2 * n)) * (LENGTH / (2 * n))  # through the faces of the wall
    heat, lost = flux[flux > 0].sum(), abs(flux.sum())
    error, bound = np.abs(u - exact(theta, z, r)).max(), 0.5 / n**2
    print(f"{n} x {2 * n} x {2 * n} cells: largest error {error:.2e}, at most {bound:.2e}; heat through the wall "
          f"{heat:.4f}, imbalance {lost / heat:.1e}")
    if given.plot:
        draw(given.plot, u, faces)
    return int(error > bound or lost > 1e-10 * heat)


if __name__ == "__main__":
    sys.exit(main())

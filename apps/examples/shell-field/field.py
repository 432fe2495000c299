# SPDX-License-Identifier: LGPL-2.1-or-later
"""Potential magnetic field between a star and its source surface: a spherical shell with both poles.

Solves laplace(u) = 0 for 1 < r < 2.5 (kind shell3d), whose field is B = -grad u. The radial field at r = 1 is given: an
array of Neumann data on r0, u_r = -B_r. At r = 2.5 the field is radial: u = 0 on r1. Models of the sun's corona call
this PFSS. The given field is a sum of spherical harmonics, each of which has a known u. Prints the largest errors of u
and of B_r at the source surface, relative to the largest values. They are of second order. The exit status is 1 if one
is above 8 / n^2.

    field.py --n 64 --eigenvalues spectral --plot field.png"""
import argparse
import sys

import numpy as np
import pystarfish as sf

OUTER = 2.5
HARMONICS = ((1, 0, 1.0), (1, 1, 0.7), (5, 3, 1.5))  # degree, order, largest B_r at r = 1: a tilted dipole and spots


def harmonic(degree, order, theta, phi):
    """A real spherical harmonic whose largest value is 1, of shape (ntheta, nphi)."""
    legendre = np.polynomial.Legendre.basis(degree).deriv(order)
    values = [np.sin(a)**order * legendre(np.cos(a)) for a in (theta, np.linspace(0, np.pi, 2001))]
    return np.outer(values[0] / np.abs(values[1]).max(), np.cos(order * phi))


def radial(degree, r):
    """A harmonic's factor in u and in B_r, which is 1 at r = 1."""
    scale = degree + (degree + 1) * OUTER**(2 * degree + 1)
    return ((OUTER**(2 * degree + 1) * r**(-degree - 1.0) - r**degree) / scale,
            ((degree + 1) * OUTER**(2 * degree + 1) * r**(-degree - 2.0) + degree * r**(degree - 1.0)) / scale)


def sum_of(theta, phi, r):
    """u and B_r of all harmonics, of shape (ntheta, nr, nphi)."""
    terms = [(a * harmonic(l, m, theta, phi)[:, None], radial(l, r)) for l, m, a in HARMONICS]
    return [sum(y * factor[k][:, None] for y, factor in terms) for k in (0, 1)]


def draw_section(axes, u, theta, r):
    """The field in a half plane through the poles: colours of B_r^(1/3), and arrows along B."""
    up, south = -np.gradient(u, r, axis=1), -np.gradient(u, theta, axis=0) / r
    sine, cosine, size = np.sin(theta)[:, None], np.cos(theta)[:, None], np.hypot(up, south)
    arrows = r * sine, r * cosine, (up * sine + south * cosine) / size, (up * cosine - south * sine) / size
    axes.contourf(*arrows[:2], np.cbrt(up), 12, cmap="RdBu_r")
    few = slice(None, None, max(1, len(theta) // 24)), slice(1, None, max(1, len(r) // 7))
    axes.quiver(*(a[few] for a in arrows), scale=20, width=0.006, pivot="middle")


def draw(path, u, outer, places):
    """Map of B_r at the source surface, and the field near the half plane phi = 0."""
    try:
        from matplotlib.figure import Figure  # pylint: disable=import-outside-toplevel
    except ImportError:
        sys.exit("--plot needs matplotlib")
    theta, phi, r = places
    figure = Figure((9, 3.8), layout="constrained")
    chart, section = figure.subplots(1, 2, width_ratios=(2, 1))
    colours = chart.contourf(np.degrees(phi), 90 - np.degrees(theta), outer, 12, cmap="RdBu_r")
    chart.set(title="B$_r$ at the source surface", xlabel="degrees to the east", ylabel="degrees to the north")
    figure.colorbar(colours, ax=chart)
    draw_section(section, u[..., 0], theta, r)
    section.set(title="field at 0 degrees east", xlabel="x", ylabel="z", aspect="equal")
    figure.savefig(path, dpi=80)


def main():
    """Solve, compare, draw."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--n", type=int, default=64, help="cells from pole to pole; twice as many in phi, half in r")
    parser.add_argument("--eigenvalues", choices=("difference", "spectral"), default="difference", help="of phi")
    parser.add_argument("--plot", metavar="FILE.png", help="draw the field")
    n = (given := parser.parse_args()).n
    theta, phi, h = (np.arange(n) + 0.5) * np.pi / n, (np.arange(2 * n) + 0.5) * np.pi / n, (OUTER - 1) / (n // 2)
    r = 1 + (np.arange(n // 2) + 0.5) * h
    inner, last = (sum_of(theta, phi, np.array([a]))[1][:, 0] for a in (1.0, OUTER))
    u = sf.solve(np.zeros((n, n // 2, 2 * n)), kind="shell3d", range={"r": (1, OUTER)}, eigenvalues=given.eigenvalues,
                 bc={"phi": "periodic", "r": ("neumann", "dirichlet"), "theta": "pole"}, boundary={"r0": -inner})
    outer, exact = 2 * u[:, -1] / h, sum_of(theta, phi, r)[0]  # -u_r of the last half cell, where u is 0
    errors, bound = [np.abs(a - b).max() / np.abs(b).max() for a, b in ((u, exact), (outer, last))], 8 / n**2
    print(f"{n} x {n // 2} x {2 * n} cells: largest error of u {errors[0]:.2e}, of B_r {errors[1]:.2e}, "
          f"at most {bound:.2e}")
    if given.plot:
        draw(given.plot, u, outer, (theta, phi, r))
    return int(max(errors) > bound)


if __name__ == "__main__":
    sys.exit(main())

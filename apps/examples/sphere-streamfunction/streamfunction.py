# SPDX-License-Identifier: LGPL-2.1-or-later
"""Streamfunction of the winds on a sphere from their vorticity, at many times with one solve.

Solves laplace(psi) = zeta on a sphere of radius 1 with both poles (kind sphere2d). There are no ends and no boundary
data; psi has the mean zero. zeta is the vorticity of a Rossby-Haurwitz wave at 24 times, which are the right-hand sides
of one solve (count). The wave moves to the west without changing its shape, so psi is known. Prints the largest error
at any time, relative to the largest |psi|. The error is of second order. The exit status is 1 if it is above 10 / n^2.

    streamfunction.py --n 96 --plot winds.png"""
import argparse
import sys

import numpy as np
import pystarfish as sf

EARTH, ROTATION = 6.371e6, 7.292e-5  # radius in m, rotation in 1/s
ZONAL, WAVE, CRESTS = 3e-6, 5e-6, 4  # rotation of the air in 1/s, the wave's amplitude in 1/s, its crests on a circle
EIGENVALUE = -(CRESTS + 1) * (CRESTS + 2)  # of the wave, a spherical harmonic of degree CRESTS + 1
SPEED = ZONAL + 2 * (ZONAL + ROTATION) / EIGENVALUE  # of the wave, in 1/s: below zero, to the west
TIMES = 3 * 3600 * np.arange(24.0)


def parts(theta, phi):
    """Streamfunction of the solid rotation and of the wave at all times: fields of shape (times, ntheta, nphi)."""
    north, time = np.cos(theta)[:, None], TIMES[:, None, None]
    wave = WAVE * north * np.sin(theta)[:, None] ** CRESTS * np.cos(CRESTS * (phi - SPEED * time))
    return -ZONAL * north + np.zeros_like(wave), wave


def draw(path, psi, theta, phi):
    """Map of psi and of the winds at the first and the last time."""
    try:
        from matplotlib.figure import Figure  # pylint: disable=import-outside-toplevel
    except ImportError:
        sys.exit("--plot needs matplotlib")
    figure, step = Figure((6.4, 5.6), layout="constrained"), max(1, len(theta) // 12)
    few = slice(step // 2, None, step)
    for axes, k in zip(figure.subplots(2, sharex=True), (0, -1)):
        east = EARTH * np.gradient(psi[k], theta, axis=0)
        north = EARTH * np.gradient(psi[k], phi, axis=1) / np.sin(theta)[:, None]
        lines = axes.contourf(np.degrees(phi), 90 - np.degrees(theta), 1e-6 * EARTH**2 * psi[k], 12, cmap="RdBu_r")
        axes.quiver(np.degrees(phi)[few], 90 - np.degrees(theta)[few], east[few, few], north[few, few])
        axes.set(title=f"after {TIMES[k] / 86400:.2f} days", ylabel="degrees to the north")
        figure.colorbar(lines, ax=axes, label="psi in 10$^6$ m$^2$/s")
    figure.supxlabel("degrees to the east", fontsize="medium")
    figure.savefig(path, dpi=80)


def main():
    """Solve, compare, draw."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--n", type=int, default=96, help="cells from pole to pole; twice as many around a circle")
    parser.add_argument("--plot", metavar="FILE.png", help="draw the streamfunction and the winds")
    given = parser.parse_args()
    theta, phi = ((np.arange(n) + 0.5) * np.pi / given.n for n in (given.n, 2 * given.n))
    rotation, wave = parts(theta, phi)
    zeta = -2 * rotation + EIGENVALUE * wave
    with sf.CoordinatesPlan(zeta.shape[1:], kind="sphere2d", bc={"phi": "periodic", "theta": "pole"},
                            count=len(TIMES)) as plan:
        psi = plan.solve(zeta)
    exact = rotation + wave
    error, bound = np.abs(psi - exact).max() / np.abs(exact).max(), 10 / given.n**2
    print(f"{len(TIMES)} times of {given.n} x {2 * given.n} cells: largest error {error:.2e}, at most {bound:.2e}")
    if given.plot:
        draw(given.plot, psi, theta, phi)
    return int(error > bound)


if __name__ == "__main__":
    sys.exit(main())

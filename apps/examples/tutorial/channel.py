# SPDX-License-Identifier: LGPL-2.1-or-later
"""A channel flow in 150 lines: incompressible flow between two walls, driven by a constant force, by the projection
method on a staggered grid. docs/tutorial.md tells it step by step; channel.c and channel.f90 are the same flow."""
import sys

import numpy as np
import pystarfish as sf

# Cells along the flow (x), across it (y) and from wall to wall (z), in a box of 4 x 2 x 2. Velocity d of a cell is at
# its low face in direction d. Arrays are indexed [k, j, i] and have a layer of ghosts: cells count from 1.
NX, NY, NZ = 32, 16, 24
H = (4 / NX, 2 / NY, 2 / NZ)
DT, VISCOSITY, FORCE = 4e-3, 0.02, 0.04
STEP = ((0, 0, 1), (0, 1, 0), (1, 0, 0))  # to the next cell in direction d


def fill_ghosts(velocity):
    """Periodic in x and y; at the walls u and v change their sign, and w is zero on them."""
    velocity[..., 0], velocity[..., -1] = velocity[..., NX], velocity[..., 1]
    velocity[:, :, 0], velocity[:, :, -1] = velocity[:, :, NY], velocity[:, :, 1]
    velocity[:2, 0], velocity[:2, -1] = -velocity[:2, 1], -velocity[:2, NZ]
    velocity[2, :2] = velocity[2, -1] = 0


def at(array, *shifts):
    """The array over all cells, shifted by a sum of steps."""
    k, j, i = (sum(shift) for shift in zip((0, 0, 0), *shifts))
    return array[1 + k:NZ + 1 + k, 1 + j:NY + 1 + j, 1 + i:NX + 1 + i]


def back(step):
    """The step in the opposite direction."""
    return tuple(-n for n in step)


def flux(velocity, c, d, *shifts):
    """What velocity d carries of velocity c from each cell to the next one in direction d."""
    carrier = at(velocity[d], STEP[d], *shifts) + at(velocity[d], STEP[d], back(STEP[c]), *shifts)
    return 0.25 * carrier * (at(velocity[c], *shifts) + at(velocity[c], STEP[d], *shifts))


def acceleration(velocity, c):
    """Of velocity c, without the pressure."""
    result = np.full((NZ, NY, NX), FORCE if c == 0 else 0.0)
    v = velocity[c]
    for d in range(3):
        result -= (flux(velocity, c, d) - flux(velocity, c, d, back(STEP[d]))) / H[d]
        result += VISCOSITY * (at(v, STEP[d]) - 2 * at(v) + at(v, back(STEP[d]))) / H[d] ** 2
    return result


def divergence(velocity):
    """Of the velocity, in every cell."""
    return sum((at(velocity[d], STEP[d]) - at(velocity[d])) / H[d] for d in range(3))


def project(velocity, pressure):
    """Subtract the pressure's gradient, whose ghosts are what the equations have there."""
    ghosted = np.pad(np.pad(pressure, ((0, 0), (1, 1), (1, 1)), mode="wrap"), ((1, 1), (0, 0), (0, 0)), mode="edge")
    for d in range(3):
        at(velocity[d])[...] -= DT / H[d] * (at(ghosted) - at(ghosted, back(STEP[d])))
    fill_ghosts(velocity)


def stirred():
    """The parabola of the steady flow, stirred."""
    velocity = np.zeros((3, NZ + 2, NY + 2, NX + 2))
    x = ((np.arange(NX) + 0.5) * H[0])[None, None, :]
    y = ((np.arange(NY) + 0.5) * H[1])[None, :, None]
    z = ((np.arange(NZ) + 0.5) * H[2])[:, None, None]
    at(velocity[0])[...] = FORCE / (2 * VISCOSITY) * z * (2 - z) + 0.1 * np.sin(np.pi * y) * np.sin(np.pi * z)
    at(velocity[1])[...] = 0.1 * np.sin(np.pi * x / 2) * np.sin(np.pi * z)
    fill_ghosts(velocity)
    return velocity


def plan_pressure():
    """The Poisson problem of the pressure, analysed once for all steps."""
    return sf.Plan((NZ, NY, NX), length=(4, 2, 2), bc={"x": "periodic", "y": "periodic", "z": "neumann"},
                   grid={"x": "cell", "y": "cell", "z": "cell"})


def advance(velocity):
    """One step of everything but the pressure."""
    change = [acceleration(velocity, c) for c in range(3)]
    for c in range(3):
        at(velocity[c])[...] += DT * change[c]
    fill_ghosts(velocity)


def take_step(plan, velocity):
    """A time step, after which the divergence is zero."""
    advance(velocity)
    project(velocity, plan.solve(divergence(velocity) / DT))


def kinetic_energy(velocity):
    """Of a cell, in the mean."""
    return sum(0.5 * (at(v) ** 2).sum() for v in velocity) / (NX * NY * NZ)


def main(steps):
    """The time loop."""
    plan, velocity = plan_pressure(), stirred()
    for step in range(1, steps + 1):
        take_step(plan, velocity)
        if step % 50 == 0:
            small = "yes" if np.abs(divergence(velocity)).max() < 1e-12 else "no"
            print(f"step {step}: energy {kinetic_energy(velocity):.12f}, divergence below 1e-12: {small}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)

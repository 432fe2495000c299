# SPDX-License-Identifier: LGPL-2.1-or-later
"""A context on a communicator, on two ranks: each passes its own planes, and has those of the solution of one process.
With mpi4py the communicator is its own; without, MPI is called by ctypes: the package wants py2f() alone of it."""
import ctypes
import re
import sys

import numpy as np
import pystarfish as sf

MULTIPLE = 3


class World:
    """MPI_COMM_WORLD of Open MPI, as far as mpi4py's class is needed here."""

    def __init__(self):
        self.mpi, level = ctypes.CDLL("libmpi.so.40", mode=ctypes.RTLD_GLOBAL), ctypes.c_int()
        assert self.mpi.MPI_Init_thread(None, None, MULTIPLE, ctypes.byref(level)) == 0 and level.value == MULTIPLE

    def py2f(self):
        return self.mpi.MPI_Comm_c2f(ctypes.byref(ctypes.c_char.in_dll(self.mpi, "ompi_mpi_comm_world")))

    def end(self):
        assert self.mpi.MPI_Finalize() == 0


try:
    from mpi4py import MPI
    world = MPI.COMM_WORLD
except ImportError:
    try:
        world = World()
    except OSError:
        print("neither mpi4py nor Open MPI: skipped")
        sys.exit(77)

for number, why in ((2 ** 31 - 1, "no such communicator"), (1.5, "^comm: must be")):
    try:
        sf.Context(comm=number)
        sys.exit(f"{number} is taken for a communicator")
    except sf.StarfishError as error:
        assert re.search(why, str(error)), error
shape, bc = (9, 8, 10), {"x": "periodic", "y": "neumann", "z": ("dirichlet", "neumann")}
f, g = np.random.default_rng(1).random(shape), np.random.default_rng(2).random(shape[1:])
with sf.Context(comm=world) as context:
    rank, ranks = context.rank()
    assert ranks == 2, ranks
    first, count = context.planes(shape[0])
    assert 0 < count < shape[0]
    here = f[first:first + count]
    u = sf.Plan(shape, bc=bc, grid={"y": "cell"}, context=context).solve(here, {"z0": g})
    gathered = sf.Plan(shape, bc=bc, grid={"y": "cell"}, method="blktri", context=context).solve(here, {"z0": g})
    bubbles = sf.DiffusionPlan(shape, 1 + here, bc=bc, context=context).solve(here, {"z0": g})
    layers = sf.AtmospherePlan(shape, height=0.1, omega=0.1, lam=1, context=context).solve(here)
if isinstance(world, World):
    world.end()
else:
    assert (world.Get_rank(), world.Get_size()) == (rank, ranks)
for found, expected in ((u, sf.solve(f, bc=bc, grid={"y": "cell"}, boundary={"z0": g})),
                        (gathered, sf.solve(f, bc=bc, grid={"y": "cell"}, boundary={"z0": g})),
                        (bubbles, sf.DiffusionPlan(shape, 1 + f, bc=bc).solve(f, {"z0": g})),
                        (layers, sf.AtmospherePlan(shape, height=0.1, omega=0.1, lam=1).solve(f))):
    assert np.abs(found - expected[first:first + count]).max() < 1e-8 * np.abs(expected).max()
print(f"rank {rank} of {ranks}, a communicator of {type(world).__module__}")

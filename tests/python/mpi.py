"""A context on a communicator, on two ranks: each passes its own planes, and has those of the solution of one process.
MPI is called by ctypes, so that mpi4py is not needed: of a communicator the package wants py2f() alone."""
import ctypes
import sys

import numpy as np
import pystarfish as sf

try:
    MPI = ctypes.CDLL("libmpi.so.40", mode=ctypes.RTLD_GLOBAL)
except OSError:
    print("no Open MPI: skipped")
    sys.exit(77)
MULTIPLE = 3


class World:
    """MPI_COMM_WORLD of Open MPI."""

    def py2f(self):
        return MPI.MPI_Comm_c2f(ctypes.byref(ctypes.c_char.in_dll(MPI, "ompi_mpi_comm_world")))


level = ctypes.c_int()
assert MPI.MPI_Init_thread(None, None, MULTIPLE, ctypes.byref(level)) == 0 and level.value == MULTIPLE
shape, bc = (9, 8, 10), {"x": "periodic", "y": "neumann", "z": ("dirichlet", "neumann")}
f, g = np.random.default_rng(1).random(shape), np.random.default_rng(2).random(shape[1:])
with sf.Context(comm=World()) as context:
    rank, ranks = context.rank()
    assert ranks == 2, ranks
    first, count = context.planes(shape[0])
    assert 0 < count < shape[0]
    here = f[first:first + count]
    u = sf.Plan(shape, bc=bc, grid={"y": "cell"}, context=context).solve(here, {"z0": g})
    gathered = sf.Plan(shape, bc=bc, grid={"y": "cell"}, method="blktri", context=context).solve(here, {"z0": g})
assert MPI.MPI_Finalize() == 0
expected = sf.solve(f, bc=bc, grid={"y": "cell"}, boundary={"z0": g})
for found in (u, gathered):
    assert np.abs(found - expected[first:first + count]).max() < 1e-12 * np.abs(expected).max()

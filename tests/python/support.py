# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the tests of Python share: a discrete oracle that is applied row by row, and the program."""
import json
import os
import pathlib
import subprocess

import numpy as np

PROGRAM = os.environ.get("STARFISH_PROGRAM")


def neighbours(u, d, ends, h, boundary):
    """u at the low and the high neighbour along NumPy axis d of cells: periodic, or ghosts of the ends' data."""
    first, last = np.take(u, [0], d), np.take(u, [-1], d)
    if ends == "periodic":
        low, high = last, first
    else:
        low = 2 * boundary[0] - first if ends[0] == "dirichlet" else first - h * boundary[0]
        high = 2 * boundary[1] - last if ends[1] == "dirichlet" else last + h * boundary[1]
    inner = [slice(None)] * u.ndim
    below, above = list(inner), list(inner)
    below[d], above[d] = slice(None, -1), slice(1, None)
    return (np.concatenate([low, u[tuple(below)]], d), np.concatenate([u[tuple(above)], high], d))


def apply_cells(u, length, bc, boundary, lam):
    """u_xx + u_yy + u_zz + lam u on cells, by the definition of DESIGN's grids."""
    result = lam * u
    for d, axis in enumerate(("x", "y", "z")[:u.ndim]):
        where = u.ndim - 1 - d
        h = length[d] / u.shape[where]
        data = [boundary.get(f"{axis}{side}", 0.0) for side in (0, 1)]
        data = [np.expand_dims(g, where) if isinstance(g, np.ndarray) else g for g in data]
        low, high = neighbours(u, where, bc[axis], h, data)
        result = result + (low - 2 * u + high) / h ** 2
    return result


def run_program(folder, problem, arrays, *options):
    """`starfish solve` of a problem file with these arrays beside it; its JSON and its solution."""
    folder = pathlib.Path(folder)
    for name, array in arrays.items():
        np.save(folder / name, array)
    (folder / "problem.json").write_text(json.dumps(problem), encoding="utf-8")
    told = subprocess.run([PROGRAM, "solve", str(folder / "problem.json"), "--json", "--out", str(folder / "u.npy"),
                           *options], capture_output=True, text=True, check=True)
    return json.loads(told.stdout), np.load(folder / "u.npy")

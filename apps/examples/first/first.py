# SPDX-License-Identifier: LGPL-2.1-or-later
"""The first program in Python: the potential of a point charge in an earthed box, with every worker there is."""
import numpy as np
import pystarfish as sf

N = 63
rhs = np.zeros((N, N, N))
rhs[N // 2, N // 2, N // 2] = -64.0 ** 3
potential = sf.solve(rhs, bc={"x": "dirichlet", "y": "dirichlet", "z": "dirichlet"})
print(f"potential a quarter of the box away: {potential[N // 2, N // 2, N // 4]:.4f}")

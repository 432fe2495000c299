# SPDX-License-Identifier: LGPL-2.1-or-later
"""A kind of problem that the package knows from the library alone: the toy (../solver/helmholtz1d)."""
import unittest

import numpy as np
import pystarfish as sf

KIND = "helmholtz1d"
N, LENGTH, LAM = (9, 4), 1.5, -3.0
RANDOM = np.random.default_rng(3)


def expected(f, ends):
    """By a dense matrix: the value beyond an end is -u, u, or that of the other end."""
    n, h = f.shape[1], LENGTH / f.shape[1]
    beyond = {"dirichlet": -1, "neumann": 1}
    matrix = np.diag(np.full(n, LAM - 2 / h ** 2)) + (np.eye(n, k=1) + np.eye(n, k=-1)) / h ** 2
    for place, end in zip((0, n - 1), ends):
        if end == "periodic":
            matrix[place, n - 1 - place] += 1 / h ** 2
        else:
            matrix[place, place] += beyond[end] / h ** 2
    return np.linalg.solve(matrix, f.T).T


class Kinds(unittest.TestCase):
    """Keywords, options, results and errors from the tables."""

    def test_solves(self):
        f = RANDOM.random(N[::-1])
        for ends in (("dirichlet", "neumann"), ("periodic", "periodic"), ("neumann", "neumann")):
            for precision, bound in (("f64", 1e-9), ("f32", 1e-3)):
                for method in ("thomas", "jacobi"):
                    tolerance = 1e-5 if precision == "f32" else 1e-12
                    plan = sf.plan(KIND, n=N, length=LENGTH, ends=ends, lam=LAM, method=method, precision=precision,
                                   tolerance=tolerance)
                    u, info = plan.solve(f, return_info=True)
                    np.testing.assert_allclose(u, expected(f, ends), atol=bound * np.abs(u).max())
                    self.assertEqual((info["outcome"], info["iterations"] > 0), ("solved", method == "jacobi"))
                    self.assertLess(info["residual"], 1e-4)

    def test_plan(self):
        with sf.plan(KIND, n=N, length=LENGTH, ends="dirichlet", slabs=2) as plan:
            self.assertEqual((plan.about()["kind"], plan.method, plan.shape), (KIND, "thomas", N[::-1]))
            self.assertEqual(plan.about()["unknowns"], 36)
            self.assertIn("main_bytes", plan.memory())
        self.assertIn("max_iterations: jacobi: steps at most; default 10000", sf.options(KIND))

    def test_cancelled_or_short(self):
        plan = sf.plan(KIND, n=N, length=LENGTH, ends="dirichlet", method="jacobi", max_iterations=3)
        with self.assertRaisesRegex(sf.NumericalError, "not converged") as caught:
            plan.solve(np.ones(N[::-1]))
        self.assertEqual(caught.exception.info["iterations"], 3)

    def test_errors(self):
        for message, keywords in (
                (r"^ends: 'open' is not one of periodic, dirichlet, neumann", {"ends": "open"}),
                (r"^ends: must be one for each of x, y", {"ends": ["dirichlet"]}),
                (r"^length: must be a number", {"length": "1"}),
                (r"^problem.length is 0", {"length": 0}),
                (r"^problem.lambda is 1", {"lam": 1}),
                (r"^width: no option; there are method, precision, algorithm", {"width": 1}),
                (r"^n: must be a whole number", {"n": (2, 0)}),
                (r"^n: must be 2 numbers", {"n": (2,)}),
                (r"^method: 'cg' is not one of thomas, jacobi", {"method": "cg"})):
            with self.assertRaisesRegex(sf.ArgumentError, message):
                sf.plan(KIND, **{"n": N, "length": LENGTH, "ends": "dirichlet", **keywords})
        with self.assertRaisesRegex(sf.ArgumentError, "^kind: 'helmholtz9d' is not one of"):
            sf.plan("helmholtz9d", n=N)
        with self.assertRaisesRegex(sf.ArgumentError, "^kind: poisson3d has a class of its own"):
            sf.plan("poisson3d", n=(4, 4, 4))
        with self.assertRaisesRegex(sf.SingularError, "lambda is 0"):
            sf.plan(KIND, n=N, length=LENGTH, ends="periodic")

    def test_of_the_library(self):
        """Kinds with classes, by their names."""
        f, shape = RANDOM.random((6, 5, 4)), (6, 5, 4)
        keywords = {"height": 0.1, "omega": 0.1, "lam": 0.5, "faces": np.linspace(0, 0.1, 7)}
        mine = sf.plan("atmosphere3d", n=shape[::-1], geometry="flat", length=1.0, periodic=True, **keywords)
        theirs = sf.AtmospherePlan(shape, periodic=True, **keywords)
        np.testing.assert_array_equal(mine.solve(f), theirs.solve(f))


if __name__ == "__main__":
    unittest.main()

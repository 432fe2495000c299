# SPDX-License-Identifier: LGPL-2.1-or-later
"""sf.LinearOperator: the products of all families with M and with its adjoint are one matrix and its transpose."""
import sys
import unittest

import numpy as np
import pystarfish as sf

try:
    from scipy.sparse import linalg
except ImportError:
    sys.exit(77)

RANDOM = np.random.default_rng(3)
FACES = np.cumsum(np.append(0, RANDOM.random(7) + 0.2))
DD, NN, DN, ND = (tuple({"D": "dirichlet", "N": "neumann"}[end] for end in ends) for ends in ("DD", "NN", "DN", "ND"))


def rows(n, periodic=False, zero_sums=False, change=None, imaginary=0.0):
    """A tridiagonal matrix without symmetry, dominant or of zero sums."""
    lower, upper = (RANDOM.random(n) + 0.5 + imaginary * 1j * RANDOM.random(n) for _ in range(2))
    if not periodic:
        lower[0] = upper[-1] = 0
    if change:
        change(lower, upper)
    diag = -(lower + upper) - (0 if zero_sums else 1)
    if not periodic:
        lower[0] = upper[-1] = np.nan  # ignored
    if not imaginary:
        lower, diag, upper = lower.real, diag.real, upper.real
    return {"lower": lower, "diag": diag, "upper": upper, "periodic": periodic}


def one_way(lower, _):
    lower[2] = 0


def steep(lower, _):
    lower *= 1e5


class Adjoints(unittest.TestCase):
    def check(self, plan, bound=1e-10, symmetric=None):
        operator = sf.LinearOperator(plan)
        unit = np.eye(operator.shape[0], dtype=operator.dtype)
        matrix = np.stack([operator.matvec(column) for column in unit], 1)
        adjoint = np.stack([operator.rmatvec(column) for column in unit], 1)
        size = np.abs(matrix).max()
        self.assertEqual(operator.dtype, matrix.dtype)
        self.assertLess(np.abs(adjoint - matrix.conj().T).max(), bound * size)
        if symmetric is not None:
            self.assertEqual(bool(np.abs(matrix - matrix.T).max() < bound * size), symmetric)
        plan.close()

    def test_ends_and_grids(self):
        """Node ends of Neumann have half a volume, and stretched cells their widths."""
        for ends in (DD, NN, DN, ND):
            nodes = FACES[:3 + ends.count("dirichlet")]
            bc = {"x": ends, "y": NN, "z": ends}
            cells = {"y": {"faces": FACES[:3]}, "z": {"faces": FACES[:4]}}
            for grid in ({}, {"x": "cell", "z": {"nodes": nodes}}, cells):
                with self.subTest(ends=ends, grid=grid):
                    self.check(sf.Plan((3, 2, 3), bc=bc, grid=grid, lam=-1.0))
        self.check(sf.Plan((3, 2, 3), bc={"x": "periodic", "y": DD, "z": DN}, grid={"z": "cell"}), symmetric=True)
        self.check(sf.Plan((3, 2, 2), bc={"x": "periodic", "y": NN, "z": NN}, lam=-1.0), symmetric=False)
        self.check(sf.Plan((2, 2, 2), bc={"x": "periodic", "y": NN, "z": DD}, count=2), symmetric=True)
        self.check(sf.Plan((3, 2, 2), bc={"x": "periodic", "y": NN, "z": DN}, precision="f32"), bound=1e-5)

    def test_singular(self):
        every = {"x": NN, "y": NN, "z": NN}
        self.check(sf.Plan((3, 2, 3), bc=every))
        self.check(sf.Plan((3, 2, 3), bc=every, grid={"x": "cell", "z": {"faces": FACES[:4]}}))
        for periodic in (False, True):
            self.check(sf.Plan((5, 2, 3), bc=every, grid={"z": rows(5, periodic, zero_sums=True)}))

    def test_tridiagonal_rows(self):
        """Rows without symmetry: lower and upper change places, in rings and where rows are coupled one way, too."""
        for periodic in (False, True):
            for change in (None, one_way, steep):
                for imaginary in (0.0, 1.0):
                    with self.subTest(periodic=periodic, change=change, imaginary=imaginary):
                        self.check(sf.Plan2D(rows(4, periodic, change=change, imaginary=imaginary), rows(3)))
            self.check(sf.Plan((4, 2, 3), bc={"x": "periodic", "y": NN}, grid={"z": rows(4, periodic)}))
        self.check(sf.Plan2D(rows(3), rows(4, True), complex_rhs=True))
        plan = sf.Plan2D(rows(4, zero_sums=True, change=one_way), rows(3, zero_sums=True))
        with self.assertRaisesRegex(sf.ArgumentError, "^plan: has no adjoint"):
            sf.LinearOperator(plan).rmatvec(np.ones(12))

    def test_batches(self):
        lower, upper, diag = RANDOM.random((3, 5)) + 0.5, RANDOM.random((3, 5)) + 0.5, np.full((3, 5), -4.0)
        for periodic in (False, True):
            self.check(sf.TridiagonalPlan(lower, diag, upper, periodic=periodic, shift=RANDOM.random(3)))
            self.check(sf.TridiagonalPlan(lower.T.copy(), diag.T.copy(), upper.T.copy(), interleaved=True))
            self.check(sf.TridiagonalPlan(lower[0], diag[0], upper[0], periodic=periodic, lines=2))
        plan = sf.TridiagonalPlan(lower, diag, upper)
        sf.LinearOperator(plan).rmatvec(np.ones(15))
        lower[:] = 0.25
        plan.update()
        self.check(plan)

    def test_multigrid(self):
        """Integrals and load vectors have symmetric matrices; values are weighed by their volumes."""
        exact = {"tolerance": 1e-12}
        widths = {n: RANDOM.random(n) + 0.3 for n in range(1, 6)}
        self.check(sf.Q1Plan([widths[4], widths[3]], bc={"x": DD, "y": ND}, **exact), symmetric=True)
        for bc in ({"x": DD, "y": "periodic", "z": ND}, {"x": NN, "y": "periodic", "z": NN}):
            for factor in (0.0, -2.0):
                for grid in ("cell", "node"):
                    n = [3 if grid == "cell" or ends == "periodic" else 2 + ends.count("dirichlet")
                         for ends in bc.values()]
                    plan = sf.StencilPlan((3, 3, 3), [widths[k] for k in n], bc=bc, grid=grid, rhs_factor=factor,
                                          **exact)
                    with self.subTest(bc=bc, factor=factor, grid=grid):
                        self.check(plan, symmetric=factor == 0)

    def test_diffusion_and_flat_domains(self):
        exact = {"tolerance": 1e-12}
        for ends in (DD, NN):
            plan = sf.DiffusionPlan((4, 5), np.exp(RANDOM.random((4, 5))), bc={"x": ends, "y": NN}, **exact)
            self.check(plan, symmetric=True)
        flat = {"height": 0.1, "omega": 0.1, "lam": 0.5, **exact}
        faces = [0, 0.01, 0.03, 0.1]
        self.check(sf.AtmospherePlan((3, 3, 4), faces=faces, **flat), symmetric=False)
        self.check(sf.AtmospherePlan((3, 3, 4), geometry="panel", faces=faces, **flat), symmetric=False)
        self.check(sf.AtmospherePlan((2, 12, 2), geometry="sphere", **flat), symmetric=False)

    def test_elements_have_no_right_hand_sides(self):
        mesh = sf.Mesh([[0, 0], [1, 0], [0, 1], [1, 1]], [[0, 1, 2, 3]], {1: [(0, (0, 1))]})
        with self.assertRaisesRegex(sf.ArgumentError, "^plan: must be a plan with right-hand sides"):
            sf.LinearOperator(sf.FemPlan(mesh, refinements=1, dirichlet={1: 0}))

    def test_krylov_methods_with_adjoints(self):
        """bicg takes few steps for an operator close to the plan's, on stretched cells with Neumann ends."""
        n = 6
        bc, grid = {"x": "periodic", "y": NN, "z": DN}, {"z": {"faces": FACES[:n + 1]}}
        plan = sf.Plan((n, n, n), bc=bc, grid=grid, lam=-1.0)
        M, f = sf.LinearOperator(plan), RANDOM.random(n ** 3)
        A = np.linalg.inv(np.stack([M.matvec(column) for column in np.eye(n ** 3)], 1))
        A -= np.diag(RANDOM.random(n ** 3))
        steps = []
        u, failed = linalg.bicg(A, f, M=M, maxiter=30, callback=steps.append, atol=0)
        self.assertEqual(failed, 0)
        self.assertLess(len(steps), 20)
        self.assertLess(np.linalg.norm(A @ u - f), 2e-5 * np.linalg.norm(f))


if __name__ == "__main__":
    unittest.main()

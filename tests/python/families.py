# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plans of tridiagonal batches, multigrid, diffusion, flat domains and finite elements against dense matrices."""
import inspect
import unittest

import numpy as np
import pystarfish as sf
from pystarfish import _options
from support import apply_cells

RANDOM = np.random.default_rng(7)


def dense(lower, diag, upper, periodic):
    n = len(diag)
    matrix = np.diag(diag) + np.diag(lower[1:], -1) + np.diag(upper[:-1], 1)
    if periodic:
        matrix[0, n - 1] += lower[0]
        matrix[n - 1, 0] += upper[n - 1]
    return matrix


class Families(unittest.TestCase):
    """A solve of each."""

    def test_tridiagonal(self):
        lines, n = 5, 9
        lower, upper = RANDOM.random((lines, n)), RANDOM.random((lines, n))
        diag, f = 3 + RANDOM.random((lines, n)), RANDOM.random((lines, n))
        for periodic in (False, True):
            expected = np.stack([np.linalg.solve(dense(a, b, c, periodic), d)
                                 for a, b, c, d in zip(lower, diag, upper, f)])
            plan = sf.TridiagonalPlan(lower, diag, upper, periodic=periodic, check=True)
            found, info = plan.solve(f, return_info=True)
            np.testing.assert_allclose(found, expected, rtol=1e-12)
            self.assertEqual((info["outcome"], info["history"], "residual" in info), ("solved", [], False))
            self.assertGreaterEqual(info["worker"]["cpu"]["tasks"] + info["worker"]["gpu"]["tasks"], 1)
            self.assertEqual((plan.about()["kind"], plan.about()["unknowns"]), ("tridiag", lines * n))
            self.assertGreaterEqual(plan.growth()[0], 0)
            turned = sf.TridiagonalPlan(lower.T, diag.T, upper.T, periodic=periodic, interleaved=True,
                                        algorithm="thomas")
            np.testing.assert_allclose(turned.submit(f.T).wait(), expected.T, rtol=1e-12)
        shift = np.arange(lines, dtype=float)
        shared = sf.TridiagonalPlan(lower[0], diag[0], upper[0], lines=lines, shift=shift, precision="f32")
        expected = np.stack([np.linalg.solve(dense(lower[0], diag[0] + s, upper[0], False), d)
                             for s, d in zip(shift, f)])
        np.testing.assert_allclose(shared.solve(f), expected, rtol=1e-4)
        with self.assertRaisesRegex(sf.ArgumentError, "^algorithm: 'gauss' is not one of"):
            sf.TridiagonalPlan(lower, diag, upper, algorithm="gauss")
        with self.assertRaisesRegex(ValueError, r"^lower: must be of shape \(5, 9\)"):
            sf.TridiagonalPlan(lower[:, 1:], diag, upper)

    def test_q1(self):
        m = 32
        bc = {"x": "dirichlet", "y": "dirichlet"}
        plan = sf.Q1Plan([np.full(m, 1 / m)] * 2, bc=bc, tolerance=1e-10)
        x = np.arange(1, m) / m
        exact = np.sin(np.pi * x)[:, None] * np.sin(np.pi * x)
        u, info = plan.solve(2 * np.pi ** 2 * exact / m ** 2, return_info=True)
        self.assertLess(np.abs(u - exact).max(), 5e-3)
        self.assertLess(info["residual"], 1e-10)
        self.assertEqual(len(info["history"]), info["count"])
        mixed = sf.Q1Plan([np.full(m, 1 / m)] * 2, bc=bc, tolerance=1e-10, precision="mixed")
        np.testing.assert_allclose(mixed.solve(2 * np.pi ** 2 * exact / m ** 2), u, rtol=1e-8)
        with self.assertRaisesRegex(sf.NumericalError, "cycles") as caught:
            sf.Q1Plan([np.full(m, 1 / m)] * 2, bc=bc, tolerance=1e-14, max_iterations=1).solve(exact)
        self.assertEqual(caught.exception.info["cycles"], 1)

    def test_stencil(self):
        shape, bc = (8, 12, 16), {"x": "periodic", "y": "neumann", "z": "dirichlet"}
        plan = sf.StencilPlan(shape, [np.full(n, 1 / n) for n in reversed(shape)], bc=bc, rhs_factor=1.0,
                              tolerance=1e-11)
        f = RANDOM.random(shape)
        ends = {"x": "periodic", "y": ("neumann",) * 2, "z": ("dirichlet",) * 2}
        np.testing.assert_allclose(-apply_cells(plan.solve(f), (1, 1, 1), ends, {}, 0.0), f, rtol=1e-7)

    def test_older_names_of_options(self):
        f = RANDOM.random((3, 8))
        lower, diag, upper = -np.ones(8), 3 * np.ones(8), -np.ones(8)
        for name in ("slabs", "pieces"):
            sf.TridiagonalPlan(lower, diag, upper, lines=3, **{name: 2}).solve(f)
            with self.assertRaisesRegex(sf.ArgumentError, "^options.slabs is 300"):
                sf.TridiagonalPlan(lower, diag, upper, lines=3, **{name: 300})
            with self.assertRaisesRegex(sf.ArgumentError, f"^{name}: must be a whole number"):
                sf.TridiagonalPlan(lower, diag, upper, lines=3, **{name: 0.5})

        widths, bc = [np.full(16, 1 / 16)] * 2, {"x": "dirichlet", "y": "dirichlet"}
        for name, method in (("conjugate_gradients", "cg"), ("bicgstab", "bicgstab")):
            self.assertEqual([sf.Q1Plan(widths, bc=bc, **{name: value}).method for value in (True, False)],
                             [method, "multigrid"])
            self.assertEqual(sf.Q1Plan(widths, bc=bc, krylov=method).method, method)
            with self.assertRaisesRegex(sf.ArgumentError, f"^{name}: "):
                sf.Q1Plan(widths, bc=bc, **{name: "cg"})
            with self.assertRaisesRegex(sf.ArgumentError, f"^{name}: no option"):
                sf.FemPlan(sf.Mesh([(0, 0), (1, 0), (0, 1), (1, 1)], [(0, 1, 2, 3)]), **{name: True})

    def test_options_with_names_of_arguments(self):
        """Every option of a family is a keyword, also where an argument has its name: `shape` of the cycles."""
        widths, bc = [np.ones(4)] * 3, {"x": "dirichlet", "y": "dirichlet", "z": "dirichlet"}
        found = [sf.StencilPlan((4, 4, 4), widths, bc=bc, tolerance=0, most_cycles=1, shape=shape).solve(
            np.ones((4, 4, 4)), return_info=True)[1]["cycles"] for shape in ("v", "w")]
        self.assertEqual(found, [1, 1])
        with self.assertRaisesRegex(sf.ArgumentError, "^shape: 'x' is not one of v, f, w"):
            sf.StencilPlan((4, 4, 4), widths, bc=bc, shape="x")
        for kind in (getattr(sf, name) for name in sf.__all__):
            family = getattr(kind, "family", "")
            named = {name for name, p in inspect.signature(kind).parameters.items()
                     if p.kind != p.POSITIONAL_ONLY} if family else set()
            # These two arguments are the options of that name.
            self.assertEqual(named.intersection(_options.table(family) if family else ()) - {"method", "precision"},
                             set(), kind)

    def test_diffusion(self):
        f = RANDOM.random((10, 12))
        bc = {"x": ("dirichlet", "neumann"), "y": ("neumann", "neumann")}
        boundary = {"x0": 2.0, "y1": RANDOM.random(12)}
        u, info = sf.DiffusionPlan(f.shape, 3.0, bc=bc, lam=-1.0, method="cg",
                                   preconditioner="jacobi", deflation="none").solve(f, boundary, return_info=True)
        scaled = apply_cells(u, (1, 1), bc, boundary, -1.0 / 3)
        np.testing.assert_allclose(3 * scaled, f, atol=1e-6)
        self.assertGreater(info["iterations"], 1)
        paper = {"method": "cg", "preconditioner": "ip", "deflation": "blocks", "dropped_fill": True,
                 "matrix_free": True, "product_with_az": True, "separate_tasks": True}  # not stable
        plan = sf.DiffusionPlan(f.shape, 3.0, bc=bc, lam=-1.0, coarse="dense", **paper)
        np.testing.assert_allclose(plan.solve(f, boundary), u, atol=1e-6)
        with self.assertRaisesRegex(sf.ArgumentError, "^coarse: "):
            sf.DiffusionPlan(f.shape, 3.0, bc=bc, lam=-1.0, coarse="exact", **paper)
        k = np.where(RANDOM.random((6, 7, 8)) > 0.5, 1e3, 1.0)
        regions = (k > 1).astype(np.int16)
        bc = {axis: "neumann" for axis in "xyz"}
        plan = sf.DiffusionPlan(k.shape, k, bc=bc, regions=regions, deflation="regions", preconditioner="jacobi")
        self.assertLess(plan.solve(RANDOM.random(k.shape), return_info=True)[1]["residual"], 1e-9)
        with self.assertRaisesRegex(sf.ArgumentError, "^regions: must be integers"):
            sf.DiffusionPlan(k.shape, k, bc=bc, regions=k)

    def test_atmosphere(self):
        shape = (4, 16, 16)
        plan = sf.AtmospherePlan(shape, height=0.1, omega=0.05, lam=1.0, periodic=True)
        f = RANDOM.random(shape)
        u, info = plan.solve(f, return_info=True)
        ends = {"x": "periodic", "y": "periodic", "z": ("neumann",) * 2}
        laplace = apply_cells(u, (1, 1, 0.1), ends, {}, 0.0)
        np.testing.assert_allclose(u - 0.05 ** 2 * laplace, f, atol=1e-8)
        self.assertEqual(plan.method, "multigrid")
        self.assertLess(info["residual"], 1e-10)
        self.assertEqual((info["outcome"], len(info["history"])), ("solved", info["iterations"] + 1))
        self.assertEqual((plan.about()["kind"], plan.about()["unknowns"]), ("atmosphere3d", f.size))

    def test_fem(self):
        points = [(x, y) for y in (0.0, 0.5, 1.0) for x in (0.0, 0.5, 1.0)]
        cells = [(i + 3 * j, i + 1 + 3 * j, i + 3 * j + 3, i + 3 * j + 4) for j in range(2) for i in range(2)]
        sides = [(i + 2 * j, place) for i in range(2) for j in range(2)
                 for place in ((2 * i, 1), (1, 2 * j))]
        mesh = sf.Mesh(points, cells, {7: sides})

        def exact(x, y):
            return np.sin(2.1 * x + 0.3) * np.cosh(1.3 * y)

        def source(x, y):
            return (2.1 ** 2 - 1.3 ** 2) * exact(x, y)
        errors = []
        for refinements in (2, 3):
            plan = sf.FemPlan(mesh, refinements=refinements, rhs=source, dirichlet={7: exact}, smoother="jacobi")
            u, info = plan.solve(return_info=True)
            at = plan.points()
            errors.append(np.abs(u - exact(at[:, 0], at[:, 1])).max())
            self.assertEqual(info["levels"], refinements + 1)
        self.assertLess(errors[1], 0.3 * errors[0])
        with self.assertRaisesRegex(sf.ArgumentError, "^smoother: 'sor' is not one of"):
            sf.FemPlan(mesh, smoother="sor")

    def test_meshes_and_functions_are_checked(self):
        points, cells = [[0, 0], [1, 0], [0, 1], [1, 1]], [[0, 1, 2, 3]]
        for name, changed in (("points", {"points": [0, 1]}), ("cells", {"cells": [[0, 1, 2, 4]]}),
                              ("cells", {"cells": [[0, 1, 2.5, 3]]}), ("groups", {"groups": {1: [(0, (0, 3))]}}),
                              ("groups", {"groups": {2 ** 40: [(0, (0, 1))]}})):
            with self.subTest(changed=changed), self.assertRaisesRegex(sf.ArgumentError, f"^{name}"):
                sf.Mesh(**{"points": points, "cells": cells, **changed})
        mesh = sf.Mesh(points, cells, {1: [(0, (0, 1))]})

        def broken(*_):
            raise KeyError("of the function")
        for where in ({"rhs": broken}, {"dirichlet": {1: broken}}):
            with self.assertRaisesRegex(KeyError, "of the function"):
                sf.FemPlan(mesh, **where)
        plan = sf.FemPlan(mesh, rhs=1.0, dirichlet={1: 0}, refinements=2)
        np.testing.assert_array_equal(plan.submit().wait(), plan.solve())

    def test_short_arrays_are_refused(self):
        bc = {"x": "dirichlet", "y": "neumann", "z": "periodic"}
        for widths, grid, name in (((5, 5, 4), "cell", 0), ((7, 5, 4), "node", 1), ((7, 4, 3), "node", 2)):
            with self.assertRaisesRegex(ValueError, rf"^widths\[{name}\]: must be of shape"):
                sf.StencilPlan((4, 5, 6), [np.ones(n) for n in widths], bc=bc, grid=grid)
        plan = sf.StencilPlan((4, 5, 6), [np.ones(n) for n in (7, 4, 4)], bc=bc, grid="node", initial_guess=True)
        with self.assertRaisesRegex(sf.ArgumentError, "^out: is needed"):
            plan.solve(np.ones((4, 5, 6)))

    def test_every_table_has_its_struct(self):
        for family in ("context", "poisson", "tridiag", "multigrid", "diffusion", "atmosphere", "fem"):
            self.assertGreater(len(sf.options(family).splitlines()), 3)


if __name__ == "__main__":
    unittest.main()

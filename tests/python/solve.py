# SPDX-License-Identifier: LGPL-2.1-or-later
"""pystarfish.solve and Plan against the definition of the equations, and against the program to the last bit."""
import copy
import pickle
import tempfile
import threading
import unittest

import numpy as np
import pystarfish as sf
from support import apply_cells, run_program

RANDOM = np.random.default_rng(5)
CELLS = {"x": "cell", "y": "cell", "z": "cell"}
BC = {"x": "periodic", "y": ("neumann", "neumann"), "z": ("dirichlet", "neumann")}


def relative(a, b):
    return np.abs(a - b).max() / np.abs(b).max()


class Solutions(unittest.TestCase):
    """What comes out solves the equations."""

    def test_all_pairs_of_ends(self):
        length, shape = (1.5, 1.0, 0.5), (5, 4, 6)
        for ends in ("periodic", ("dirichlet", "dirichlet"), ("dirichlet", "neumann"), ("neumann", "dirichlet"),
                     ("neumann", "neumann")):
            for precision, bound in (("f64", 1e-12), ("f32", 2e-4)):
                bc = {"x": ends, "y": ends, "z": ends}
                boundary = {} if ends == "periodic" else {"x1": 0.5, "y0": RANDOM.random((5, 6)), "z1": -1.0}
                f = RANDOM.random(shape)
                u = sf.solve(f, length=length, bc=bc, grid=CELLS, boundary=boundary, lam=-2.0, precision=precision)
                with self.subTest(ends=ends, precision=precision):
                    self.assertEqual(u.dtype, np.float64 if precision == "f64" else np.float32)
                    self.assertLess(relative(apply_cells(u.astype(float), length, bc, boundary, -2.0), f), bound)

    def test_size_one(self):
        u = sf.solve(np.full((1, 1, 1), 3.0), bc={"x": "dirichlet", "y": "dirichlet", "z": "dirichlet"}, grid=CELLS)
        np.testing.assert_allclose(u, 3.0 / -12)

    def test_bits_of_the_program(self):
        f, g = RANDOM.random((9, 11, 14)), RANDOM.random((11, 14))
        faces = np.linspace(0, 1, 10) ** 1.3
        cases = (({"x": "uniform", "y": "cell", "z": "node"}, {"z": "node", "y": "cell"}, [1, 1, 0.5]),
                 ({"y": "cell", "z": {"faces": faces}}, {"y": "cell", "z": {"faces": "faces.npy"}}, [1, 1, None]))
        for grid, in_file, length in cases:
            for method in ("auto", "blktri"):
                problem = {"kind": "poisson3d", "n": [14, 11, 9], "length": length, "bc": BC, "grid": in_file,
                           "boundary": {"z0": "g.npy", "z1": -20}, "lambda": -0.5, "rhs": "f.npy"}
                with self.subTest(method=method, grid=in_file), tempfile.TemporaryDirectory() as folder:
                    told, expected = run_program(folder, problem, {"f": f, "g": g, "faces": faces}, "--method", method)
                    u, info = sf.solve(f, length=length, bc=BC, grid=grid, boundary={"z0": g, "z1": -20}, lam=-0.5,
                                       method=method, return_info=True)
                    self.assertEqual(u.tobytes(), expected.tobytes())
                    self.assertEqual(info["method"], told["method"])
                    self.assertLess(info["residual"], 1e-13)

    def test_separable(self):
        n = 12
        axis = {"lower": np.ones(n), "diag": np.full(n, -2.5), "upper": np.ones(n)}
        f = RANDOM.random((n, n))
        u = sf.Plan2D(axis, axis).solve(f)
        one = np.diag(axis["diag"]) + np.diag(np.ones(n - 1), 1) + np.diag(np.ones(n - 1), -1)
        np.testing.assert_allclose(u @ one.T + one @ u, f, rtol=1e-11)
        z = sf.Plan2D(axis, axis, complex_rhs=True).solve(f + 2j * f)
        np.testing.assert_allclose(z, u + 2j * u, rtol=1e-11)

    def test_tridiagonal_direction(self):
        n = 8
        grid = {"z": {"lower": np.ones(n), "diag": np.full(n, -3.0), "upper": np.ones(n), "periodic": True}}
        f, bc = RANDOM.random((n, n, n)), {"x": "periodic", "y": "dirichlet"}
        u, info = sf.solve(f, bc=bc, grid=grid, return_info=True)
        self.assertEqual(u.shape, (n, n, n))
        self.assertLess(info["residual"], 1e-13)


class Arrays(unittest.TestCase):
    """Other types and orders are converted, the solution goes where it is asked for."""

    def test_types_and_orders(self):
        f = RANDOM.integers(-9, 9, (6, 7, 8))
        with sf.Plan(f.shape, bc=BC, grid=CELLS) as plan:
            expected = plan.solve(f.astype(float))
            unaligned = np.frombuffer(b"x" + f.astype(float).tobytes(), np.uint8)[1:].view(float).reshape(f.shape)
            for given in (f, f.astype(np.float32), np.asfortranarray(f.astype(float)), f.tolist(),
                          np.repeat(f, 2, axis=2)[:, :, ::2], unaligned):
                np.testing.assert_array_equal(plan.solve(given), expected)
            out = np.empty(f.shape)
            self.assertIs(plan.solve(f, out=out), out)
            np.testing.assert_array_equal(out, expected)
            again = f.astype(float)
            plan.solve(again, out=again)
            np.testing.assert_array_equal(again, expected)
            for wrong in (np.empty(f.shape, np.float32), np.empty(f.shape, order="F"), [1, 2]):
                with self.assertRaisesRegex(TypeError, "^out: "):
                    plan.solve(f, out=wrong)

    def test_dlpack(self):
        class Other:
            """An array of another package."""
            def __init__(self, array):
                self.array = array

            def __dlpack__(self, **_):
                return self.array.__dlpack__()

            def __dlpack_device__(self):
                return self.array.__dlpack_device__()
        f = RANDOM.random((4, 5, 6))
        np.testing.assert_array_equal(sf.Plan(f.shape, bc=BC).solve(Other(f)), sf.Plan(f.shape, bc=BC).solve(f))

    def test_jobs_at_once(self):
        fields = [RANDOM.random((8, 9, 10)) for _ in range(4)]
        plan = sf.Plan((8, 9, 10), bc=BC)
        expected = [plan.solve(f) for f in fields]
        jobs = [plan.submit(f) for f in fields]
        for job, u in zip(reversed(jobs), reversed(expected)):
            np.testing.assert_array_equal(job.wait(), u)
            self.assertTrue(job.done)
        found = [None] * 4
        threads = [threading.Thread(target=lambda i=i: found.__setitem__(i, plan.solve(fields[i]))) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for u, other in zip(found, expected):
            np.testing.assert_array_equal(u, other)

    def test_many_problems(self):
        fields, g = RANDOM.random((3, 4, 5, 6)), RANDOM.random((3, 5, 6))
        with sf.Plan((4, 5, 6), bc=BC, count=3) as many, sf.Plan((4, 5, 6), bc=BC) as one:
            found = many.solve(fields, {"z0": g, "y1": 0.5})
            for f, face, u in zip(fields, g, found):
                np.testing.assert_allclose(u, one.solve(f, {"z0": face, "y1": 0.5}), rtol=1e-12)
            with self.assertRaisesRegex(ValueError, r"^f: must be of shape \(3, 4, 5, 6\)"):
                many.solve(fields[0])
        np.testing.assert_array_equal(sf.solve(fields, bc=BC, count=3, boundary={"z0": g, "y1": 0.5}), found)

    def test_scipy(self):
        try:
            from scipy.sparse import linalg
        except ImportError:
            self.skipTest("no SciPy")
        plan = sf.Plan((4, 5, 6), bc=BC, grid=CELLS, lam=-1.0)
        f = RANDOM.random(120)
        operator = linalg.LinearOperator((120, 120), matvec=lambda v: apply_cells(
            v.reshape(4, 5, 6), (1, 1, 1), BC, {}, -1.0).reshape(-1))
        u, failed = linalg.gmres(operator, f, M=sf.LinearOperator(plan), maxiter=3)
        self.assertEqual(failed, 0)
        np.testing.assert_allclose(u, plan.solve(f.reshape(4, 5, 6)).reshape(-1), rtol=1e-8)


class Errors(unittest.TestCase):
    """Bad input is an exception that names the argument."""

    def fails(self, kind, pattern, **changed):
        arguments = {"f": np.ones((4, 5, 6)), "bc": BC, **changed}
        with self.assertRaisesRegex(kind, pattern) as caught:
            sf.solve(**arguments)
        return caught.exception

    def test_arguments(self):
        self.fails(sf.ArgumentError, r"^bc\['y'\]: is missing", bc={"x": "periodic"})
        self.fails(sf.ArgumentError, r"^bc\['x'\]: must be", bc={**BC, "x": ("periodic", "neumann")})
        self.fails(sf.ArgumentError, r"^bc\['w'\]: is unknown", bc={**BC, "w": "periodic"})
        self.fails(sf.ArgumentError, r"^grid\['z'\]: must be one of", grid={"z": "round"})
        self.fails(sf.ArgumentError, r"^length: has no number for z", length=(1, 2))
        self.fails(sf.ArgumentError, r"^boundary\['x0'\]: x has no such end", boundary={"x0": 1.0})
        self.fails(ValueError, r"^boundary\['z0'\]: must be of shape \(5, 6\)", boundary={"z0": np.ones((6, 5))})
        self.fails(sf.ArgumentError, r"^f: must be of shape \(nz, ny, nx\)", f=np.ones((4, 5)))
        self.fails(TypeError, "^f: must be an array of real numbers", f=np.ones((4, 5, 6), complex))
        self.fails(sf.ArgumentError, "^method: 'magic' is not one of auto, slab", method="magic")
        self.fails(sf.ArgumentError, "^precision: 'f16' is not one of", precision="f16")
        self.fails(sf.ArgumentError, "^slab: no option; there are method", slab=3)
        self.fails(sf.ArgumentError, "^slabs: must be a whole number", slabs=1.5)
        self.fails(sf.ArgumentError, "^slabs: must be a whole number", slabs=2 ** 70)
        self.fails(sf.ArgumentError, "^check_data: must be True or False, is 'no'", check_data="no")
        self.fails(sf.ArgumentError, "^rhs_layout: no option", rhs_layout={"row": 70})  # arrays of Python are packed

    def test_wrong_types(self):
        for name in ("length", "bc", "grid", "boundary", "lam", "method", "precision", "origin", "context"):
            for value in ([], "x", {"a": 1}, object(), {1}, 1j):
                with self.subTest(name=name, value=value):
                    self.assertEqual(self.fails(sf.ArgumentError, name, **{name: value}).argument.split("[")[0], name)
        for value in ([[1, 2], [3]], "x", None, [object()]):
            self.fails((TypeError, ValueError), "^f: ", f=value)
        for shape in (5, (4, 5), (4, 5, 0), (4, 5, 6.5), (4, 5, 2 ** 70), "abc"):
            with self.assertRaisesRegex(sf.ArgumentError, "^shape: "):
                sf.Plan(shape, bc=BC)
        with self.assertRaisesRegex(sf.ArgumentError, "^policy: must be the name"):
            sf.Context(policy=5)
        with self.assertRaisesRegex(sf.ArgumentError, "^family: 'magic' is not one of context, .*poisson"):
            sf.options("magic")

    def test_masked_elements(self):
        """What is below a mask is not used, wherever arrays and numbers come in."""
        masked = {n: np.ma.masked_greater(np.arange(1.0, n + 1), n - 0.5) for n in (4, 5)}
        field = np.ma.array(np.ones((4, 5, 6)), mask=np.arange(120).reshape(4, 5, 6) == 7)
        ones, periodic = np.ones(4), {"x": "periodic", "y": "periodic"}
        plane = np.ma.array(np.ones((5, 6)), mask=np.eye(5, 6) > 0)
        rows = {"lower": ones, "diag": -3 * ones, "upper": ones}
        square = {"x": "dirichlet", "y": "dirichlet"}
        cases = {
            "f": lambda: sf.solve(field, bc=BC),
            "out": lambda: sf.Plan((4, 5, 6), bc=BC).solve(np.ones((4, 5, 6)), out=field.copy()),
            r"boundary\['z0'\]": lambda: sf.solve(np.ones((4, 5, 6)), bc=BC, boundary={"z0": plane}),
            r"boundary\['z1'\]": lambda: sf.solve(np.ones((4, 5, 6)), bc=BC, boundary={"z1": np.ma.masked}),
            r"grid\['z'\]\['faces'\]": lambda: sf.Plan((4, 5, 6), bc=BC, grid={"z": {"faces": masked[5]}}),
            r"x\['diag'\]": lambda: sf.Plan2D({**rows, "diag": masked[4]}, rows),
            "upper": lambda: sf.TridiagonalPlan(ones, -3 * ones, masked[4]),
            "shift": lambda: sf.TridiagonalPlan(ones, -3 * ones, ones, lines=4, shift=masked[4]),
            r"widths\[1\]": lambda: sf.Q1Plan([ones, masked[4]], bc=square),
            "lam": lambda: sf.solve(np.ones((4, 5, 6)), bc=BC, lam=np.ma.masked),
            "coefficient": lambda: sf.DiffusionPlan((5, 6), plane, bc=periodic),
            "regions": lambda: sf.DiffusionPlan((5, 6), 1.0, bc=periodic, regions=plane.astype(int)),
            "faces": lambda: sf.AtmospherePlan((4, 2, 2), height=1, omega=1, lam=1, faces=masked[5]),
            "points": lambda: sf.Mesh([np.ma.array([0.0, 0.0], mask=[0, 1]), [1, 0], [0, 1], [1, 1]], [[0, 1, 2, 3]]),
        }
        for name, call in cases.items():
            with self.subTest(name=name), self.assertRaisesRegex(sf.ArgumentError, f"^{name}: has masked elements"):
                call()
        whole = np.ma.array(np.ones((4, 5, 6)), mask=False)
        np.testing.assert_array_equal(sf.solve(whole, bc=BC), sf.solve(np.ones((4, 5, 6)), bc=BC))

    def test_messages_of_the_library(self):
        self.assertEqual(self.fails(sf.ArgumentError, "options.slabs is 99, not in 0..64", slabs=99).argument, "slabs")
        self.fails(sf.ArgumentError, "length", length=(1, -1, 1))
        self.fails(sf.SingularError, "mode", lam=float(4 * 8 ** 2), f=np.ones((8, 8, 8)), grid=CELLS,
                   bc={"x": "periodic", "y": "periodic", "z": "periodic"})
        self.assertTrue(issubclass(sf.ArgumentError, ValueError))

    def test_jobs_outlive_their_plan(self):
        fields, plan = [RANDOM.random((8, 9, 10)) for _ in range(4)], sf.Plan((8, 9, 10), bc=BC)
        expected, jobs = [plan.solve(f) for f in fields], [plan.submit(f) for f in fields]
        del jobs[3]  # nobody waits for this one
        plan.close()
        found = [None] * 6
        threads = [threading.Thread(target=lambda i=i: found.__setitem__(i, jobs[i // 2].wait())) for i in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for i, u in enumerate(found):
            np.testing.assert_array_equal(u, expected[i // 2])
        self.assertEqual(jobs[0].wait(return_info=True)[1]["method"], "slab")

    def test_nothing_is_copied(self):
        plan = sf.Plan((4, 4, 4), bc=BC)
        for thing in (plan, plan.context, plan.submit(np.ones((4, 4, 4)))):
            for way in (copy.copy, copy.deepcopy, pickle.dumps):
                with self.assertRaisesRegex(TypeError, "cannot be copied or pickled"):
                    way(thing)

    def test_closed(self):
        plan = sf.Plan((4, 4, 4), bc=BC)
        plan.close()
        with self.assertRaisesRegex(ValueError, "closed"):
            plan.solve(np.ones((4, 4, 4)))
        with sf.Context() as context:
            plan = sf.Plan((4, 4, 4), bc=BC, context=context)
            self.assertIn("cpu", [w["kind"] for w in context.workers()])
            self.assertEqual(context.runtime()["starfish_version"], sf.__version__)
        with self.assertRaisesRegex(ValueError, "closed"):
            plan.solve(np.ones((4, 4, 4)))


if __name__ == "__main__":
    unittest.main()

# SPDX-License-Identifier: LGPL-2.1-or-later
"""Arrays of CuPy and torch: solved where they are, without a copy, in the order of their streams, and refused where
their type, order or device does not fit. Exits with 77 where neither package or no GPU is there."""
import ctypes
import sys
import unittest

import numpy as np
import pystarfish as sf
from pystarfish import _library
from support import apply_cells

try:
    import cupy
except ImportError:
    cupy = None
try:
    import torch
except ImportError:
    torch = None

SHAPE = (24, 20, 32)
LENGTH = (1.0, 1.0, 1.0)
BC = {"x": "periodic", "y": ("neumann", "neumann"), "z": ("dirichlet", "neumann")}
CELLS = {"x": "cell", "y": "cell", "z": "cell"}
RANDOM = np.random.default_rng(11)


class Link(ctypes.Structure):
    """StarPU's struct starpu_profiling_bus_info: two times, what was moved since it was last asked."""
    _fields_ = [("times", ctypes.c_long * 4), ("bytes", ctypes.c_longlong), ("count", ctypes.c_int)]


def moved_by(work):
    """What StarPU has moved over links of any kind while `work` ran, and its result."""
    starpu, found = _library.library(), []
    for result in (None, work):
        result = result() if result else None
        links = [Link() for _ in range(starpu.starpu_bus_get_count())]
        for bus, link in enumerate(links):
            starpu.starpu_bus_get_profiling_info(bus, ctypes.byref(link))
        found = sum(link.bytes for link in links)
    return found, result


class Packages:
    """What both packages are tried with; a subclass has `make` (from NumPy), `host` (to NumPy), `kind`, and streams."""

    @classmethod
    def setUpClass(cls):
        cls.context = sf.Context(cpu_workers=0, gpu_workers=1)

    @classmethod
    def tearDownClass(cls):
        cls.context.close()

    def solve(self, f, **keywords):
        return sf.solve(f, bc=BC, grid=CELLS, context=self.context, **keywords)

    def plan(self, **keywords):
        return sf.Plan(SHAPE, bc=BC, grid=CELLS, context=self.context, **keywords)

    def test_precisions(self):
        for dtype, precision, bound in ((np.float64, "f64", 1e-12), (np.float32, "f32", 1e-3)):
            values = RANDOM.random(SHAPE).astype(dtype)
            u = self.solve(self.make(values), precision=precision)
            self.assertIsInstance(u, self.kind)
            found = self.host(u)
            self.assertEqual((found.dtype, found.shape), (dtype, SHAPE))
            error = np.abs(apply_cells(found.astype(float), LENGTH, BC, {}, 0.0) - values).max()
            self.assertLess(error / np.abs(values).max(), bound)

    def test_no_copies(self):
        """A plan's second solve moves scalars at most, and writes into the array it was given."""
        f, out, face = (self.make(RANDOM.random(shape)) for shape in (SHAPE, SHAPE, SHAPE[1:]))
        for method in ("slab", "blktri", "multigrid"):
            with self.subTest(method=method), self.plan(method=method) as plan:
                expected = plan.solve(self.host(f), {"z0": self.host(face)})
                plan.solve(f, {"z0": face}, out=out)
                returned, info = plan.solve(f, {"z0": face}, out=out, return_info=True)
                self.assertIs(returned, out)
                scalars = 0 if method != "multigrid" else 300 * info["iterations"] + 1000
                self.assertLessEqual(info["host_to_device"] + info["device_to_host"], scalars)
                np.testing.assert_allclose(self.host(out), expected, rtol=0, atol=1e-9 * np.abs(expected).max())

    def test_dlpack_alone(self):
        """A view without __cuda_array_interface__, and one of its part, which begins elsewhere."""
        class View:
            def __init__(self, array):
                self.array = array

            def __dlpack__(self, **keywords):
                return self.array.__dlpack__(**keywords)

            def __dlpack_device__(self):
                return self.array.__dlpack_device__()
        f = self.make(RANDOM.random((2, *SHAPE)))
        with self.plan() as plan:
            for part in (0, 1):
                u = plan.solve(View(f[part]))
                self.assertIsInstance(u, sf.DeviceArray)
                np.testing.assert_array_equal(self.host(self.wrap(u)), self.host(plan.solve(f[part])))

    def test_cuda_array_interface_alone(self):
        class View:
            def __init__(self, array):
                self.__cuda_array_interface__ = array.__cuda_array_interface__
        f = self.make(RANDOM.random(SHAPE))
        with self.plan() as plan:
            self.synchronize()
            u = plan.solve(View(f))
            np.testing.assert_array_equal(self.host(self.wrap(u)), self.host(plan.solve(f)))

    def test_own_stream(self):
        """What a stream still has to write is waited for: many passes over a large array, and then the solve."""
        values = RANDOM.random(SHAPE)
        with self.plan() as plan:
            expected = plan.solve(self.make(values))
            for submit in (False, True):
                stream = self.stream()
                with stream:
                    f = self.late(values)
                    job = plan.submit(f, stream=stream) if submit else plan.submit(f)
                    u = job.wait()
                self.synchronize()
                np.testing.assert_array_equal(self.host(u), self.host(expected))

    def test_order_of_a_stream(self):
        """What is put into the stream after the solve sees the solution, without waiting in between."""
        values = RANDOM.random(SHAPE)
        with self.plan(method="slab") as plan:
            expected, stream = 2 * self.host(plan.solve(self.make(values))), self.stream()
            with stream:
                f = self.late(values)
                out = self.make(np.zeros(SHAPE))
                job = plan.submit(f, out=out, stream=stream)
                doubled = 2 * out
            self.synchronize()
            job.wait()
            np.testing.assert_array_equal(self.host(doubled), expected)

    def test_families(self):
        """Of the other families: the answers of host memory. Nothing is moved but scalars of iterations, and where a
        norm is looked at its 2048 partial sums: less than a fifth of the field."""
        n, shape = 511, (64, 64, 64)
        f = RANDOM.random(shape)
        ends = {"x": "periodic", "y": "neumann", "z": "dirichlet"}
        square = {"x": "dirichlet", "y": "dirichlet"}
        rows = [self.make(np.full((500, n), factor)) for factor in (1.0, -4.0, 1.0)]
        widths = [np.full(n + 1, 1 / (n + 1))] * 2
        cases = (
            ("tridiagonal", sf.TridiagonalPlan(*rows, context=self.context), RANDOM.random((500, n))),
            ("q1", sf.Q1Plan(widths, bc=square, context=self.context), RANDOM.random((n, n))),
            ("stencil", sf.StencilPlan(shape, [np.full(64, 1 / 64)] * 3, bc=ends, rhs_factor=1.0, context=self.context),
             f),
            ("diffusion", sf.DiffusionPlan(shape, 1 + RANDOM.random(shape), bc=ends, context=self.context), f),
            ("atmosphere", sf.AtmospherePlan(shape, height=0.1, omega=0.05, lam=1.0, context=self.context), f),
        )
        for name, plan, rhs in cases:
            with self.subTest(name):
                expected, given = plan.solve(rhs), self.make(rhs)
                out = plan.solve(given)
                self.assertIsInstance(out, self.kind)
                moved, (u, info) = moved_by(lambda p=plan, g=given, o=out: p.solve(g, out=o, return_info=True))
                # What a solve tells of itself is no longer in StarPU's counters.
                moved += info.get("host_to_device", 0) + info.get("device_to_host", 0)
                print(f"{name}: {moved} bytes moved, {info.get('iterations', 0)} iterations, a field of {rhs.nbytes}")
                self.assertIs(u, out)
                self.assertLess(moved, min(17_000 * (1 + info.get("iterations", 0)), rhs.nbytes / 5))
                np.testing.assert_allclose(self.host(u), expected, rtol=0, atol=1e-7 * np.abs(expected).max())

    def test_errors(self):
        f = self.make(RANDOM.random(SHAPE))
        with self.assertRaisesRegex(TypeError, "^f: a device array must be of the plan's precision f32 .*'<f8'"):
            self.solve(f, precision="f32")
        with self.assertRaisesRegex(TypeError, "^f: .*is '<i4'; it is not copied"):
            self.solve(self.make(np.ones(SHAPE, np.int32)))
        with self.assertRaisesRegex(TypeError, "^f: .*is '<c16'; it is not copied"):
            self.solve(self.make(np.ones(SHAPE, complex)))
        with self.assertRaisesRegex(ValueError, "^f: a device array must be C-contiguous"):
            self.solve(self.make(RANDOM.random((32, 20, 24))).swapaxes(0, 2))
        with self.assertRaisesRegex(ValueError, r"^out: must be of shape \(24, 20, 32\)"):
            self.solve(f, out=self.make(np.zeros((24, 20, 31))))
        with self.assertRaisesRegex(TypeError, "^out: a device array must be of the plan's precision"):
            self.solve(f, out=self.make(np.zeros(SHAPE, np.float32)))
        with self.assertRaisesRegex(sf.ArgumentError, "^widths.0.: must be in host memory"):
            sf.Q1Plan([self.make(np.full(8, 0.1))] * 2, bc={"x": "dirichlet", "y": "dirichlet"}, context=self.context)
        with self.plan() as plan, self.assertRaisesRegex(sf.ArgumentError, "device memory"):
            plan.submit(self.host(f), stream=self.stream())

    def test_host_and_device(self):
        """Each array may lie elsewhere; a context without GPUs refuses those on a GPU."""
        f, out = RANDOM.random(SHAPE), np.empty(SHAPE)
        with self.plan() as plan:
            expected = self.host(plan.solve(self.make(f)))
            plan.solve(self.make(f), out=out)
            np.testing.assert_array_equal(out, expected)
            u = self.make(np.zeros(SHAPE))
            plan.solve(f, out=u)
            np.testing.assert_array_equal(self.host(u), expected)

    def test_complex(self):
        n = 16
        axis = {"lower": np.ones(n), "diag": np.full(n, -2.5), "upper": np.ones(n)}
        f = RANDOM.random((n, n)) + 1j * RANDOM.random((n, n))
        with sf.Plan2D(axis, axis, complex_rhs=True, context=self.context) as plan:
            u = plan.solve(self.make(f))
            self.assertIsInstance(u, self.kind)
            np.testing.assert_allclose(self.host(u), plan.solve(f), rtol=1e-12)


@unittest.skipUnless(cupy, "no CuPy")
class Cupy(Packages, unittest.TestCase):
    """CuPy."""
    kind = cupy.ndarray if cupy else None

    def make(self, values):
        return cupy.asarray(values)

    wrap = make

    def host(self, array):
        return cupy.asnumpy(array) if isinstance(array, cupy.ndarray) else array

    def stream(self):
        return cupy.cuda.Stream(non_blocking=True)

    def synchronize(self):
        cupy.cuda.Device().synchronize()

    def late(self, values):
        """An array that the current stream fills after some milliseconds."""
        f, waste = cupy.zeros_like(self.make(values)), cupy.zeros(30_000_000)
        for _ in range(30):
            waste += 1
        f += cupy.asarray(values) + 0 * waste[0]
        return f


@unittest.skipUnless(torch and torch.cuda.is_available(), "no torch with CUDA")
class Torch(Packages, unittest.TestCase):
    """torch."""
    kind = torch.Tensor if torch else None

    def make(self, values):
        return torch.as_tensor(np.ascontiguousarray(values), device="cuda")

    def wrap(self, array):
        return torch.from_dlpack(array)

    def host(self, array):
        return array.cpu().numpy() if isinstance(array, torch.Tensor) else array

    class _Stream:
        """A stream that is current in a with statement."""

        def __init__(self):
            self.stream = torch.cuda.Stream()
            self.cuda_stream, self.guard = self.stream.cuda_stream, torch.cuda.stream(self.stream)

        def __enter__(self):
            self.guard.__enter__()

        def __exit__(self, *found):
            self.guard.__exit__(*found)

    def stream(self):
        return self._Stream()

    def synchronize(self):
        torch.cuda.synchronize()

    def late(self, values):
        """An array that the current stream fills after some milliseconds."""
        f, waste = torch.zeros_like(self.make(values)), torch.zeros(30_000_000, device="cuda", dtype=torch.float64)
        for _ in range(30):
            waste += 1
        f += self.make(values) + 0 * waste[0]
        return f

    def test_gradients_and_pinned_memory(self):
        f = self.make(RANDOM.random(SHAPE))
        expected = self.host(self.solve(f))
        with self.assertRaisesRegex((RuntimeError, BufferError), "grad"):
            self.solve(f.clone().requires_grad_())
        with torch.no_grad():
            for host in (f.cpu(), f.cpu().pin_memory()):
                np.testing.assert_array_equal(self.solve(host), expected)


class NoGpu(unittest.TestCase):
    """A context without GPUs."""

    def test_device_arrays_are_refused(self):
        make = Cupy().make if cupy else Torch().make
        with sf.Context(gpu_workers=0, cpu_workers=1) as context:
            with self.assertRaises(sf.StarfishError) as caught:
                sf.solve(make(np.ones(SHAPE)), bc=BC, grid=CELLS, context=context)
        print(f"without GPUs: {caught.exception}")


if __name__ == "__main__":
    try:
        sf.Context(cpu_workers=0).close()
    except sf.StarfishError as error:
        print(f"skipped: {error}")
        sys.exit(77)
    if not (cupy or torch):
        print("skipped: neither CuPy nor torch")
        sys.exit(77)
    unittest.main()

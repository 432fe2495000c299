# SPDX-License-Identifier: LGPL-2.1-or-later
"""Arrays in device memory, without CuPy or torch: they are neither copied nor sent over the link.

Exits with 77 where there is no GPU."""
import ctypes
import sys
import unittest

import numpy as np
import pystarfish as sf
from pystarfish import _library
from support import apply_cells

NZ, NY, NX = 24, 20, 32
BC = {"x": "periodic", "y": ("neumann", "neumann"), "z": ("dirichlet", "neumann")}
GRID = {"x": "cell", "y": "cell", "z": "cell"}


class Foreign:
    """An array of another package, as far as __cuda_array_interface__ says: made by cudaMalloc."""

    def __init__(self, host):
        self.cuda, self.host, self.bytes = _library.library(), host, ctypes.c_size_t(host.nbytes)
        self.pointer, self.stream = ctypes.c_void_p(), None
        assert self.cuda.cudaMalloc(ctypes.byref(self.pointer), self.bytes) == 0
        assert self.cuda.cudaMemcpy(self.pointer, ctypes.c_void_p(host.ctypes.data), self.bytes, 1) == 0

    @property
    def __cuda_array_interface__(self):
        return {"shape": self.host.shape, "typestr": self.host.dtype.str, "data": (self.pointer.value, False),
                "version": 3, "stream": self.stream}

    def values(self):
        found = np.empty_like(self.host)
        assert self.cuda.cudaMemcpy(ctypes.c_void_p(found.ctypes.data), self.pointer, self.bytes, 2) == 0
        return found

    def __del__(self):
        self.cuda.cudaFree(self.pointer)


class OnlyDlpack:
    """The same by DLPack alone."""

    def __init__(self, device_array):
        self.array = device_array

    def __dlpack__(self, **_):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def residual(u, f):
    """max |A u - f| by the definition, on cells of the unit cube."""
    return np.abs(apply_cells(u.astype(float), (1, 1, 1), BC, {}, 0) - f).max()


def moved(info):
    """Bytes over the link as a part of a field in f32: coefficients go there once, and norms come back."""
    return (info["host_to_device"] + info["device_to_host"]) / (4 * NX * NY * NZ)


class Device(unittest.TestCase):
    """Solves in device memory."""

    def setUp(self):
        self.values = np.random.default_rng(3).random((NZ, NY, NX))

    def test_precisions(self):
        for precision, kind, bound in (("f64", np.float64, 1e-10), ("f32", np.float32, 3e-2)):
            f = Foreign(self.values.astype(kind))
            u, info = sf.solve(f, bc=BC, grid=GRID, context=CONTEXT, precision=precision, return_info=True)
            self.assertIsInstance(u, sf.DeviceArray)
            self.assertEqual(u.bytes(), u.get().tobytes())
            self.assertLess(residual(u.get(), self.values), bound)
            self.assertLess(moved(info), 0.1, info)

    def test_out_streams_and_dlpack(self):
        f, out = Foreign(self.values), Foreign(np.zeros((NZ, NY, NX)))
        with sf.Plan((NZ, NY, NX), bc=BC, grid=GRID, context=CONTEXT) as plan:
            returned, info = plan.solve(f, out=out, return_info=True)
            self.assertIs(returned, out)
            self.assertLess(moved(info), 0.1, info)
            self.assertEqual(moved(plan.solve(f, out=out, return_info=True)[1]), 0)
            self.assertLess(residual(out.values(), self.values), 1e-10)
            stream = ctypes.c_void_p()
            self.assertEqual(f.cuda.cudaStreamCreate(ctypes.byref(stream)), 0)
            f.stream = stream.value
            plan.solve(f, out=out)
            job = plan.submit(f, stream=stream.value)
            u = job.wait()
            self.assertEqual(u.bytes(), out.values().tobytes())
            packed = OnlyDlpack(sf.DeviceArray.from_host(f.host.ravel(), f.host.shape))
            self.assertEqual(plan.solve(packed).bytes(), out.values().tobytes())
            self.assertEqual(f.cuda.cudaStreamDestroy(stream), 0)

    def test_fishpack(self):
        """Device arrays are copied to the host and back."""
        box = [0, 1, 24, 1, None, None, 0, 1, 20, 3]
        for kind in (np.float64, np.float32):
            f, data = np.random.default_rng(4).random((25, 21)).astype(kind), np.ones(25, kind)
            expected, _ = sf.fishpack.hwscrt(*box, data, 0.0, -1.0, f)
            for given in (Foreign(f), OnlyDlpack(sf.DeviceArray.from_host(f))):
                u, pertrb = sf.fishpack.hwscrt(*box, Foreign(data), 0.0, -1.0, given)
                self.assertIsInstance(u, sf.DeviceArray)
                np.testing.assert_array_equal(u.get(), expected)
                self.assertEqual(pertrb, 0.0)

    def test_errors(self):
        f = Foreign(self.values.astype(np.float32))
        with self.assertRaisesRegex(TypeError, "^f: a device array must be of the plan's precision f64"):
            sf.solve(f, bc=BC, grid=GRID, context=CONTEXT)
        with self.assertRaisesRegex(ValueError, r"^f: must be of shape"):
            sf.Plan((NZ, NY, NX + 1), bc=BC, grid=GRID, context=CONTEXT, precision="f32").solve(f)


if __name__ == "__main__":
    try:
        CONTEXT = sf.Context(cpu_workers=0)
    except sf.StarfishError as error:
        print(f"skipped: {error}")
        sys.exit(77)
    unittest.main()

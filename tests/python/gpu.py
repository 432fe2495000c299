"""Arrays in device memory, without NumPy, CuPy or torch: they are neither copied nor sent over the link.

Exits with 77 where there is no GPU."""
import array
import ctypes
import random
import sys
import unittest

import pystarfish as sf
from pystarfish import _library

NZ, NY, NX = 24, 20, 32
BC = {"x": "periodic", "y": ("neumann", "neumann"), "z": ("dirichlet", "neumann")}
GRID = {"x": "cell", "y": "cell", "z": "cell"}


class Foreign:
    """An array of another package, as far as __cuda_array_interface__ says: made by cudaMalloc."""

    def __init__(self, values, shape, typecode="d"):
        self.cuda, self.shape, self.host = _library.library(), shape, array.array(typecode, values)
        self.bytes = len(self.host) * self.host.itemsize
        self.pointer, self.stream = ctypes.c_void_p(), None
        assert self.cuda.cudaMalloc(ctypes.byref(self.pointer), ctypes.c_size_t(self.bytes)) == 0
        source = (ctypes.c_char * self.bytes).from_buffer(self.host)
        assert self.cuda.cudaMemcpy(self.pointer, source, ctypes.c_size_t(self.bytes), 1) == 0

    @property
    def __cuda_array_interface__(self):
        return {"shape": self.shape, "typestr": f"<f{self.host.itemsize}", "data": (self.pointer.value, False),
                "version": 3, "stream": self.stream}

    def values(self):
        found = array.array(self.host.typecode, bytes(self.bytes))
        target = (ctypes.c_char * self.bytes).from_buffer(found)
        assert self.cuda.cudaMemcpy(target, self.pointer, ctypes.c_size_t(self.bytes), 2) == 0
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
    """max |A u - f| by the definition: x periodic, y Neumann, z Dirichlet and Neumann, cells of the unit cube."""
    def at(i, j, k):
        return u[i + NX * (j + NY * k)]
    worst = 0.0
    for k in range(NZ):
        for j in range(NY):
            for i in range(NX):
                here = at(i, j, k)
                x = at((i + 1) % NX, j, k) + at((i - 1) % NX, j, k) - 2 * here
                y = at(i, min(j + 1, NY - 1), k) + at(i, max(j - 1, 0), k) - 2 * here
                z = at(i, j, min(k + 1, NZ - 1)) + (at(i, j, k - 1) if k > 0 else -here) - 2 * here
                worst = max(worst, abs(x * NX ** 2 + y * NY ** 2 + z * NZ ** 2 - f[i + NX * (j + NY * k)]))
    return worst


def moved(info):
    """Bytes over the link as a part of a field in f32: coefficients go there once, and norms come back."""
    return (info["host_to_device"] + info["device_to_host"]) / (4 * NX * NY * NZ)


class Device(unittest.TestCase):
    """Solves in device memory."""

    def setUp(self):
        generator = random.Random(3)
        self.values = [generator.random() for _ in range(NX * NY * NZ)]

    def test_precisions(self):
        for typecode, precision, bound in (("d", "f64", 1e-10), ("f", "f32", 3e-2)):
            f = Foreign(self.values, (NZ, NY, NX), typecode)
            u, info = sf.solve(f, bc=BC, grid=GRID, context=CONTEXT, precision=precision, return_info=True)
            self.assertIsInstance(u, sf.DeviceArray)
            found = array.array(typecode, u.bytes())
            self.assertLess(residual(found, self.values), bound)
            self.assertLess(moved(info), 0.1, info)

    def test_out_streams_and_dlpack(self):
        f, out = Foreign(self.values, (NZ, NY, NX)), Foreign([0.0] * len(self.values), (NZ, NY, NX))
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
            packed = OnlyDlpack(sf.DeviceArray.from_host(f.host, (NZ, NY, NX)))
            self.assertEqual(plan.solve(packed).bytes(), out.values().tobytes())
            self.assertEqual(f.cuda.cudaStreamDestroy(stream), 0)

    def test_errors(self):
        f = Foreign(self.values, (NZ, NY, NX), "f")
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

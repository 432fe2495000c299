"""Arrays in and out: NumPy's, those with __cuda_array_interface__ (CuPy, torch, Numba) and those with __dlpack__.

Host arrays become C-contiguous NumPy arrays of the plan's precision: what is so already is used as it is, anything else
is copied. Device arrays are never copied: they must be C-contiguous and of the plan's precision, else TypeError or
ValueError says so.
"""
import ctypes
from dataclasses import dataclass, field
from typing import Any

from ._library import library

try:
    import numpy
except ImportError:  # device arrays alone need none
    numpy = None

SIZES = {"f32": 4, "f64": 8}
_TYPESTRINGS = {"f32": "<f4", "f64": "<f8"}


@dataclass
class Array:
    """Memory of an array of the plan's precision. `owner` keeps it alive."""
    pointer: int
    shape: tuple
    precision: str
    on_device: bool
    owner: Any
    held: list = field(default_factory=list)


# ---- DLPack

class _DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8),
                ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


class _DLManagedTensor(ctypes.Structure):
    pass


_DELETER = ctypes.CFUNCTYPE(None, ctypes.POINTER(_DLManagedTensor))
_DLManagedTensor._fields_ = [("tensor", _DLTensor), ("context", ctypes.c_void_p), ("deleter", _DELETER)]
_CPU, _CUDA, _CUDA_HOST, _CUDA_MANAGED, _FLOAT = 1, 2, 3, 13, 2

_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype, _capsule_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_capsule_new = ctypes.pythonapi.PyCapsule_New
_capsule_new.restype, _capsule_new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]


def _is_packed(shape, strides, item):
    """strides in units of `item`, None for packed."""
    expected = item
    for n, stride in zip(reversed(shape), reversed(strides or ())):
        if n != 1 and stride != expected:
            return False
        expected *= n
    return True


def _from_dlpack(array, name, precision):
    capsule = array.__dlpack__()  # its destructor gives the memory back: the capsule is kept as long as it is used
    tensor = ctypes.cast(_capsule_pointer(capsule, b"dltensor"), ctypes.POINTER(_DLManagedTensor)).contents.tensor
    shape = tuple(tensor.shape[d] for d in range(tensor.ndim))
    strides = tuple(tensor.strides[d] for d in range(tensor.ndim)) if tensor.strides else None
    _check_device(name, precision, f"<{'f' if tensor.code == _FLOAT else '?'}{tensor.bits * tensor.lanes // 8}",
                  _is_packed(shape, strides, 1))
    on_device = tensor.device_type in (_CUDA, _CUDA_MANAGED)
    return Array((tensor.data or 0) + tensor.byte_offset, shape, precision, on_device, array, [capsule])


# ---- __cuda_array_interface__

def _check_device(name, precision, typestring, packed):
    if typestring != _TYPESTRINGS[precision]:
        raise TypeError(f"{name}: a device array must be of the plan's precision {precision} "
                        f"('{_TYPESTRINGS[precision]}'), is '{typestring}'; it is not copied: convert it, or take "
                        f"another precision")
    if not packed:
        raise ValueError(f"{name}: a device array must be C-contiguous; it is not copied")


def _from_cuda(array, name, precision):
    interface = array.__cuda_array_interface__
    shape = tuple(interface["shape"])
    _check_device(name, precision, interface["typestr"],
                  _is_packed(shape, interface.get("strides"), SIZES[precision]))
    stream = interface.get("stream")
    if stream:  # what is in the producer's stream must be done; 1 is the default stream, as 2 for each thread's
        cuda(library().cudaStreamSynchronize(ctypes.c_void_p(None if stream == 1 else stream)))
    return Array(interface["data"][0], shape, precision, True, array)


def cuda(status):
    """Raise where a call of CUDA's runtime failed."""
    if status:
        raise RuntimeError(f"CUDA: error {status}")


class DeviceArray:
    """Memory of a CUDA device that this package allocated, for solutions of device arrays of unknown make: CuPy, torch
    and Numba take it without a copy (cupy.asarray, torch.as_tensor), by __cuda_array_interface__ or __dlpack__."""

    def __init__(self, shape, precision="f64"):
        self.shape, self.precision = tuple(shape), precision
        self.nbytes = SIZES[precision]
        for n in self.shape:
            self.nbytes *= n
        pointer = ctypes.c_void_p()
        cuda(library().cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(max(self.nbytes, 1))))
        self.pointer = pointer.value

    @classmethod
    def from_host(cls, array, shape=None):
        """A copy, on the current device, of a C-contiguous array of f32 or f64 in host memory: NumPy's or any with the
        buffer protocol, of whose shape it is unless another is given."""
        view = memoryview(array)
        made = cls(view.shape if shape is None else shape, {4: "f32", 8: "f64"}[view.itemsize])
        host = (ctypes.c_char * view.nbytes).from_buffer_copy(view.cast("B"))
        if made.nbytes != view.nbytes:
            raise ValueError(f"shape: {made.shape} has {made.nbytes} bytes, and the array {view.nbytes}")
        cuda(library().cudaMemcpy(ctypes.c_void_p(made.pointer), host, ctypes.c_size_t(made.nbytes), 1))
        return made

    def bytes(self):
        """The contents, in host memory."""
        host = ctypes.create_string_buffer(self.nbytes)
        cuda(library().cudaMemcpy(host, ctypes.c_void_p(self.pointer), ctypes.c_size_t(self.nbytes), 2))
        return host.raw

    def get(self):
        """The contents as a NumPy array."""
        return numpy.frombuffer(self.bytes(), _TYPESTRINGS[self.precision]).reshape(self.shape)

    @property
    def __cuda_array_interface__(self):
        return {"shape": self.shape, "typestr": _TYPESTRINGS[self.precision], "data": (self.pointer, False),
                "version": 3, "strides": None, "stream": None}

    def __dlpack_device__(self):
        return _CUDA, 0

    def __dlpack__(self, stream=None, **_):
        shape = (ctypes.c_int64 * len(self.shape))(*self.shape)
        managed = _DLManagedTensor()
        key = ctypes.addressof(managed)
        managed.tensor = _DLTensor(self.pointer, _CUDA, 0, len(self.shape), _FLOAT, 8 * SIZES[self.precision], 1, shape,
                                   None, 0)
        managed.deleter = _forget
        _given[key] = (managed, shape, self)
        return _capsule_new(key, b"dltensor", None)

    def __del__(self):
        if getattr(self, "pointer", None):
            library().cudaFree(ctypes.c_void_p(self.pointer))


_given: dict = {}  # what consumers of DLPack hold


@_DELETER
def _forget(managed):
    _given.pop(ctypes.addressof(managed.contents), None)


# ---- Any of them

def _is_device(array):
    if hasattr(array, "__cuda_array_interface__"):
        return True
    return hasattr(array, "__dlpack_device__") and array.__dlpack_device__()[0] in (_CUDA, _CUDA_MANAGED)


def _need_numpy(name):
    if numpy is None:
        raise ImportError(f"{name}: arrays in host memory need NumPy")


def take(array, name, precision, shape=None, complex_numbers=False):
    """An array that is read. `shape` None: any."""
    if _is_device(array):
        by = _from_cuda if hasattr(array, "__cuda_array_interface__") else _from_dlpack
        taken = by(array, name, precision)
    else:
        _need_numpy(name)
        if hasattr(array, "__dlpack__") and not isinstance(array, numpy.ndarray):
            array = numpy.from_dlpack(array)
        given = numpy.asarray(array)
        if given.dtype.kind not in ("biufc" if complex_numbers else "biuf"):
            wanted = "numbers" if complex_numbers else "real numbers"
            raise TypeError(f"{name}: must be an array of {wanted}, is of {given.dtype}")
        kind = {"f32": numpy.float32, "f64": numpy.float64}[precision]
        kind = numpy.result_type(kind, numpy.complex64) if complex_numbers else kind
        packed = numpy.ascontiguousarray(given, dtype=kind)
        # A scalar would become an array of one.
        packed = packed.reshape(given.shape)
        taken = Array(packed.ctypes.data, packed.shape, precision, False, packed)
    if shape is not None and tuple(taken.shape) != tuple(shape):
        raise ValueError(f"{name}: must be of shape {tuple(shape)}, is {tuple(taken.shape)}")
    return taken


def target(out, name, precision, shape, like, complex_numbers=False):
    """An array that is written: `out`, or a new one where `like` is, of its make."""
    if out is None:
        return take(_new(like, precision, shape, complex_numbers), name, precision, shape, complex_numbers)
    if not _is_device(out):
        _need_numpy(name)
        kind = numpy.dtype(_TYPESTRINGS[precision])
        kind = numpy.result_type(kind, numpy.complex64) if complex_numbers else kind
        if not isinstance(out, numpy.ndarray) or out.dtype != kind or not out.flags.c_contiguous:
            raise TypeError(f"{name}: must be a C-contiguous array of {kind}, since the solution is written to it")
        if not out.flags.writeable:
            raise ValueError(f"{name}: cannot be written")
    taken = take(out, name, precision, shape, complex_numbers)
    taken.owner = out
    return taken


def _new(like, precision, shape, complex_numbers):
    if not like.on_device:
        _need_numpy("out")
        kind = numpy.dtype(_TYPESTRINGS[precision])
        return numpy.empty(shape, numpy.result_type(kind, numpy.complex64) if complex_numbers else kind)
    owner, make = like.owner, type(like.owner).__module__.split(".")[0]
    if make == "torch":
        return owner.new_empty(tuple(shape))
    if make == "cupy":
        import cupy  # pylint: disable=import-outside-toplevel,import-error
        return cupy.empty(shape, owner.dtype)
    return DeviceArray(shape, precision)

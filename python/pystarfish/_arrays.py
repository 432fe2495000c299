# SPDX-License-Identifier: LGPL-2.1-or-later
"""Arrays in and out: NumPy's, those with __dlpack__ (CuPy, torch, JAX) and those with __cuda_array_interface__ (Numba).

Host arrays become C-contiguous NumPy arrays of the plan's precision: what is so already is used as it is, anything else
is copied. Plans never copy device arrays: they must be C-contiguous and of the plan's precision, else TypeError or
ValueError says so. DLPack comes first, since it alone orders the work of every package: torch's
__cuda_array_interface__ does not name a stream.
"""
import ctypes
import math
from dataclasses import dataclass, field
from typing import Any, Iterable, Optional

import numpy

from ._checks import NotCopied, choice, items, unmasked, whole
from ._library import library

SIZES = {"f32": 4, "f64": 8}
_TYPESTRINGS = {"f32": "<f4", "f64": "<f8"}
_COMPLEX_TYPESTRINGS = {"f32": "<c8", "f64": "<c16"}
_LEGACY_STREAM = 1  # CUDA's default stream, by its number in both protocols, which is its handle too


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
_CUDA, _CUDA_MANAGED, _FLOAT = 2, 13, 2
_LETTERS = {0: "i", 1: "u", _FLOAT: "f", 5: "c", 6: "b"}

_capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_capsule_pointer.restype, _capsule_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_capsule_new = ctypes.pythonapi.PyCapsule_New
_capsule_new.restype, _capsule_new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_capsule_holds = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_IsValid", ctypes.pythonapi))
_capsule_content = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi))


def _is_packed(shape, strides, item):
    """strides in units of `item`, None for packed."""
    expected = item
    for n, stride in zip(reversed(shape), reversed(strides or ())):
        if n != 1 and stride != expected:
            return False
        expected *= n
    return True


def _check_device(name, precision, typestring, packed, complex_numbers):
    wanted = (_COMPLEX_TYPESTRINGS if complex_numbers else _TYPESTRINGS)[precision]
    if typestring != wanted:
        raise TypeError(f"{name}: a device array must be of the plan's precision {precision} ('{wanted}'), is "
                        f"'{typestring}'; it is not copied: convert it, or take another precision")
    if not packed:
        raise ValueError(f"{name}: a device array must be C-contiguous; it is not copied")


def _copy(to, source, count, direction):
    """cudaMemcpy of `count` bytes; direction 1 is to the device, 2 to the host."""
    cuda(library().cudaMemcpy(ctypes.c_void_p(to), ctypes.c_void_p(source), ctypes.c_size_t(count), direction))


def _wait_for_stream(stream, device):
    """Until what is in a stream of a device is done. The current device stays what it is."""
    current = ctypes.c_int()
    cuda(library().cudaGetDevice(ctypes.byref(current)))
    cuda(library().cudaSetDevice(device))
    try:
        cuda(library().cudaStreamSynchronize(ctypes.c_void_p(stream)))
    finally:
        cuda(library().cudaSetDevice(current))


def _from_dlpack(array, name, precision, complex_numbers, stream):
    # The producer lets the stream wait for its own. The capsule's destructor gives the memory back: it is kept as long
    # as the memory is used.
    capsule = array.__dlpack__(stream=stream or _LEGACY_STREAM)
    tensor = ctypes.cast(_capsule_pointer(capsule, b"dltensor"), ctypes.POINTER(_DLManagedTensor)).contents.tensor
    shape = tuple(tensor.shape[d] for d in range(tensor.ndim))
    strides = tuple(tensor.strides[d] for d in range(tensor.ndim)) if tensor.strides else None
    _check_device(name, precision, f"<{_LETTERS.get(tensor.code, '?')}{tensor.bits * tensor.lanes // 8}",
                  _is_packed(shape, strides, 1), complex_numbers)
    if stream is None:
        _wait_for_stream(_LEGACY_STREAM, tensor.device_id)
    return Array((tensor.data or 0) + tensor.byte_offset, shape, precision, True, array, [capsule])


# ---- __cuda_array_interface__

def _from_cuda(array, name, precision, complex_numbers, stream):
    interface = array.__cuda_array_interface__
    shape, typestring = tuple(interface["shape"]), interface["typestr"]
    _check_device(name, precision, typestring,
                  _is_packed(shape, interface.get("strides"), int(typestring[2:])), complex_numbers)
    producer = interface.get("stream")
    if producer and producer != stream:  # what is in the producer's stream must be done
        cuda(library().cudaStreamSynchronize(ctypes.c_void_p(producer)))
    return Array(interface["data"][0], shape, precision, True, array)


def cuda(status):
    """Raise where a call of CUDA's runtime failed."""
    if status:
        raise RuntimeError(f"CUDA: error {status}")


class DeviceArray(NotCopied):
    """Memory of a CUDA device that this package allocated, for solutions of device arrays of unknown make: CuPy, torch
    and Numba take it without a copy (cupy.asarray, torch.as_tensor), by __cuda_array_interface__ or __dlpack__."""

    def __init__(self, shape: Iterable[int], precision: str = "f64"):
        self.shape = tuple(whole(n, "shape", 0, 2 ** 48) for n in items(shape, "shape", "whole numbers"))
        self.precision, self.nbytes = precision, math.prod(self.shape, start=choice(precision, "precision", SIZES))
        pointer, device = ctypes.c_void_p(), ctypes.c_int()
        cuda(library().cudaGetDevice(ctypes.byref(device)))
        cuda(library().cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(max(self.nbytes, 1))))
        self.pointer, self.device = pointer.value, device.value

    @classmethod
    def from_host(cls, array: Any, shape: Optional[Iterable[int]] = None) -> "DeviceArray":
        """A copy, on the current device, of a C-contiguous array of f32 or f64 in host memory: NumPy's or any with the
        buffer protocol, of whose shape it is unless another is given."""
        host = numpy.asarray(unmasked(array, "array"), order="C")
        made = cls(shape or host.shape, {4: "f32", 8: "f64"}[host.itemsize])
        if made.nbytes != host.nbytes:
            raise ValueError(f"shape: {made.shape} has {made.nbytes} bytes, and the array {host.nbytes}")
        _copy(made.pointer, host.ctypes.data, made.nbytes, 1)
        return made

    def bytes(self) -> bytes:
        """The contents, in host memory."""
        return self.get().tobytes()

    def get(self) -> Any:
        """The contents as a NumPy array."""
        host = numpy.empty(self.shape, _TYPESTRINGS[self.precision])
        _copy(host.ctypes.data, self.pointer, self.nbytes, 2)
        return host

    @property
    def __cuda_array_interface__(self):
        return {"shape": self.shape, "typestr": _TYPESTRINGS[self.precision], "data": (self.pointer, False),
                "version": 3, "strides": None, "stream": None}

    def __dlpack_device__(self):
        return _CUDA, self.device

    def __dlpack__(self, stream=None, **_):
        shape = (ctypes.c_int64 * len(self.shape))(*self.shape)
        managed = _DLManagedTensor()
        key = ctypes.addressof(managed)
        managed.tensor = _DLTensor(self.pointer, _CUDA, self.device, len(self.shape), _FLOAT, 8 * SIZES[self.precision],
                                   1, shape, None, 0)
        managed.deleter = _forget
        _given[key] = (managed, shape, self)
        return _capsule_new(key, b"dltensor", ctypes.cast(_discard, ctypes.c_void_p))

    def __del__(self):
        if getattr(self, "pointer", None):
            library().cudaFree(ctypes.c_void_p(self.pointer))


_given: dict = {}  # what consumers of DLPack hold


@_DELETER
def _forget(managed):
    _given.pop(ctypes.addressof(managed.contents), None)


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def _discard(capsule):
    """A capsule goes whose memory nobody has taken over: who does so renames it. It is a number here, since counting
    references to an object that goes would end it twice."""
    if _capsule_holds(capsule, b"dltensor"):
        _given.pop(_capsule_content(capsule, b"dltensor"), None)


# ---- Any of them

def _is_device(array):
    if hasattr(array, "__dlpack_device__"):
        return array.__dlpack_device__()[0] in (_CUDA, _CUDA_MANAGED)
    return hasattr(array, "__cuda_array_interface__")


def _host_type(precision, complex_numbers):
    return numpy.dtype((_COMPLEX_TYPESTRINGS if complex_numbers else _TYPESTRINGS)[precision])


def as_array(array, name):
    """NumPy's array of what is in host memory."""
    unmasked(array, name)
    try:
        if hasattr(array, "__dlpack__") and not isinstance(array, numpy.ndarray):
            return numpy.from_dlpack(array)
        return numpy.asarray(array)
    except (TypeError, ValueError, OverflowError, BufferError) as error:
        raise TypeError(f"{name}: is no array: {error}") from error


def _numbers(array, name, complex_numbers):
    given = as_array(array, name)
    if given.dtype.kind not in ("biufc" if complex_numbers else "biuf"):
        wanted = "numbers" if complex_numbers else "real numbers"
        raise TypeError(f"{name}: must be an array of {wanted}, is of {given.dtype}")
    return given


def take(array, name, precision, shape=None, complex_numbers=False, stream=None):
    """An array that is read. `shape` None: any. `stream`: the cudaStream_t in whose order it is used; with None, what
    its producer has begun is waited for."""
    if _is_device(array):
        by = _from_dlpack if hasattr(array, "__dlpack_device__") else _from_cuda
        taken = by(array, name, precision, complex_numbers, stream)
    else:
        # "E": no subclass, as masked arrays are.
        given = _numbers(array, name, complex_numbers)
        packed = numpy.require(given, _host_type(precision, complex_numbers), ["C", "A", "E"])
        taken = Array(packed.ctypes.data, packed.shape, precision, False, packed)
    if shape is not None and tuple(taken.shape) != tuple(shape):
        raise ValueError(f"{name}: must be of shape {tuple(shape)}, is {tuple(taken.shape)}")
    return taken


def target(out, name, precision, shape, like, complex_numbers=False, stream=None):
    """An array that is written: `out`, or a new one where `like` is, of its make."""
    if out is None:
        out = _new(like, precision, shape, complex_numbers)
    elif not _is_device(out):
        kind = _host_type(precision, complex_numbers)
        if not isinstance(out, numpy.ndarray) or out.dtype != kind or not out.flags.c_contiguous:
            raise TypeError(f"{name}: must be a C-contiguous array of {kind}, since the solution is written to it")
        if not out.flags.writeable:
            raise ValueError(f"{name}: cannot be written")
    taken = take(out, name, precision, shape, complex_numbers, stream)
    taken.owner = out
    return taken


def _new(like, precision, shape, complex_numbers):
    if not like.on_device:
        return numpy.empty(shape, _host_type(precision, complex_numbers))
    owner, make = like.owner, type(like.owner).__module__.split(".")[0]
    if make == "torch":
        return owner.new_empty(tuple(shape))
    if make == "cupy":
        import cupy  # pylint: disable=import-outside-toplevel,import-error
        with owner.device:
            return cupy.empty(shape, owner.dtype)
    if complex_numbers:
        raise TypeError("out: is needed, since f is a complex device array of a package that is not known")
    return DeviceArray(shape, precision)


def to_host(array, name, complex_numbers=False):
    """NumPy's array of what is in host memory, and None; or a copy of a device array, and its Array."""
    if not _is_device(array):
        return _numbers(array, name, complex_numbers), None
    try:
        taken = take(array, name, "f32", None, complex_numbers)
    except TypeError:
        taken = take(array, name, "f64", None, complex_numbers)
    host = numpy.empty(taken.shape, _host_type(taken.precision, complex_numbers))
    _copy(host.ctypes.data, taken.pointer, host.nbytes, 2)
    return host, taken


def to_device(host, like):
    """A copy of a host array in device memory, of the make of `like`, an Array."""
    host = numpy.ascontiguousarray(host)
    made = target(None, "u", like.precision, host.shape, like, host.dtype.kind == "c")
    _copy(made.pointer, host.ctypes.data, host.nbytes, 1)
    return made.owner

# SPDX-License-Identifier: LGPL-2.1-or-later
"""Finds libstarfish, loads it, and calls it: a status that is not success becomes an exception.

ctypes, and not an extension module: nothing is compiled, so that one package serves every Python and every build of
the library, it installs without a compiler or headers, and ctypes releases the GIL around every call.
"""
import ctypes
import os
import re
import subprocess
import sys
import threading
from pathlib import Path
from typing import Optional

from . import _abi

_TYPES = {"i": ctypes.c_int, "I": ctypes.c_uint, "B": ctypes.c_ubyte, "N": ctypes.c_size_t, "d": ctypes.c_double,
          "f": ctypes.c_float, "c": ctypes.c_char, "q": ctypes.c_longlong, "P": ctypes.c_void_p, "S": ctypes.c_char_p,
          "s": ctypes.c_int, "v": None}

# Constants of all enums by name.
C = {}
for _values in _abi.ENUMS.values():
    for _entry in _values.split():
        _name, _, _value = _entry.partition("=")
        C[_name] = int(_value)

STRUCTS: dict = {}


def _type_of(code):
    name, *dimensions = code.replace("]", "").split("[")
    kind = _TYPES[name] if name in _TYPES else struct(name)
    for n in reversed(dimensions):
        kind = kind * int(n)
    return kind


def struct(name):
    """The ctypes.Structure of a C struct. One that begins with its size has it set by make()."""
    if name not in STRUCTS:
        members = [entry.split(":") for entry in _abi.STRUCTS[name].split()]
        STRUCTS[name] = type(name, (ctypes.Structure,), {"_fields_": [(m, _type_of(t)) for m, t in members]})
    return STRUCTS[name]


def make(name, **members):
    """A struct of zeros, of its size, and with these members."""
    made = struct(name)(**members)
    if made._fields_[0][0] == "size":
        made.size = ctypes.sizeof(made)
    return made


def plain(value):
    """A struct of results as a dict, without its size: `worker` by kind, texts as str, arrays as lists."""
    if isinstance(value, ctypes.Structure):
        return {name: plain(getattr(value, name)) for name, _ in value._fields_ if name != "size"}
    if isinstance(value, ctypes.Array) and value._type_ is not ctypes.c_char:
        items = [plain(item) for item in value]
        is_worker = items and isinstance(items[0], dict) and set(items[0]) == {"tasks", "busy_seconds"}
        return dict(zip(("cpu", "gpu"), items)) if is_worker else items
    return value.decode() if isinstance(value, bytes) else value


# ---- Errors

class StarfishError(Exception):
    """A call of the library failed. `status` is the code's name; `argument` the argument at fault, where the message
    names one; `ierror` FISHPACK's number, of calls by its names."""
    status = "STARFISH_ERROR_RUNTIME"
    ierror: Optional[int] = None

    def __init__(self, message: str, argument: Optional[str] = None, info: Optional[dict] = None):
        super().__init__(message)
        found = re.match(r"(?:options|problem)\.(\w+)", message)
        self.argument = argument or (found.group(1) if found else None)
        self.info = info  # of a solve that did not reach its tolerance


class ArgumentError(StarfishError, ValueError):
    """An argument is missing, unknown or out of range."""
    status = "STARFISH_ERROR_ARGUMENT"


class FileError(StarfishError, OSError):
    """A file cannot be read or written."""
    status = "STARFISH_ERROR_FILE"


class OutOfMemoryError(StarfishError, MemoryError):
    """Host or device memory ran out."""
    status = "STARFISH_ERROR_MEMORY"


class UnsupportedError(StarfishError, NotImplementedError):
    """Valid, but not in this build or for this method."""
    status = "STARFISH_ERROR_UNSUPPORTED"


class NotSymmetrizableError(StarfishError, ValueError):
    """lower[j] * upper[j-1] < 0 for some j."""
    status = "STARFISH_ERROR_NOT_SYMMETRIZABLE"


class SingularError(StarfishError, ArithmeticError):
    """lambda is an eigenvalue: some mode has no unique solution."""
    status = "STARFISH_ERROR_SINGULAR"


class NumericalError(StarfishError, ArithmeticError):
    """The solution is not finite or did not reach the accuracy asked for. `info` says how far it came."""
    status = "STARFISH_ERROR_NUMERICAL"


class RuntimeFailure(StarfishError, RuntimeError):
    """StarPU, CUDA or another library below failed."""
    status = "STARFISH_ERROR_RUNTIME"


_ERRORS = {C[kind.status]: kind for kind in (ArgumentError, FileError, OutOfMemoryError, UnsupportedError,
                                             NotSymmetrizableError, SingularError, NumericalError, RuntimeFailure)}


# ---- The library

def _recorded():
    """The library that was there when the package was installed."""
    try:
        from . import _installed  # pylint: disable=import-outside-toplevel
        return [_installed.LIBRARY]
    except ImportError:
        return []


def _by_pkg_config():
    try:
        found = subprocess.run(["pkg-config", "--variable=libdir", "starfish"], capture_output=True, text=True,
                               check=True)
    except (OSError, subprocess.CalledProcessError):
        return []
    return [f"{found.stdout.strip()}/libstarfish.so.{_abi.VERSION[0]}"]


def candidates():
    """Where the library is looked for, the first that is there counts: STARFISH_LIBRARY (a file), STARFISH_PREFIX, a
    library inside the package (wheels), the one that was found when the package was installed, the build tree beside
    the package's sources, pkg-config's, the system's."""
    name, here = f"libstarfish.so.{_abi.VERSION[0]}", Path(__file__).resolve().parent
    if os.environ.get("STARFISH_LIBRARY"):
        return [os.environ["STARFISH_LIBRARY"]]
    prefix = os.environ.get("STARFISH_PREFIX")
    if prefix:
        return [str(path) for path in sorted(Path(prefix).glob(f"lib*/**/{name}"))] or [f"{prefix}/lib/{name}"]
    return [str(here / name), *_recorded(), str(here.parent.parent / "build" / "lib" / name),
            *_by_pkg_config(), name]


def _load(path, tried=()):
    """A library; before it those of CUDA that the loader does not find, of pip's packages or in CUDA's usual folder."""
    try:
        return ctypes.CDLL(path)
    except OSError as error:
        missing = str(error).partition(":")[0]
        folders = [folder for place in sys.path for folder in sorted(Path(place).glob("nvidia/*/lib"))]
        files = [folder / missing for folder in (*folders, Path("/usr/local/cuda/lib64"))]
        found = next((file for file in files if file.exists()), None)
        if found is None or missing in tried:
            raise
    _load(str(found), (*tried, missing))
    return _load(path, (*tried, missing))


_lock = threading.Lock()
_loaded: dict = {}


def load_from(paths, prefix, owner):
    """The first library that loads, its functions declared: those whose names begin with `prefix` or not."""
    reasons = []
    for path in paths:
        if "/" in path and not os.path.exists(path):
            continue
        try:
            loaded = _load(path)
        except OSError as error:
            reasons.append(str(error))
            continue
        for name, code in _abi.FUNCTIONS.items():
            if name.startswith("starfish_mpi_") == (prefix == "starfish_mpi_"):
                function = getattr(loaded, name)
                result, *parameters = code.split()
                function.restype = _TYPES[result]
                function.argtypes = [_TYPES[parameter] for parameter in parameters]
        loaded.path = path
        return loaded
    raise ImportError(f"{owner} was not found: set STARFISH_PREFIX to where Starfish is installed, or STARFISH_LIBRARY "
                      f"to the file. " + ("; ".join(reasons) or f"Tried: {', '.join(paths)}"))


def library():
    """libstarfish, loaded when it is first needed."""
    with _lock:
        if "starfish" not in _loaded:
            _loaded["starfish"] = load_from(candidates(), "starfish_", "libstarfish")
        return _loaded["starfish"]


def mpi_library():
    """libstarfish_mpi, beside libstarfish."""
    beside = library().path.replace("libstarfish.so", "libstarfish_mpi.so")
    with _lock:
        if "mpi" not in _loaded:
            _loaded["mpi"] = load_from([beside], "starfish_mpi_", "libstarfish_mpi")
        return _loaded["mpi"]


def check(status, argument=None, info=None):
    """Raise the exception that belongs to a status, with the library's message."""
    if status != C["STARFISH_SUCCESS"]:
        message = library().starfish_error_message().decode()
        raise _ERRORS.get(status, StarfishError)(message, argument, info)


def call(name, *arguments, info=None):
    """Call a function of libstarfish that returns a status."""
    check(getattr(library(), name)(*arguments), info=info)


def ask(name, kind, *arguments):
    """The struct that a function of libstarfish fills, as a dict."""
    filled = make(kind)
    call(name, *arguments, ctypes.byref(filled))
    return plain(filled)

# SPDX-License-Identifier: LGPL-2.1-or-later
"""Contexts: the workers on which plans run, the one that plans share by default, and its end with the process."""
import atexit
import ctypes
import threading
import weakref
from typing import Any, Optional

from ._library import C, ask, call, check, library, mpi_library, struct
from . import _options
from ._checks import NotCopied, argument_error, shown, whole

_lock = threading.Lock()
_default: Optional["Context"] = None
_open: weakref.WeakSet = weakref.WeakSet()  # contexts that end with the program


class Context(NotCopied):
    """The workers (CPU cores and GPUs) on which plans run their tasks, through StarPU.

    Keywords are the options of struct starfish_context_options: cpu_workers, gpu_workers, cores_per_worker,
    idle_seconds, patience_seconds (`pystarfish.options("context")` lists them); policy is a scheduling policy's name.
    comm: an mpi4py communicator, or its integer of Fortran: then all ranks make the context and its plans together,
    and each passes its own z planes (`planes`). MPI must have been initialised with MPI_THREAD_MULTIPLE, as mpi4py
    does by itself.

    A context may be used by many threads at once. It is a context manager; close() ends it and its plans.
    """

    def __init__(self, *, policy: Optional[str] = None, comm: Any = None, **options: Any):
        filled = struct("starfish_context_options").from_buffer(_options.fill("context", options)[0])
        if policy is not None and not isinstance(policy, str):
            raise argument_error("policy", f"must be the name of a scheduling policy, is {shown(policy)}")
        filled.policy = policy.encode() if policy else None
        self._handle, self._comm = ctypes.c_void_p(), comm
        self._plans: weakref.WeakSet = weakref.WeakSet()
        if comm is None:
            call("starfish_context_create", ctypes.byref(self._handle), ctypes.byref(filled))
            _open.add(self)
        else:
            number = whole(comm.py2f() if hasattr(comm, "py2f") else comm, "comm", -2 ** 31)
            check(mpi_library().starfish_mpi_context_create_f(ctypes.byref(self._handle), number, ctypes.byref(filled)))

    @property
    def handle(self) -> ctypes.c_void_p:
        """C's starfish_context *."""
        if not self._handle:
            raise ValueError("this context has been closed")
        return self._handle

    def add(self, plan: Any) -> None:
        """Remember a plan, which must be gone before the context."""
        self._plans.add(plan)

    def close(self) -> None:
        """End the plans and the workers."""
        for plan in list(self._plans):
            plan.close()
        if self._handle:
            library().starfish_context_destroy(self._handle)
            self._handle = ctypes.c_void_p()

    def __enter__(self) -> "Context":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def runtime(self) -> dict:
        """Versions, policy and build of what runs below."""
        return ask("starfish_context_runtime", "starfish_runtime", self.handle)

    def workers(self) -> list:
        """Each worker as a dict: kind ("cpu", "gpu"), device, cores, memory_node, numa_node, name."""
        workers = []
        for index in range(library().starfish_context_workers(self.handle)):
            worker = ask("starfish_context_worker", "starfish_worker", self.handle, index)
            workers.append({**worker, "kind": "gpu" if worker["kind"] == C["STARFISH_GPU"] else "cpu"})
        return workers

    def rank(self) -> tuple:
        """Rank and number of ranks; (0, 1) without a communicator."""
        if self._comm is None:
            return 0, 1
        rank, ranks = ctypes.c_int(), ctypes.c_int()
        check(mpi_library().starfish_mpi_rank(self.handle, ctypes.byref(rank), ctypes.byref(ranks)))
        return rank.value, ranks.value

    def planes(self, nz: int) -> tuple:
        """The first z plane of this rank, and how many it has."""
        whole(nz, "nz", 1)
        if self._comm is None:
            return 0, nz
        first, count = ctypes.c_size_t(), ctypes.c_size_t()
        check(mpi_library().starfish_mpi_planes(self.handle, nz, self.rank()[0], ctypes.byref(first),
                                                ctypes.byref(count)))
        return first.value, count.value


def default_context() -> Context:
    """The context of plans that are given none: every worker there is, made when it is first needed."""
    global _default  # pylint: disable=global-statement
    with _lock:
        if _default is None or not _default._handle:
            _default = Context()
        return _default


def context_of(given: Any) -> Context:
    """The context of a plan: the one that it is given, or the default."""
    if given is not None and not isinstance(given, Context):
        raise argument_error("context", f"must be a Context, is {shown(given)}")
    return default_context() if given is None else given


@atexit.register
def _end() -> None:
    for context in list(_open):
        context.close()

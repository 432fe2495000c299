# SPDX-License-Identifier: LGPL-2.1-or-later
"""What plans of all families have in common: solve, submit and wait, results, the end."""
import ctypes
import threading
import weakref
from typing import Any, Mapping, Optional, Tuple

from . import _arrays, _options
from ._checks import AXES, NotCopied, argument_error, choice, keys, number, whole
from ._context import Context, context_of
from ._library import C, StarfishError, ask, call, check, library, make, plain


class Job(NotCopied):
    """A solve under way. wait() gives the solution; once it is there, done is True. It may be waited for by several
    threads, and more than once."""

    def __init__(self, plan: "Plan", solution: _arrays.Array, held: list):
        self._plan, self._solution, self._held = plan, solution, held
        self._handle, self._lock = ctypes.c_void_p(), threading.RLock()
        self._results: tuple = ()
        self._error: Optional[BaseException] = None

    @property
    def done(self) -> bool:
        """Whether the job has been waited for."""
        return not self._handle

    def finish(self) -> None:
        """Wait until the solution is in its memory, and keep what the library says of it."""
        with self._lock:
            if self._handle:
                handle, self._handle = self._handle, ctypes.c_void_p()
                try:
                    self._results = self._plan.finish(handle)
                except StarfishError as error:
                    self._error = error
                finally:
                    self._held = []

    def wait(self, return_info: bool = False) -> Any:
        """The solution, and with return_info a dict of what the solve did. Raises what the solve failed with. Other
        threads run meanwhile."""
        self.finish()
        if self._error is not None:
            raise self._error
        solution = self._solution.owner
        return (solution, self._plan.told(*self._results)) if return_info else solution

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            self.finish()


_WITH_DATA = (C["STARFISH_DIRICHLET"], C["STARFISH_NEUMANN"])


class Plan(NotCopied):
    """A problem, analysed once: solve it for as many right-hand sides as there are. A plan may be used from several
    threads at once. It is a context manager; close() gives its memory back, as the end of its context does."""

    family = ""       # of options
    directions: tuple = AXES
    is_dealt = False  # to the ranks of a communicator, in runs of planes

    def __init__(self, context: Optional[Context], precision: str, options: dict):
        self.context = context_of(context)
        choice(precision, "precision", {name: name for name in (*_arrays.SIZES, "mixed")})
        self.precision = "f64" if precision == "mixed" else precision
        mixed = {"mixed": True} if precision == "mixed" else {}
        self._options, self._values = _options.fill(self.family, {**options, "precision": self.precision, **mixed})
        self._again = {"precision": precision, "context": self.context, **options}  # of a plan like this one
        self._adjoint: Any = None
        self._held: list = []  # arrays of the problem, while the plan is made
        self._about: dict = {}
        self._handle, self.complex_numbers = ctypes.c_void_p(), False
        self._lock = threading.RLock()  # of submissions against the end of the plan
        self._jobs: weakref.WeakSet = weakref.WeakSet()
        self.shape: Tuple[int, ...] = ()
        self._ends: Any = None  # of each direction, where there may be boundary data

    def adjoint(self) -> tuple:
        """A plan N and weights W with which W N W^-1 is the adjoint of this plan's solves, made when it is first
        needed; W is None where it is 1."""
        with self._lock:
            if self._adjoint is None:
                self._adjoint = self.make_adjoint()
            plan, weights = self._adjoint
        return plan or self, weights

    def make_adjoint(self) -> tuple:
        """The same where it is not known yet; None in place of this plan. Here the matrix is symmetric."""
        return None, None

    def pointer(self, value: Any, name: str, shape: Optional[tuple] = None, precision: Optional[str] = None) -> Any:
        """The memory of an array of the problem, in the plan's precision unless it is given; None for None."""
        if value is None:
            return None
        self._held.append(_arrays.take(value, name, precision or self.precision, shape))
        return self._held[-1].pointer

    def host(self, value: Any, name: str, shape: Optional[tuple] = None) -> Any:
        """The same in f64 and in host memory, of an array that the library reads while the plan is made."""
        memory = self.pointer(value, name, shape, "f64")
        if memory is not None and self._held[-1].on_device:
            raise argument_error(name, "must be in host memory")
        return memory

    def create(self, function: str, *arguments: Any) -> None:
        """Call the function that makes the plan, with what is between context and options."""
        call(function, self.context.handle, *arguments, ctypes.byref(self._options), ctypes.byref(self._handle))
        self._held = []
        self.context.add(self)
        self._about = ask("starfish_plan_about", "starfish_about", self._handle)

    @property
    def handle(self) -> ctypes.c_void_p:
        """C's pointer to the plan."""
        if not self._handle:
            raise ValueError("this plan has been closed")
        return self._handle

    def close(self) -> None:
        """Wait for the plan's jobs, whose solutions stay, and give its memory back."""
        with self._lock:
            for job in list(self._jobs):
                job.finish()
            handle, self._handle, self._adjoint = self._handle, ctypes.c_void_p(), None
            if handle:
                library().starfish_plan_destroy(handle)

    def __enter__(self) -> "Plan":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None) and self.context._handle:
            self.close()

    def about(self) -> dict:
        """What the plan is: kind, method, reason, seconds, unknowns, singular, owners, levels."""
        return dict(self._about)

    @property
    def method(self) -> str:
        """The method that the plan solves by ("slab", "blktri", "multigrid", "cg"), or its kind's name."""
        return self._about["method"]

    @property
    def reason(self) -> str:
        """Why the method was chosen, or what it consists of."""
        return self._about["reason"]

    @property
    def singular(self) -> bool:
        """Whether the solution is determined up to a constant: it then has mean zero."""
        return bool(self._about["singular"])

    def memory(self) -> dict:
        """Bytes that the plan and its solves take (struct starfish_memory)."""
        return ask("starfish_plan_memory", "starfish_memory", self.handle)

    # ---- solves

    def local_shape(self) -> tuple:
        """The shape of this rank's part of a field: its planes of the last direction."""
        return (self.context.planes(self.shape[0])[1], *self.shape[1:]) if self.is_dealt else self.shape

    def boundary(self, given: Optional[Mapping]) -> tuple:
        """struct starfish_boundary from {"z0": 300.0, "x1": array}, and the arrays, of the shape of the field but for
        the direction that they are across."""
        if given is not None and self._ends is None:
            raise argument_error("boundary", "this problem has no boundary data")
        shape = self.local_shape()
        faces = keys(given, "boundary", [f"{axis}{side}" for axis in self.directions[:len(shape)] for side in (0, 1)])
        boundary, held = make("starfish_boundary"), []
        for key, value in faces.items():
            d, side, name = self.directions.index(key[:-1]), int(key[-1]), f"boundary['{key}']"
            if self._ends[d] is None or self._ends[d][side] not in _WITH_DATA:
                raise argument_error(name, f"{key[:-1]} has no such end")
            if isinstance(value, (int, float)) or getattr(value, "shape", None) == ():
                boundary.constant[d][side] = number(value, name)
                continue
            across = len(shape) - 1 - d
            held.append(_arrays.take(value, name, self.precision, (*shape[:across], *shape[across + 1:])))
            boundary.array[d][side] = held[-1].pointer
        return (ctypes.byref(boundary) if faces else None), [boundary, *held]

    def submit(self, f: Any, boundary: Optional[Mapping] = None, out: Any = None, stream: Any = None) -> Job:
        """Begin a solve and return at once. f and out must stay as they are until the job has been waited for.

        stream: a cudaStream_t as an integer, or an object with `ptr` or `cuda_stream` (CuPy's, torch's): the solve
        then begins when all that is in the stream now is done, and what is put there later waits for it; arrays in
        device memory alone."""
        function, pointer = "starfish_plan_submit", getattr(stream, "ptr", getattr(stream, "cuda_stream", stream))
        if stream is not None and self.family != "poisson":
            raise argument_error("stream", "separable problems alone are submitted in the order of a stream")
        if stream is not None:
            function, pointer = "starfish_poisson_submit_on", whole(pointer, "stream", 0, 2 ** 64 - 1)
        shape, order = self.local_shape(), pointer or None  # 0 is the default stream: what is in it is waited for
        if out is None and self._values.get("initial_guess"):
            raise argument_error("out", "is needed: it holds the initial guess")
        rhs = _arrays.take(f, "f", self.precision, shape, self.complex_numbers, order)
        solution = _arrays.target(out, "out", self.precision, shape, rhs, self.complex_numbers, order)
        faces, held = self.boundary(boundary)
        return self.begin(function, solution, [rhs, faces, *held], faces, rhs.pointer, solution.pointer,
                          *(() if stream is None else (pointer,)))

    def begin(self, function: str, solution: _arrays.Array, held: list, *arguments: Any) -> Job:
        """A job by one of C's functions that submit."""
        job = Job(self, solution, [solution, *held])
        with self._lock:  # C writes the handle into the job: nothing can come in between
            call(function, self.handle, *arguments, ctypes.byref(job._handle))
            self._jobs.add(job)
        return job

    def solve(self, f: Any, boundary: Optional[Mapping] = None, out: Any = None, return_info: bool = False) -> Any:
        """The solution for right-hand side f, in memory of f's kind, or in `out`, which may be f itself where the
        library can solve in place; with return_info also a dict. The interpreter's lock is released meanwhile."""
        return self.submit(f, boundary, out).wait(return_info)

    def results(self, job: ctypes.c_void_p) -> tuple:
        """The structs of results of a job, of which told() makes a dict."""
        return (make("starfish_result"),)

    def finish(self, job: ctypes.c_void_p) -> tuple:
        """Wait for a job. The structs of results; where it has failed an error, with what they tell."""
        structs = self.results(job)
        status = library().starfish_job_finish(job, ctypes.byref(structs[0]))
        if status != C["STARFISH_SUCCESS"]:
            check(status, info=self.told(*structs))
        return structs

    def told(self, info: Any) -> dict:
        """A struct of results as a dict, without what is not known of the solve."""
        told = {name: value for name, value in plain(info).items() if value == value}
        told["outcome"] = library().starfish_outcome_name(told["outcome"]).decode()
        told["history"] = told["history"][:min(told.pop("count"), len(info.history))]
        return told

"""What plans of all families have in common: solve, submit and wait, results, the end."""
import ctypes
from typing import Any, Mapping, Optional, Tuple

from . import _arrays, _options
from ._abi import FUNCTIONS
from ._context import Context, default_context
from ._library import ArgumentError, C, StarfishError, call, check, library, make, plain


def argument_error(name: str, message: str) -> ArgumentError:
    """The error of an argument of a call in Python."""
    return ArgumentError(f"{name}: {message}", name)


class Job:
    """A solve under way. wait() gives the solution; once it is there, done is True."""

    def __init__(self, plan: "Plan", handle: ctypes.c_void_p, solution: _arrays.Array, held: list):
        self._plan, self._handle, self._solution, self._held = plan, handle, solution, held
        self._results: tuple = ()

    @property
    def done(self) -> bool:
        """Whether the job has been waited for."""
        return not self._handle

    def wait(self, return_info: bool = False) -> Any:
        """The solution, and with return_info a dict of what the solve did. Raises what the solve failed with, once;
        other threads run meanwhile."""
        if self._handle:
            handle, self._handle = self._handle, ctypes.c_void_p()
            try:
                self._results = self._plan.finish(handle)
            finally:
                self._held = []
        solution = self._solution.owner
        return (solution, self._plan.told(*self._results)) if return_info else solution

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            try:
                self.wait()
            except StarfishError:
                pass  # nobody asked


class Plan:
    """A problem, analysed once: solve it for as many right-hand sides as there are. A plan may be used from several
    threads at once. It is a context manager; close() gives its memory back, as the end of its context does."""

    family = ""          # of functions and options
    info_struct = ""
    wait_function = ""
    has_boundary = False

    def __init__(self, context: Optional[Context], precision: str, options: dict):
        self.context = context or default_context()
        self.precision, self._mixed = ("f64", True) if precision == "mixed" else (precision, False)
        if self.precision not in _arrays.SIZES:
            raise argument_error("precision", f"{precision!r} is not one of f32, f64, mixed")
        self._options = _options.fill(self.family, {**options, "precision": self.precision, **self.mixed_keywords()})
        self._handle, self.complex_numbers = ctypes.c_void_p(), False
        self.shape: Tuple[int, ...] = ()

    def mixed_keywords(self) -> dict:
        """The options that make a plan of mixed precision."""
        return {"mixed": True} if self._mixed else {}

    def create(self, function: str, *arguments: Any) -> None:
        """Call the function that makes the plan, with what is between context and options."""
        call(function, self.context.handle, *arguments, ctypes.byref(self._options), ctypes.byref(self._handle))
        self.context.add(self)

    @property
    def handle(self) -> ctypes.c_void_p:
        """C's pointer to the plan."""
        if not self._handle:
            raise ValueError("this plan has been closed")
        return self._handle

    def close(self) -> None:
        """Give the plan's memory back. Its jobs must have been waited for."""
        if self._handle:
            getattr(library(), f"starfish_{self.family}_plan_destroy")(self._handle)
            self._handle = ctypes.c_void_p()

    def __enter__(self) -> "Plan":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_handle", None) and self.context._handle:
            self.close()

    def _text(self, what: str) -> str:
        function = f"starfish_{self.family}_plan_{what}"
        if function not in FUNCTIONS:
            raise AttributeError(f"plans of {self.family} have no {what}")
        return getattr(library(), function)(self.handle).decode()

    @property
    def method(self) -> str:
        """The method that the plan solves by, where its family has several ("slab", "blktri", "multigrid", "cg")."""
        return self._text("method")

    @property
    def reason(self) -> str:
        """Why the method was chosen, or what it consists of."""
        return self._text("reason")

    # ---- solves

    def local_shape(self) -> tuple:
        """The shape of this rank's part of a field."""
        return self.shape

    def boundary(self, given: Any) -> tuple:
        """Boundary data as C has them, and the arrays to be kept."""
        if given:
            raise argument_error("boundary", "this problem has no boundary data")
        return None, []

    def submit(self, f: Any, boundary: Optional[Mapping] = None, out: Any = None, stream: Any = None) -> Job:
        """Begin a solve and return at once. f and out must stay as they are until the job has been waited for.

        stream: a cudaStream_t as an integer, or an object with `ptr` or `cuda_stream` (CuPy's, torch's): the solve
        then begins when all that is in the stream now is done, and what is put there later waits for it; arrays in
        device memory alone."""
        pointer = getattr(stream, "ptr", getattr(stream, "cuda_stream", stream))
        if stream is not None and self.family != "poisson":
            raise argument_error("stream", "separable problems alone are submitted in the order of a stream")
        shape, order = self.local_shape(), pointer or None  # 0 is the default stream: what is in it is waited for
        rhs = _arrays.take(f, "f", self.precision, shape, self.complex_numbers, order)
        solution = _arrays.target(out, "out", self.precision, shape, rhs, self.complex_numbers, order)
        job, faces, held = ctypes.c_void_p(), *self.boundary(boundary)
        arguments = [self.handle, *([faces] if self.has_boundary else []), rhs.pointer, solution.pointer]
        if stream is not None:
            call("starfish_poisson_submit_on", *arguments, pointer, ctypes.byref(job))
        else:
            call(f"starfish_{self.family}_submit", *arguments, ctypes.byref(job))
        return Job(self, job, solution, [rhs, solution, faces, *held])

    def solve(self, f: Any, boundary: Optional[Mapping] = None, out: Any = None, return_info: bool = False) -> Any:
        """The solution for right-hand side f, in memory of f's kind, or in `out`, which may be f itself where the
        library can solve in place; with return_info also a dict. The interpreter's lock is released meanwhile."""
        return self.submit(f, boundary, out).wait(return_info)

    def finish(self, job: ctypes.c_void_p) -> tuple:
        """Wait for a job; the structs of results, of which told() makes a dict."""
        info = make(self.info_struct)
        return self.judged(getattr(library(), self.wait_function)(job, ctypes.byref(info)), info)

    def judged(self, status: int, *structs: Any) -> tuple:
        """The structs; where the status is an error that, with what they tell."""
        if status != C["STARFISH_SUCCESS"]:
            check(status, info=self.told(*structs))
        return structs

    def told(self, info: Any) -> dict:
        """A struct of results as a dict."""
        return plain(info)

# SPDX-License-Identifier: LGPL-2.1-or-later
"""What all checks of the house share: its floors, its files, and their text without comments and strings."""
import os
import re

# One folder per floor or wing. A file may include and call only what is in its own folder or on floors below it.
FLOORS = {
    "apps": 6,
    "apps/examples": 6,  # programs of their own, of which one is a policy for StarPU
    "mpi": 5.5,  # a library of its own beside the library, of which only programs make use
    "fishpack": 5.5,  # compatibility by name, and the libraries with those names
    "poisson": 5, "diffusion": 5, "atmosphere": 5, "fem": 5,
    # Floor 4 has an order of its own.
    "multigrid": 4.2, "krylov": 4.1, "blktri": 4, "fft": 4, "tridiag": 4, "sparse": 4,
    "solver": 3.5,  # what all families do alike: it names none of them
    "tasks": 3,
    "codelets": 2,
    "multigrid/kernels": 1.1, "blktri/kernels": 1.1,  # these may use the rooms of the next line
    "fft/kernels": 1, "tridiag/kernels": 1, "sparse/kernels": 1, "stencil/kernels": 1,
    "krylov/kernels": 0.9,  # vectors, below all that is computed with them
    # Floor 0 as well, but these may use base; the laboratory looks at the runtime, which does not know it.
    "scheduler": 0.7, "scheduler/lab": 0.6, "scheduler/runtime": 0.5,
    "base": 0,
}
# Public headers: everybody may include them, and they may include only each other, as they are installed alone.
PUBLIC = "include/starfish"
# The program measures us beside the peers in bench/, through their contract alone; the library never sees them.
ALSO = {"apps": ("bench/clock.h", "bench/flat_table.h", "bench/peers.h", "bench/peer_cg.h", "bench/peer_fishpack.h",
                 "bench/peer_hypre.h",
                 "bench/peer_lines.h", "bench/peer_spmv.h")}
# These look at everything.
OUTSIDE = ("tests", "bench", "docs")

C_SOURCE = re.compile(r"\.(c|h|cu|cuh)$")
OTHER_SOURCE = re.compile(r"(\.(py|sh|cmake|f90)|(^|/)CMakeLists\.txt)$")
SCRIPT = re.compile(rb"^#!.*\b(sh|bash|python3?)\b")

COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
COMMENT_OR_STRING = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'""", re.DOTALL)


def folder_of(path):
    """The floor's folder that a path lies in: the longest that fits, so that blktri/kernels is not blktri."""
    known = [*FLOORS, PUBLIC, *OUTSIDE]
    fitting = [folder for folder in known if path.startswith(folder + "/")]
    return max(fitting, key=len) if fitting else None


def floor_of(path):
    """The number of the floor, or None for what stands on none (public headers, tests, benchmarks)."""
    return FLOORS.get(folder_of(path))


def why_not_from(home, there):
    """Why a folder of the house may not use another; None when it may."""
    if there == home or FLOORS[there] < FLOORS[home]:
        return None
    side = "beside" if FLOORS[there] == FLOORS[home] else "above"
    return f"{there}/ is {side} {home}/, not below it"


def files(root):
    """Every file of the sources, from the root: not what was built, nor what git keeps."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders
                            if (not f.startswith(".") or f == ".ci") and not f.startswith("build")
                            and f not in ("install", "run-output", "__pycache__"))
        for name in sorted(names):
            yield os.path.relpath(os.path.join(folder, name), root)


def c_sources(root):
    return (path for path in files(root) if C_SOURCE.search(path))


def is_source(root, path):
    """C, CUDA, Python, shell, CMake and Fortran; scripts without an extension are known by their first line."""
    if C_SOURCE.search(path) or OTHER_SOURCE.search(path):
        return True
    if "." in os.path.basename(path):
        return False
    with open(os.path.join(root, path), "rb") as file:
        return bool(SCRIPT.match(file.readline(200)))


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
        return file.read()


def without_comments(text):
    """The same number of lines, and strings as they were. Comments' marks inside strings are not looked for."""
    return COMMENT.sub(lambda match: "\n" * match.group().count("\n"), text)


def without_comments_and_strings(text):
    """The same number of lines; a string or character constant leaves its two quotes."""
    def blank(match):
        found = match.group()
        return "\n" * found.count("\n") + " " if found[0] == "/" else found[0] * 2
    return COMMENT_OR_STRING.sub(blank, text)


def line_of(text, position):
    return text.count("\n", 0, position) + 1

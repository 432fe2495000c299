# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fails where code names a function of a higher floor, or of a library that its floor must not know.

Includes alone do not tell: a prototype may be repeated, public headers are open to everybody, and handles and constants
of a runtime pass through headers of ours. Naming counts, not only calling, since functions are passed on in tables."""
import re

from functions import functions
from house import ALSO, FLOORS, PUBLIC, c_sources, folder_of, line_of, read, why_not_from, without_comments_and_strings

STARPU = r"starpu_\w+|STARPU_\w+"
CALLS_OF_STARPU = r"(?<!\.)(?<!->)starpu_\w+"  # no constants, and no members of that name
DEVICES = r"cuda[A-Z_]\w*|CUDA_[A-Z]\w*|cu(?:fft|blas|sparse|solver)\w*|CU(?:FFT|BLAS|SPARSE|SOLVER)_\w+"
TRANSFORMS = r"fftwf?_\w+|FFTW_\w+"
ALGEBRA = r"cblas_\w+|LAPACKE_\w+"
MESSAGES = r"MPI_\w+|starpu_mpi_\w+"


def foreign_names(folder):
    """What the files of a folder must not name, as a pattern, and why; or None."""
    floor = FLOORS[folder]
    if folder == "mpi":
        return "|".join((DEVICES, TRANSFORMS, ALGEBRA)), "it joins processes, and computes nothing"
    if floor >= 6:
        numerics = f"cu(?:fft|blas|sparse|solver)\\w+|{TRANSFORMS}|{ALGEBRA}"
        if folder == "apps/examples":
            return numerics, "examples have the library compute"
        return f"{numerics}|{CALLS_OF_STARPU}", "the program computes nothing itself, and StarPU is the library's"
    if floor >= 3.5:
        return "|".join((STARPU, DEVICES, TRANSFORMS, MESSAGES)), "solvers speak to tasks/ only"
    if floor >= 3:
        return "|".join((STARPU, DEVICES, TRANSFORMS, ALGEBRA, MESSAGES)), \
            "task graphs use StarPU through codelets/ and scheduler/, and devices not at all"
    if floor >= 2:
        return "|".join((TRANSFORMS, ALGEBRA, MESSAGES)), "codelets compute through kernels"
    if floor >= 0.9:
        return "|".join((STARPU, MESSAGES)), "kernels do not know StarPU"
    if floor == 0:
        return "|".join((STARPU, MESSAGES)), "base knows no runtime"
    return None


FOREIGN = {folder: (re.compile(rf"\b(?:{rule[0]})\b"), rule[1]) for folder in FLOORS if (rule := foreign_names(folder))}

# What base/real.h and base/number.h add to a name inside of their macros.
SUFFIXES = [numbers + precision for numbers in ("", "_complex_vectors", "_complex_lines")
            for precision in ("", "_f32", "_f64", "_f32_f16", "_f32_bf16")]
INCLUDE = re.compile(r"^[ \t]*#[ \t]*include\b[^\n]*", re.MULTILINE)
TAG = re.compile(r"\b(?:struct|enum|union)\s+(\w+)|\}\s*(\w+)\s*;|\btypedef\b[^;{}]*?\b(\w+)\s*;")
# A name that is no member, no tag; whether a list in parentheses follows.
NAME = re.compile(r"\b(?:struct|enum|union)\s+\w+|(?<!\.)(?<!->)\b([A-Za-z_]\w*)\b(\s*\()?")


def names_of(function):
    return [function.name + suffix for suffix in SUFFIXES] if function.pasted else [function.name]


def is_ours(path, function):
    """Whether other files can mean this function by its name: in CUDA files only what C can call."""
    if function.static and not path.endswith(".h"):
        return False
    return not path.endswith((".cu", ".cuh")) or function.linked_as_c


class House:
    """Which functions there are, and in which folders they are defined; and the text in which they are looked for."""

    def __init__(self, root):
        self.text, self.local, self.folders, self.tags, self.contracts = {}, {}, {}, set(), {}
        declared = {}
        for path in c_sources(root):
            whole = read(root, path)
            self.text[path] = INCLUDE.sub("", without_comments_and_strings(whole))
            for found in TAG.findall(self.text[path]):
                self.tags.update(found)
            found = list(functions(whole))
            self.local[path] = {name for f in found if f.defined for name in names_of(f)}
            for f in found:
                if folder_of(path) in (*FLOORS, "bench") and is_ours(path, f):
                    for name in names_of(f):
                        (self.folders if f.defined else declared).setdefault(name, set()).add(folder_of(path))
                        self.contracts.setdefault(name, set()).add(path)
        # Macros define some functions; those belong where their private header is.
        for name, folders in declared.items():
            self.folders.setdefault(name, folders)
        self.tags.discard("")

    def why_not(self, home, name):
        """Why the files of a folder must not name a function of ours; None when they may."""
        reasons = []
        for there in self.folders[name]:
            if there == "bench":
                may = self.contracts[name] & set(ALSO.get(home, ()))
                reason = None if may else "bench/ is no part of the library"
            else:
                reason = why_not_from(home, there)
            if reason is None:
                return None
            reasons.append(reason)
        return reasons[0]


def forbidden(house, path):
    """(line, name, reason) of every name in a file that must not be there."""
    home, text = folder_of(path), house.text[path]
    for match in NAME.finditer(text):
        name, called = match.group(1), match.group(2)
        if name not in house.folders or name in house.local[path]:
            continue
        if called or (name.startswith("starfish_") and name not in house.tags):
            reason = house.why_not(home, name)
            if reason:
                yield line_of(text, match.start(1)), name, reason
    if home in FOREIGN:
        pattern, reason = FOREIGN[home]
        for match in pattern.finditer(text):
            yield line_of(text, match.start()), match.group(), reason


def violations(root, allowed):
    house = House(root)
    for path in house.text:
        if folder_of(path) in FLOORS:
            for line, name, reason in forbidden(house, path):
                if not allowed.name("calls", path, name):
                    yield f"{path}:{line}: names {name}: {reason}"
    for path in house.text:
        if folder_of(path) == PUBLIC:
            yield from undefined(house, read(root, path), path)


def undefined(house, text, path):
    """A public function that this check cannot find would be open to every floor."""
    for f in functions(text):
        if f.name not in house.folders:
            yield f"{path}:{f.line}: declares {f.name}, which no folder of the house defines"

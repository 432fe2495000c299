# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fails where an #include leads up or sideways, or brings a foreign library to a floor that must not know it."""
import os
import re

from house import ALSO, FLOORS, OUTSIDE, PUBLIC, c_sources, folder_of, line_of, read, why_not_from, without_comments

STARPU = re.compile(r"^starpu")
DEVICES_AND_TRANSFORMS = re.compile(r"^(cuda|cufft|cublas|cusparse|cusolver|fftw3|cblas)")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)', re.MULTILINE)


def includes_of(text):
    """(line number, path, whether in quotes) of every #include that is not commented out."""
    blank = without_comments(text)
    for match in INCLUDE.finditer(blank):
        yield line_of(blank, match.start(match.lastindex)), match.group(1) or match.group(2), match.group(1) is not None


def house_path(includer, path, quoted, exists):
    """Where in the house an include leads: a path from the root, or None when it leads out of it."""
    if path.startswith("starfish/"):
        return "include/" + path
    beside = os.path.normpath(os.path.join(os.path.dirname(includer), path))
    if quoted and exists(beside):
        return beside
    return path if quoted and folder_of(path) else None


def why_not(includer, target):
    """Why a file of ours may not include another file of ours; None when it may."""
    home, there = folder_of(includer), folder_of(target)
    if home in OUTSIDE or there in (PUBLIC, home) or target in ALSO.get(home, ()):
        return None
    if home == PUBLIC:
        return "a public header may include only public headers"
    if there is None or there in OUTSIDE:
        return f"{target} is no part of the library"
    return why_not_from(home, there)


def why_not_foreign(includer, header):
    """Why a file of ours may not include a header of StarPU, CUDA, FFTW or BLAS; None when it may."""
    home = folder_of(includer)
    if home in OUTSIDE:
        return None
    starpu, device = STARPU.match(header), DEVICES_AND_TRANSFORMS.match(header)
    if home == PUBLIC and (starpu or device):
        return "public headers stand alone"
    if home in FLOORS and 3.5 <= FLOORS[home] <= 5 and (starpu or device):
        return "solvers speak to tasks/ only"
    if home == "tasks" and (starpu or device):
        return "task graphs use StarPU through codelets/ and scheduler/, and devices not at all"
    if home in FLOORS and 0.9 <= FLOORS[home] < 2 and starpu:
        return "kernels do not know StarPU"
    if home == "base" and (starpu or device):
        return "base knows no runtime"
    return None


def violations(root):
    for path in c_sources(root):
        if folder_of(path) is None:
            yield f"{path}:1: lies on no floor of the house"
            continue
        for line, included, quoted in includes_of(read(root, path)):
            target = house_path(path, included, quoted, lambda p: os.path.exists(os.path.join(root, p)))
            reason = why_not(path, target) if target else why_not_foreign(path, included)
            if reason:
                yield f"{path}:{line}: includes {included}: {reason}"

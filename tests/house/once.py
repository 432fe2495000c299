# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fails where what must stand once, in one file, stands in another one too: how a solution is judged."""
import re

from house import c_sources, floor_of, folder_of, line_of, PUBLIC, read, without_comments

# what, how it looks, the only file that may have it
ONCE = (
    ("how large rounding errors make a residual", re.compile(r"\b100(?:\.0?)?\s*\*\s*(?:starfish_)?eps(?:ilon)?\b"),
     "solver/accept.c"),
    ("a word for an outcome", re.compile(r'"(?:solved|not[- ]converged|stagnated|diverged|cancelled)"'),
     "solver/accept.c"),
    ("an enum of outcomes", re.compile(r"\benum\s+\w*\s*\{[^}]*NOT_CONVERGED"), "include/starfish/solve.h"),
)


def violations(root, _allowed):
    for path in c_sources(root):
        if floor_of(path) is None and folder_of(path) != PUBLIC:
            continue
        text = without_comments(read(root, path))
        for what, pattern, home in ONCE:
            found = pattern.search(text)
            if found and path != home:
                yield f"{path}:{line_of(text, found.start())}: has {what}, which is in {home}"

# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fails where a public function does not begin by holding the default floating-point environment (base/arithmetic.h).
Functions that only hand over what is known are exempt, by the ends of their names."""
import re

from functions import functions
from house import PUBLIC, c_sources, floor_of, folder_of, read, without_comments_and_strings

FIRST = "STARFISH_OWN_ARITHMETIC;"
EXEMPT = re.compile(r"_(alloc|cancel|cells|deal|error_message|free|named|nodes|option|outcome_name|pin|plan_method|"
                    r"plan_reason|plan_seconds|plan_singular|plan_vectors|points|progress|runtime|share|shares|"
                    r"status_name|tell|tell_rank|unknowns|unpin|worker|workers|workers_of)$")


def first_statement(text, line):
    """Of the function whose name stands on that line."""
    body = re.search(r"^\{\n\s*([^\n]*)", "\n".join(text.split("\n")[line - 1:]), re.MULTILINE)
    return body.group(1) if body else ""


def violations(root, allowed):
    public = {f.name for path in c_sources(root) if folder_of(path) == PUBLIC for f in functions(read(root, path))}
    for path in c_sources(root):
        if floor_of(path) is None or folder_of(path) in ("apps", "apps/examples", "mpi"):
            continue
        text = without_comments_and_strings(read(root, path))
        for f in functions(text):
            if f.defined and not f.static and f.name in public and not EXEMPT.search(f.name) and \
                    first_statement(text, f.line) != FIRST and not allowed.name("arithmetic", path, f.name):
                yield f"{path}:{f.line}: {f.name} does not begin with {FIRST}"

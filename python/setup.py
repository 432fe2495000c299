# SPDX-License-Identifier: LGPL-2.1-or-later
"""Installs pystarfish; pyproject.toml has its metadata. In a tree of Starfish, the table of the C interface is written
first, and the package remembers where libstarfish is: below STARFISH_PREFIX, else where pkg-config says, else in the
build tree, where ./bootstrap builds it if need be. Elsewhere the library is looked for when it is used."""
import os
import runpy
import subprocess
import sys
import tempfile
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

HERE = Path(__file__).resolve().parent
TREE = HERE.parent
PREFIX = os.environ.get("STARFISH_PREFIX")
IS_IN_TREE = (TREE / "include/starfish").is_dir()


def find_library():
    """The file libstarfish.so.N, None where there is none."""
    if PREFIX:
        folders = sorted(Path(PREFIX).resolve().glob("lib*/**"))
    else:
        asked = subprocess.run("pkg-config --variable=libdir starfish", shell=True, capture_output=True, text=True,
                               check=False)
        folders = [*map(Path, asked.stdout.split()), TREE / "build/lib"]
    version = runpy.run_path(str(HERE / "pystarfish/_abi.py"))["VERSION"]
    files = [folder / f"libstarfish.so.{version[0]}" for folder in folders]
    return next((file for file in files if file.exists()), None)


def build_library():
    """Builds the library beside these sources. Installs no packages."""
    print("pystarfish: no libstarfish was found: it is built now, which takes minutes", file=sys.stderr)
    if subprocess.run([TREE / "bootstrap", "build"], stdout=sys.stderr, env={**os.environ, "STARFISH_NO_INSTALL": "1"},
                      check=False).returncode:
        raise RuntimeError("./bootstrap build failed: run it by hand, or set STARFISH_PREFIX to an installed Starfish")


class Build(build_py):
    """Adds a file that says where the library is."""

    def run(self):
        super().run()
        if not PREFIX and IS_IN_TREE and find_library() is None:
            build_library()
        library = find_library() if PREFIX or IS_IN_TREE else None
        if library is None:
            print("pystarfish: libstarfish is looked for when it is used", file=sys.stderr)
        else:
            Path(self.build_lib, "pystarfish/_installed.py").write_text(
                f'"""Where the library was when this was installed."""\nLIBRARY = "{library}"\n', encoding="utf-8")


class Binary(Distribution):
    """The package with libraries of this platform in it."""

    def has_ext_modules(self):
        return True


commands, kind = {"build_py": Build}, Distribution
if list((HERE / "pystarfish").glob("*.so.*")):
    class Wheel(Distribution().get_command_class("bdist_wheel")):
        """For every Python 3."""

        def get_tag(self):
            return "py3", "none", super().get_tag()[2]
    commands["bdist_wheel"], kind = Wheel, Binary
if IS_IN_TREE:
    subprocess.run([sys.executable, "-B", HERE / "make-bindings"], stdout=subprocess.DEVNULL, check=True)
# What setuptools writes does not lie beside the sources, which may be read-only.
with tempfile.TemporaryDirectory() as scratch:
    setup(license="LGPL-2.1-or-later", cmdclass=commands, distclass=kind,
          options={"build": {"build_base": scratch}, "egg_info": {"egg_base": scratch}})

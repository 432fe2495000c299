"""Makes the wheel of pystarfish (PEP 517). What pip installs holds Python files and the place of the library, which is
looked for in this order: STARFISH_PREFIX, pkg-config's starfish, the build tree beside these sources; where it is in
none of them, ./bootstrap builds it there. make-wheel makes wheels to be given away: of Python files alone, or with the
libraries of an installation and all that they need but what every Linux has and what comes with CUDA and MPI. The
package's table of the C interface is written first, where the headers are beside these sources."""
import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
if (HERE.parent / "include/starfish").is_dir():
    subprocess.run([sys.executable, "-B", HERE / "make-bindings"], stdout=subprocess.DEVNULL, check=True)
from pystarfish._abi import VERSION as NUMBERS  # noqa: E402  pylint: disable=wrong-import-position

VERSION = ".".join(str(n) for n in NUMBERS)
SONAME = f"libstarfish.so.{NUMBERS[0]}"
METADATA = f"""Metadata-Version: 2.1
Name: pystarfish
Version: {VERSION}
Summary: Elliptic problems on CPU+GPU nodes: Starfish from Python
License: LGPL-2.1-or-later
Requires-Python: >=3.9
Provides-Extra: host
Requires-Dist: numpy; extra == 'host'
Provides-Extra: scipy
Requires-Dist: scipy; extra == 'scipy'
Provides-Extra: mpi
Requires-Dist: mpi4py; extra == 'mpi'
"""


def library_folder():
    """The folder with libstarfish, None where there is none."""
    folders = []
    if os.environ.get("STARFISH_PREFIX"):
        folders += [path.parent for path in pathlib.Path(os.environ["STARFISH_PREFIX"]).glob(f"lib*/**/{SONAME}")]
    else:
        try:
            told = subprocess.run(["pkg-config", "--variable=libdir", "starfish"], capture_output=True, text=True,
                                  check=True).stdout.strip()
            folders.append(pathlib.Path(told))
        except (OSError, subprocess.CalledProcessError):
            pass
        folders += [HERE.parent / "build" / "lib"]
    return next((folder.resolve() for folder in folders if (folder / SONAME).exists()), None)


# Libraries that a wheel does not bring along: those of every Linux; those that are the machine's: CUDA's (which also
# come from pip, as nvidia-cublas), its driver's and MPI's, with what only MPI needs.
EVERYWHERE = re.compile(r"(ld-linux\S*|linux-vdso|lib(c|m|dl|pthread|rt|util|resolv|stdc\+\+|gcc_s))\.so")
OF_THE_MACHINE = re.compile(r"lib(cu|nv|mpi|open-rte|open-pal|event)")


def needed_libraries(library):
    """What a shared library needs, directly or not: names in an order in which they can be loaded, and their files."""
    told = subprocess.run(["ldd", library], capture_output=True, text=True, check=True).stdout
    files = {name: pathlib.Path(path) for name, path in re.findall(r"^\s*(\S+) => (/\S+)", told, re.MULTILINE)}
    order = []

    def visit(file):
        dynamic = subprocess.run(["readelf", "-d", file], capture_output=True, text=True, check=True).stdout
        for name in re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic):
            if name not in order and not EVERYWHERE.match(name):
                if name in files:
                    visit(files[name])
                order.append(name)
    visit(library)
    return list(dict.fromkeys(order)), files


def bundled(folder):
    """Names in the wheel and files of the libraries of an installation, and the names of those that come first."""
    order, files = needed_libraries(folder / SONAME)
    found = {SONAME: folder / SONAME}
    mpi = folder / SONAME.replace("starfish", "starfish_mpi")
    if mpi.exists():
        names, of_mpi = needed_libraries(mpi)
        found.update({mpi.name: mpi, **{f"starfish/{n}": of_mpi[n] for n in names if n.startswith("libstarpumpi")}})
    found.update({f"starfish/{name}": files[name] for name in order if not OF_THE_MACHINE.match(name)})
    return found, order


def build_library():
    """Build the library beside these sources, where they are in a tree of Starfish's. Installs no packages."""
    bootstrap = HERE.parent / "bootstrap"
    if os.environ.get("STARFISH_PREFIX") or not bootstrap.exists():
        return
    print(f"pystarfish: no {SONAME} was found: it is built now, which takes minutes", file=sys.stderr)
    done = subprocess.run([bootstrap, "build"], stdout=sys.stderr, env={**os.environ, "STARFISH_NO_INSTALL": "1"},
                          check=False)
    if done.returncode != 0:
        raise RuntimeError("./bootstrap build failed: run it by hand, or set STARFISH_PREFIX to an installed Starfish")


def python_files():
    """Names in the wheel and their bytes."""
    for path in sorted((HERE / "pystarfish").iterdir()):
        if path.suffix in (".py", ".typed") and path.name not in ("_installed.py", "_bundled.py"):
            yield f"pystarfish/{path.name}", path.read_bytes()


def place_of_library():
    """A file that says where the library is on this machine."""
    if library_folder() is None:
        build_library()
    folder = library_folder()
    if folder is None:
        print(f"pystarfish: no {SONAME} was found: set STARFISH_PREFIX when it is used", file=sys.stderr)
    else:
        yield "pystarfish/_installed.py", (f'"""Where the library was when this was installed."""\n'
                                           f'LIBRARY = "{folder / SONAME}"\n').encode()


def libraries():
    """The libraries of STARFISH_PREFIX, and a file that says in which order they load."""
    folder = library_folder()
    if folder is None:
        raise RuntimeError(f"no {SONAME} below {os.environ['STARFISH_PREFIX']}")
    found, order = bundled(folder)
    for name, path in sorted(found.items()):
        yield f"pystarfish/lib/{name}", path.read_bytes()
    yield "pystarfish/_bundled.py", (f'"""Libraries that this one needs, in an order in which they load."""\n'
                                     f'ORDER = {order!r}\n').encode()


def tag(bundle):
    """Python files fit everywhere; libraries this platform alone."""
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_") if bundle else "any"
    return f"py3-none-{platform}"


def write(folder, entries, bundle):
    """A wheel with a list of its contents, into a folder; its name."""
    info = f"pystarfish-{VERSION}.dist-info"
    wheel = f"Wheel-Version: 1.0\nGenerator: starfish\nRoot-Is-Purelib: {str(not bundle).lower()}\nTag: {tag(bundle)}\n"
    entries = [*entries, (f"{info}/METADATA", METADATA.encode()), (f"{info}/WHEEL", wheel.encode())]
    record, file = "", f"pystarfish-{VERSION}-{tag(bundle)}.whl"
    with zipfile.ZipFile(pathlib.Path(folder) / file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries:
            archive.writestr(name, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record += f"{name},sha256={digest},{len(data)}\n"
        archive.writestr(f"{info}/RECORD", f"{record}{info}/RECORD,,\n")
    return file


def make_wheel(folder, bundle):
    """A wheel to be given away: nothing in it names this machine."""
    return write(folder, [*python_files(), *(libraries() if bundle else [])], bundle)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):  # pylint: disable=unused-argument
    """PEP 517."""
    return write(wheel_directory, [*python_files(), *place_of_library()], False)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):  # pylint: disable=unused-argument
    """PEP 660: a path to the sources."""
    return write(wheel_directory, [("pystarfish.pth", f"{HERE}\n".encode())], False)


def build_sdist(sdist_directory, config_settings=None):  # pylint: disable=unused-argument
    """The sources are Starfish's."""
    raise NotImplementedError("the sources of pystarfish are those of Starfish: make a wheel")

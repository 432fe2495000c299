"""Makes the wheel of pystarfish (PEP 517). It holds Python files and the place of the library, which is looked for in
this order: STARFISH_PREFIX, pkg-config's starfish, the build tree beside these sources. STARFISH_BUNDLE=1 copies the
library's folder of STARFISH_PREFIX into the wheel, which then brings Starfish along (./make-wheel)."""
import base64
import hashlib
import os
import pathlib
import subprocess
import sys
import sysconfig
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
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


def contents(bundle):
    """Names in the wheel and their bytes."""
    for path in sorted((HERE / "pystarfish").iterdir()):
        if path.suffix in (".py", ".typed") and path.name != "_installed.py":
            yield f"pystarfish/{path.name}", path.read_bytes()
    folder = library_folder()
    if folder is None:
        print(f"pystarfish: no {SONAME} was found: set STARFISH_PREFIX when it is used", file=sys.stderr)
    elif bundle:
        for path in sorted(folder.rglob("*.so*")):
            yield f"pystarfish/lib/{path.relative_to(folder)}", path.read_bytes()
    else:
        yield "pystarfish/_installed.py", (f'"""Where the library was when this was installed."""\n'
                                           f'LIBRARY = "{folder / SONAME}"\n').encode()


def tag(bundle):
    """Python files fit everywhere; libraries this platform alone."""
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_") if bundle else "any"
    return f"py3-none-{platform}"


def write(path, entries, bundle):
    """The archive, with its list of contents."""
    info = f"pystarfish-{VERSION}.dist-info"
    wheel = f"Wheel-Version: 1.0\nGenerator: starfish\nRoot-Is-Purelib: {str(not bundle).lower()}\nTag: {tag(bundle)}\n"
    entries = [*entries, (f"{info}/METADATA", METADATA.encode()), (f"{info}/WHEEL", wheel.encode())]
    record = ""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries:
            archive.writestr(name, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            record += f"{name},sha256={digest},{len(data)}\n"
        archive.writestr(f"{info}/RECORD", f"{record}{info}/RECORD,,\n")


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):  # pylint: disable=unused-argument
    """PEP 517."""
    bundle = os.environ.get("STARFISH_BUNDLE") == "1"
    name = f"pystarfish-{VERSION}-{tag(bundle)}.whl"
    write(pathlib.Path(wheel_directory) / name, contents(bundle), bundle)
    return name


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):  # pylint: disable=unused-argument
    """PEP 660: a path to the sources."""
    name = f"pystarfish-{VERSION}-{tag(False)}.whl"
    write(pathlib.Path(wheel_directory) / name, [("pystarfish.pth", f"{HERE}\n".encode())], False)
    return name


def build_sdist(sdist_directory, config_settings=None):  # pylint: disable=unused-argument
    """The sources are Starfish's."""
    raise NotImplementedError("the sources of pystarfish are those of Starfish: make a wheel")

"""What a wheel with libraries holds, laid out in a folder, works by itself: every library that is loaded comes from it,
or is one that it leaves to the machine. usage: wheel.py SOURCES PREFIX FOLDER PROGRAM"""
import os
import pathlib
import shutil
import subprocess
import sys

SOURCES, PREFIX, FOLDER, PROGRAM = map(pathlib.Path, sys.argv[1:])
sys.path.insert(0, str(SOURCES / "python"))
os.environ["STARFISH_PREFIX"] = str(PREFIX)
import backend  # noqa: E402  pylint: disable=wrong-import-position

for name, data in (*backend.python_files(), *backend.libraries()):
    path = FOLDER / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
own = set(backend.bundled(backend.library_folder())[0])
(FOLDER / "run.py").write_text(f"""import runpy
runpy.run_path({str(PROGRAM)!r})
import pystarfish._library
print(pystarfish._library.library().path)
print(*{{line.split()[-1] for line in open('/proc/self/maps') if '.so' in line}})
""", encoding="utf-8")
environment = {name: value for name, value in os.environ.items() if not name.startswith("STARFISH_")}
done = subprocess.run([sys.executable, "-B", FOLDER / "run.py"], capture_output=True, text=True, check=False, cwd=FOLDER,
                      env={**environment, "PYTHONPATH": str(FOLDER)})
assert done.returncode == 0, done.stderr
said, library, loaded = done.stdout.splitlines()
assert library == str(FOLDER / "pystarfish/lib" / backend.SONAME), library
loaded = set(map(pathlib.Path, loaded.split()))
missing = [name for name in own if "mpi" not in name and FOLDER / "pystarfish/lib" / name not in loaded]
assert not missing, missing
foreign = [path for path in loaded if {PREFIX, SOURCES} & set(path.parents) and FOLDER not in path.parents]
assert not foreign, foreign

# Where there is no library, the one that ./bootstrap builds is taken.
tree = FOLDER / "tree"
shutil.copytree(SOURCES / "python", tree / "python", ignore=shutil.ignore_patterns("__pycache__"))
(tree / "bootstrap").write_text(f"#!/bin/sh\nmkdir -p {tree}/build/lib && : >{tree}/build/lib/{backend.SONAME}\n")
(tree / "bootstrap").chmod(0o755)
done = subprocess.run([sys.executable, "-B", "-c", "import backend; print(dict(backend.place_of_library()))"], check=True,
                      cwd=tree / "python", env={**environment, "PKG_CONFIG_LIBDIR": "/nonexistent", "PKG_CONFIG_PATH": ""},
                      capture_output=True, text=True)
assert f"{tree}/build/lib/{backend.SONAME}" in done.stdout and "it is built now" in done.stderr, done
print(said)

# SPDX-License-Identifier: LGPL-2.1-or-later
"""Commands of the pages that compile and start programs against an installed Starfish, typed as they stand there.
usage: typed.py SOURCES PREFIX LIBDIR FOLDER [PYTHON]"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

SOURCES, PREFIX, LIBDIR, FOLDER = pathlib.Path(sys.argv[1]), *sys.argv[2:4], pathlib.Path(sys.argv[4])
PYTHON = sys.argv[5] if len(sys.argv) > 5 else None
EXAMPLES = SOURCES / "apps" / "examples"
FENCE = re.compile(r"^```(?:sh|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FIRST, CHANNEL = r"potential a quarter of the box away: 0\.17", r"step 200: energy 0\.26822239\d+, .*: yes"
# Page, the reader's program and ours in its place, what it is compiled to, what it says.
PAGES = (("installing", {"program.c": "first/first.c"}, "program", FIRST),
         ("fishpack", {"program.f": "../../tests/fishpack/client.f", "program.f90": "fortran/blktri.f90"}, "a.out",
          r"IERROR +0 +ERROR|1\.6477\d+E-0?5"),
         ("fortran", {"code.f90": "fortran/first.f90"}, "code", FIRST),
         ("tutorial", {f"channel.{end}": f"tutorial/channel.{end}" for end in ("c", "f90", "py")}, "channel", CHANNEL))
TOOLS = {"cc": shutil.which("cc"), "gfortran": shutil.which("gfortran"), "python3": PYTHON}


def typed(page):
    """Commands of a page that begin with one of the tools: what is to be run, with variables that are set before."""
    for block in FENCE.findall((SOURCES / "docs" / f"{page}.md").read_text(encoding="utf-8")):
        variables = ""
        for line in block.splitlines():
            if re.match(r"[A-Z]+=\S+$|[A-Z]+=\$\(.*\)$", line):
                variables += f"{line}\n"
            elif line.split(" ")[0] in TOOLS:
                yield line.split(" ")[0], (variables + line).replace("/opt/starfish", PREFIX)


environment = {**os.environ, "PKG_CONFIG_PATH": f"{PREFIX}/{LIBDIR}/pkgconfig", "STARFISH_PREFIX": PREFIX,
               "LD_LIBRARY_PATH": f"{PREFIX}/{LIBDIR}:{os.environ.get('LD_LIBRARY_PATH', '')}"}
if PYTHON:
    environment["PATH"] = f"{pathlib.Path(PYTHON).parent}:{environment['PATH']}"


def run(command, folder):
    done = subprocess.run(command, shell=True, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stderr}"
    return done.stdout


for page, programs, made, says in PAGES:
    scratch, commands = FOLDER / page, list(typed(page))
    scratch.mkdir(parents=True)
    for name, source in programs.items():
        shutil.copy(EXAMPLES / source, scratch / name)
    assert len(commands) == len(programs), (page, commands)
    for tool, command in commands:
        if TOOLS[tool]:
            said = run(command, scratch)
            said = said if tool == "python3" else run(f"./{made}", scratch)
            assert re.search(says, said), f"{page}: {command} says\n{said}"
            print(f"{page}: {tool}")

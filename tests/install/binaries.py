# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads every program and shared library below some folders, and complains about what an attacker could use: a search
path with an entry that is empty, relative or in a folder that it must not name, a writable table of addresses
(no RELRO, lazy binding), an executable stack, a program at a fixed address, and code without checks of its stack.

usage: binaries.py [--fortified] [--elsewhere FOLDER]... FOLDER...

    --fortified     the library uses the checked functions of _FORTIFY_SOURCE too
    --elsewhere     a folder that no search path may name
"""
import argparse
import os
import re
import subprocess
import sys

# StarPU's libraries lie in the install tree as they were built: their search paths count, their flags are their own.
OTHERS = re.compile(r"libstarpu")


def elves(folders):
    for folder in folders:
        for at, _, names in os.walk(folder):
            for path in (os.path.join(at, name) for name in sorted(names)):
                if os.path.islink(path) or not os.path.isfile(path):
                    continue
                with open(path, "rb") as file:
                    head = file.read(18)
                # Executable or shared; objects and core files are others.
                if head[:4] == b"\x7fELF" and int.from_bytes(head[16:18], sys.byteorder) in (2, 3):
                    yield path


def readelf(path, *options):
    return subprocess.run(["readelf", "-W", *options, path], check=True, capture_output=True, text=True).stdout


def path_faults(dynamic, elsewhere):
    for entries in re.findall(r"\((?:RUNPATH|RPATH)\).*\[(.*)\]", dynamic):
        for entry in entries.split(":"):
            if not re.match(r"/|\$ORIGIN(/|$)", entry):
                yield f"looks for libraries in '{entry}', relative to the current folder"
            if any(entry == folder or entry.startswith(folder + "/") for folder in elsewhere):
                yield f"looks for libraries in {entry}"


def flag_faults(text):
    if not re.search(r"\(FLAGS\).*BIND_NOW|\(FLAGS_1\).*NOW", text):
        yield "binds functions lazily (no BIND_NOW)"
    if "GNU_RELRO" not in text:
        yield "has no GNU_RELRO"
    stack = re.search(r"GNU_STACK(.*)", text)
    if not stack or re.search(r"\bRWE\b", stack.group(1)):
        yield "has an executable stack"
    if re.search(r"\bINTERP\b", text) and not re.search(r"\(FLAGS_1\).*PIE", text):
        yield "is a program at a fixed address (no PIE)"


def symbol_faults(path, fortified):
    """Of the library itself, which has arrays on its stack and formats text."""
    symbols = readelf(path, "--dyn-syms")
    if "__stack_chk_fail" not in symbols:
        yield "does not check its stack (__stack_chk_fail)"
    if fortified and not re.search(r"__\w+_chk\b(?<!__stack_chk)", symbols):
        yield "uses no checked function (_FORTIFY_SOURCE)"


def faults(path, fortified, elsewhere):
    name = os.path.basename(path)
    dynamic = readelf(path, "-d", "-l")
    yield from path_faults(dynamic, elsewhere)
    if not OTHERS.match(name):
        yield from flag_faults(dynamic)
    if re.match(r"libstarfish\.so|starfish$", name):
        yield from symbol_faults(path, fortified)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--fortified", action="store_true")
    parser.add_argument("--elsewhere", action="append", default=[])
    arguments = parser.parse_args()
    count, wrong = 0, 0
    for path in elves(arguments.folders):
        count += 1
        for fault in faults(path, arguments.fortified, arguments.elsewhere):
            wrong += 1
            print(f"{path} {fault}")
    print(f"{count} programs and libraries, {wrong} faults")
    return 1 if wrong or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())

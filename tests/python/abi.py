# SPDX-License-Identifier: LGPL-2.1-or-later
"""The structs as the bindings lay them out are those that the C compiler lays out: sizes and places of all members."""
import ctypes
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "python"))
from bindings import fortran, headers  # noqa: E402  pylint: disable=wrong-import-position


def assertions(interface):
    """As C, which does not compile where they differ."""
    yield "#include <starfish/starfish.h>\n#include <stddef.h>"
    writer = fortran.Writer(interface)
    named = [name for name in interface.structs if not any(
        name == f"{other.name}_{member.name}" for other in interface.structs.values() for member in other.members)]
    for name in named:
        layout = writer.layout(name)
        yield f'_Static_assert(sizeof(struct {name}) == {ctypes.sizeof(layout)}, "size of {name}");'
        for member, _ in layout._fields_:
            yield (f"_Static_assert(offsetof(struct {name}, {member}) == {getattr(layout, member).offset}, "
                   f'"place of {name}.{member}");')
    for constant, value in interface.constants.items():
        yield f'_Static_assert({constant} == {value}, "{constant}");'


def compiles(text):
    return subprocess.run([sys.argv[1], "-std=c11", "-fsyntax-only", f"-I{ROOT / 'include'}", "-x", "c", "-"],
                          input=text, text=True, capture_output=True, check=False)


program = "\n".join(assertions(headers.read_headers(ROOT / "include" / "starfish")))
result = compiles(program)
if result.returncode != 0:
    sys.exit(result.stderr)
if compiles(program + '\n_Static_assert(sizeof(struct starfish_axis) == 1, "");\n').returncode == 0:
    sys.exit("a wrong size is not noticed")
print(f"{program.count('_Static_assert')} assertions hold")

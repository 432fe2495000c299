# SPDX-License-Identifier: LGPL-2.1-or-later
"""The blocks of Python in docs/python.md and README.md run; so does the first program, and prints what it must.

Exits with 77 without matplotlib."""
import contextlib
import importlib.util
import io
import os
import pathlib
import re
import runpy
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
if not importlib.util.find_spec("matplotlib"):
    print("no matplotlib: skipped")
    sys.exit(77)
os.environ["MPLBACKEND"] = "Agg"
blocks = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
assert len(blocks) >= 5
exec(compile("\n".join(blocks), "docs/python.md", "exec"), {})  # pylint: disable=exec-used
readme = (ROOT / "README.md").read_text(encoding="utf-8")
three_lines = re.search(r"^```python\n(.*?)^```$", readme, re.MULTILINE | re.DOTALL).group(1)
exec(compile(three_lines, "README.md", "exec"), {})  # pylint: disable=exec-used
said = io.StringIO()
with contextlib.redirect_stdout(said):
    runpy.run_path(str(ROOT / "apps" / "examples" / "first" / "first.py"))
assert said.getvalue() == "potential a quarter of the box away: 0.1784\n", said.getvalue()

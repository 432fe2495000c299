# SPDX-License-Identifier: LGPL-2.1-or-later
"""The notebooks run, say what they have stored but for numbers, and are valid; with --write their outputs are stored.

A cell's assertions are the notebook's claims. Exits with 77 without matplotlib."""
import ast
import base64
import contextlib
import io
import json
import os
import pathlib
import re
import shutil
import sys

try:
    import matplotlib
except ImportError:
    print("no matplotlib: skipped")
    sys.exit(77)
matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402  pylint: disable=wrong-import-position

FOLDER = pathlib.Path(__file__).resolve().parent.parent.parent / "apps" / "examples" / "notebooks"
PROGRAM = pathlib.Path(os.environ["STARFISH_PROGRAM"])
NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
MOST_BYTES = 200_000


def lines(text):
    return text.splitlines(keepends=True)


def shown(figure):
    """A figure as an output of a cell."""
    picture = io.BytesIO()
    figure.savefig(picture, format="png")
    pyplot.close(figure)
    return {"output_type": "display_data", "metadata": {},
            "data": {"image/png": base64.encodebytes(picture.getvalue()).decode()}}


def run_cell(cell, names):
    """Outputs of a code cell, as nbformat has them."""
    outputs, said = [], io.StringIO()
    pyplot.show = lambda: outputs.append(shown(pyplot.gcf()))
    with contextlib.redirect_stdout(said):
        exec(compile(ast.parse("".join(cell["source"])), cell["id"], "exec"), names)  # pylint: disable=exec-used
    text = said.getvalue()
    return [{"output_type": "stream", "name": "stdout", "text": lines(text)}] * bool(text) + outputs


def shape_of(outputs):
    """Outputs without what differs between machines: numbers, pictures, the width of columns."""
    for output in outputs:
        if output["output_type"] == "stream":
            yield re.sub(r"[ -]+", " ", NUMBER.sub("#", "".join(output["text"])))
        else:
            yield sorted(output["data"])


def check_format(notebook):
    """What nbformat 4.5 wants; by nbformat itself where it is there."""
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    assert set(notebook) == {"nbformat", "nbformat_minor", "metadata", "cells"}
    for cell in notebook["cells"]:
        wanted = {"id", "cell_type", "metadata", "source"}
        wanted |= {"outputs", "execution_count"} if cell["cell_type"] == "code" else set()
        assert set(cell) == wanted and re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", cell["id"]), cell
    assert len({cell["id"] for cell in notebook["cells"]}) == len(notebook["cells"])
    try:
        import nbformat  # pylint: disable=import-outside-toplevel
        nbformat.validate(notebook)
    except ImportError:
        pass


def run(path, write):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    check_format(notebook)
    assert path.stat().st_size < MOST_BYTES or write, f"{path.name} is large"
    names = {"__name__": "__main__"}
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for number, cell in enumerate(cells, 1):
        found = run_cell(cell, names)
        if not write:
            stored = list(shape_of(cell["outputs"]))
            assert list(shape_of(found)) == stored, f"{path.name}, {cell['id']}: {list(shape_of(found))}, not {stored}"
            assert cell["execution_count"] == number
        cell["outputs"], cell["execution_count"] = found, number
    if write:
        path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    print(f"{path.name}: {len(cells)} cells")


simulates = (PROGRAM.parent / "starfish-simulated").exists()
os.environ["PATH"] = f"{PROGRAM.parent}:{os.environ['PATH']}"
os.environ.pop("COLUMNS", None)  # of the terminal in which tests are started: what is printed would be folded to it
assert shutil.which("starfish")
os.chdir(FOLDER)
sys.path.insert(0, str(FOLDER))
sys.dont_write_bytecode = True
for file in sorted(FOLDER.glob("*.ipynb")):
    if simulates or file.stem != "scheduling":
        run(file, "--write" in sys.argv)

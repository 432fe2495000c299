#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""README.md and docs/*.md say what is so: commands run, options exist, problem files are solved, C code compiles or is
what the sources say, links lead somewhere.

    pages.py PROGRAM SOURCE_FOLDER C_COMPILER [unittest arguments]"""
import array
import functools
import glob
import json
import math
import os
import re
import shlex
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

PROGRAM, SOURCE, COMPILER = sys.argv[1:4]
os.environ.pop("COLUMNS", None)  # of the terminal in which tests are started: help would be folded to it
PAGES = ["README.md", *sorted(os.path.relpath(page, SOURCE) for page in glob.glob(f"{SOURCE}/docs/*.md"))]
LINKED_PAGES = PAGES + sorted(os.path.relpath(page, SOURCE) for folder in ("apps/examples", "bench")
                              for page in glob.glob(f"{SOURCE}/{folder}/**/*.md", recursive=True))
# The pages of the guide, which describe the program and the library.
GUIDE = [f"docs/{name}.md" for name in ("installing", "program", "problem-files", "methods", "library", "fishpack",
                                        "performance", "scheduling", "benchmarks", "papers", "troubleshooting")]
MOST_PICTURE_BYTES = 200_000
SIMULATES = os.path.exists(os.path.join(os.path.dirname(os.path.realpath(PROGRAM)), "starfish-simulated"))

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
BOOTSTRAP = re.compile(r"\./bootstrap ([a-z]+)((?: --?[a-z]+)*)")
# Of a line of help: option, the names that its value may be, default.
OPTION_HELP = re.compile(r"^  (--(?!help)[a-z-]+) .*?(?:; of ((?:[\w-]+, )+[\w-]+))?(?:; default (.*))?$", re.MULTILINE)
# What is so without it, which help says instead of a default.
WITHOUT = re.compile(r"^  (--[a-z-]+) .*?; without, (.*?)(?:; of .*|; \d+\.\..*|; 0 or more.*)?$", re.MULTILINE)
NUMBER = re.compile(r"\b\d[\dex-]*\b")
OPTION = re.compile(r"(?<![\w-])--[a-z]+(?:-[a-z]+)*")


def read(path):
    with open(os.path.join(SOURCE, path), encoding="utf-8") as stream:
        return stream.read()


def program(path):
    """A program as pages quote it: without the line of its licence."""
    return read(path).partition("\n")[2]


def blocks(page, *languages):
    """Contents of the page's fenced blocks in these languages, in order."""
    return [content for language, content in FENCE.findall(read(page)) if language in languages]


def commands(page):
    """Commands of the page's blocks as lists of words, without variables set before them."""
    for content in blocks(page, "", "sh"):
        for line in content.splitlines():
            words = shlex.split(line, comments=True)
            while words and re.match(r"[A-Z_]+=", words[0]):
                words.pop(0)
            if words:
                yield words


def once(words):
    """A command without repetitions, which are there for the sake of its times."""
    measures = words[1:2] == ["sched"] or (words[1:2] in (["bench"], ["reproduce"]) and len(words) > 2)
    if not measures or "--repeat" in words or words[2] == "scaling":
        return words
    return [*words, "--repeat", "1", "--warmup", "0"]


def section(page, heading):
    """What stands below a heading, up to the next one."""
    text = FENCE.sub("", read(page))
    return re.search(rf"^#+ {re.escape(heading)}$(.*?)(?=^#|\Z)", text, re.MULTILINE | re.DOTALL).group(1)


def guide_section(heading):
    """The same of the guide's pages, of which one has it."""
    page = next(page for page in GUIDE if re.search(rf"^#+ {re.escape(heading)}$", FENCE.sub("", read(page)),
                                                    re.MULTILINE))
    return section(page, heading)


# The sections with rows of options that commands share.
SHARED = {"bench": ["bench"], "fem": ["solve"], "reproduce": ["bench", "reproduce"], "sched": ["bench", "fem", "solve"],
          "trace": ["bench", "fem", "solve", "sched"]}


def option_rows(command, heading=None):
    """The guide's row of each option of a command, from its own section or that of what it shares."""
    helped = OPTION.findall(say(PROGRAM, *command, "--help"))
    texts = [guide_section(name) for name in [*SHARED.get(command[0], []), heading or " ".join(command)]]
    own = set(re.findall(r"^\| `(--[a-z-]+)", texts[-1], re.MULTILINE))
    return {row.group(1): row for text in texts
            for row in re.finditer(r"^\| `(--[a-z-]+)[^|]*\| (.*) \| ?(.*?) ?\|$", text, re.MULTILINE)
            if row.group(1) in own or row.group(1) in helped}


@functools.lru_cache(maxsize=None)
def say(*arguments):
    """What a command says; it must succeed. Asked again, it is not run again."""
    done = subprocess.run(arguments, capture_output=True, text=True, check=False, timeout=300)
    if done.returncode != 0:
        raise AssertionError(f"{arguments} ended with {done.returncode}: {done.stderr}")
    return done.stdout


def anchors(page):
    """The names under which a page's headings can be linked to."""
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", read(page)), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def below(page, anchor):
    """What stands between the heading with this anchor, the title for none, and the next one."""
    text = FENCE.sub(lambda block: block.group().replace("#", " "), read(page))
    parts = re.split(r"^#+ (.*)$", text, flags=re.MULTILINE)
    names = [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in parts[1::2]]
    return parts[2::2][names.index(anchor) if anchor else 0]


class Pages(unittest.TestCase):
    def test_links_lead_somewhere(self):
        for page in LINKED_PAGES:
            for target in LINK.findall(FENCE.sub("", read(page))):
                if re.match(r"https?:", target):
                    continue
                with self.subTest(page=page, target=target):
                    path, _, anchor = target.partition("#")
                    path = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
                    self.assertTrue(os.path.exists(os.path.join(SOURCE, path)), "no such file")
                    if re.fullmatch(r"L\d+", anchor):
                        name = re.search(rf"\[(\w+)\]\({re.escape(target)}\)", read(page)).group(1)
                        self.assertIn(name, read(path).splitlines()[int(anchor[1:]) - 1])
                    elif anchor:
                        self.assertIn(anchor, anchors(path))

    def test_every_page_is_reached_from_the_readme(self):
        """But for the index that a build writes, to which the web has no link: it is named."""
        for page in PAGES[1:]:
            link = f"`{page}`" if page == "docs/reference.md" else f"({page})"
            self.assertIn(link, read("README.md"))

    def test_a_first_solve_is_read_in_minutes(self):
        """The words that the table on it counts are there, and nobody reads for more than ten minutes."""
        rows = re.findall(r"^\| ([\w ]+) \| (\[Starfish\].*?) \| (\d+) \| (\d+) \|$", read("docs/installing.md"),
                          re.MULTILINE)
        self.assertEqual([row[0] for row in rows], ["the program", "C", "Fortran", "Python"])
        for name, to_read, words, minutes in rows:
            counted = 0
            for target in LINK.findall(to_read):
                path, _, anchor = target.partition("#")
                page = os.path.normpath(os.path.join("docs", path)) if path else "docs/installing.md"
                counted += len(below(page, anchor).split())
            with self.subTest(name=name, counted=counted):
                self.assertLess(abs(counted - int(words)), 0.05 * counted)
                self.assertEqual(int(minutes), math.ceil(int(words) / 200))
                self.assertLess(int(minutes), 10)

    def test_pictures(self):
        pictures = glob.glob(f"{SOURCE}/docs/pictures/*.png")
        self.assertTrue(pictures)
        for picture in pictures:
            with self.subTest(picture=picture):
                self.assertLess(os.path.getsize(picture), MOST_PICTURE_BYTES)
                with open(picture, "rb") as stream:
                    self.assertEqual(stream.read(4), b"\x89PNG")


class Commands(unittest.TestCase):
    def check_options(self, options, text, values=()):
        for option in options:
            self.assertIn(option.split("=")[0], text)
        for value in values:
            self.assertIn(value, text)

    def test_bootstrap(self):
        presets = {preset["name"] for preset in json.loads(read("CMakePresets.json"))["configurePresets"]}
        for page in PAGES:
            for subcommand, rest in BOOTSTRAP.findall(read(page)):
                with self.subTest(page=page, subcommand=subcommand, rest=rest):
                    text = say(f"{SOURCE}/bootstrap", "help", subcommand)
                    self.check_options(OPTION.findall(rest), text)
            for preset in re.findall(r"--preset ([a-z]+)", read(page)):
                self.assertIn(preset, presets)

    def test_program(self):
        """Subcommands and options in blocks exist."""
        for page in PAGES:
            for words in commands(page):
                if os.path.basename(words[0]) != "starfish":
                    continue
                with self.subTest(page=page, words=words):
                    self.assertIn(f"  {words[1]} ", say(PROGRAM, "help"))
                    self.check_options(OPTION.findall(" ".join(words)), say(PROGRAM, *words[1:], "--help"))

    def test_guide_knows_every_option(self):
        """A command, or a benchmark, has a row for each of its options and no other, in its section or a shared one."""
        benchmarks = re.findall(r"^  (\w+) ", say(PROGRAM, "bench"), re.MULTILINE)
        self.assertIn("poisson3d", benchmarks)
        for command in (["solve"], ["fem"], ["sched"], ["trace"], *(["bench", name] for name in benchmarks)):
            with self.subTest(command=command):
                described = set(option_rows(command))
                self.assertEqual(described, set(OPTION.findall(say(PROGRAM, *command, "--help"))) - {"--help"})


    def test_guide_has_the_names_and_defaults_of_the_tables(self):
        """A row of the guide has all names that an option may have, or, where it refers to another row, none; and the
        option's default, or the numbers of what is so without it."""
        benchmarks = re.findall(r"^  (\w+) ", say(PROGRAM, "bench"), re.MULTILINE)
        checked = 0
        for command in (["solve"], ["fem"], ["sched"], ["trace"], *(["bench", name] for name in benchmarks)):
            rows, helped = option_rows(command), say(PROGRAM, *command, "--help")
            without = dict(WITHOUT.findall(helped))
            for option, names, default in OPTION_HELP.findall(helped):
                with self.subTest(command=command, option=option):
                    names = names.split(", ") if names else []
                    told = [name for name in names if f"`{name}`" in rows[option].group(2)]
                    self.assertIn(told, (names, []))
                    cell = rows[option].group(3).replace("`", "")
                    in_guide = names if cell == "both" else cell.split(",")
                    if option in without:
                        self.assertTrue(cell)
                        self.assertLessEqual(set(NUMBER.findall(without[option])), set(NUMBER.findall(cell)))
                    elif default:
                        self.assertEqual(sorted(in_guide), sorted(default.split(",")))
                    else:
                        self.assertIsNone(NUMBER.fullmatch(cell), "help tells no default")
                    checked += bool(told) + bool(default) + (option in without)
        self.assertGreater(checked, 200)

    def test_page_on_simulation_knows_every_option(self):
        text = section("docs/simulation.md", "Recording a machine") + \
            section("docs/simulation.md", "Deriving a machine")
        described = {option for row in re.findall(r"^\| `(--.*?) \|", text, re.MULTILINE)
                     for option in OPTION.findall(f"`{row}")}
        options = {option for what in ("record", "compare", "derive")
                   for option in OPTION.findall(say(PROGRAM, "machine", what, "--help"))}
        self.assertEqual(described, options - {"--help"})

    def test_guide_knows_every_experiment(self):
        experiments = re.findall(r"^  ([\w-]+) ", say(PROGRAM, "reproduce"), re.MULTILINE)
        self.assertIn("valero-lara-2d", experiments)
        for name in experiments:
            family = name.split("-")[0]
            own = family in ("goeddeke", "geveler", "gupta", "mueller")
            text = guide_section(f"reproduce {family}" if own else "reproduce")
            self.assertIn(f"| `{name}` |", text)
            self.assertEqual(set(option_rows(["reproduce", name], f"reproduce {family}" if own else "reproduce")),
                             set(OPTION.findall(say(PROGRAM, "reproduce", name, "--help"))) - {"--help"})


class Scratch(unittest.TestCase):
    """A folder in which commands of the pages run as if it were the root of the sources."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="starfish-docs-")
        self.addCleanup(shutil.rmtree, self.folder)
        os.makedirs(self.path("build/bin"))
        os.symlink(os.path.abspath(PROGRAM), self.path("build/bin/starfish"))
        os.makedirs(self.path("apps"))
        os.symlink(f"{SOURCE}/apps/examples", self.path("apps/examples"))

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_here(self, *words):
        done = subprocess.run(words, capture_output=True, text=True, cwd=self.folder, check=False, timeout=300)
        self.assertEqual(done.returncode, 0, f"{words}: {done.stderr}")
        return done.stdout

    # ---- arrays that problem files name

    def write_npy(self, name, shape, values):
        header = "{'descr': '<f8', 'fortran_order': False, 'shape': (%s,), }" % ", ".join(map(str, shape))
        header += " " * (-(len(header) + 11) % 64) + "\n"
        with open(self.path(name), "wb") as stream:
            stream.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
            array.array("d", values).tofile(stream)

    def write_array(self, name, shape, values=None):
        count = math.prod(shape)
        npy = name if name.endswith(".npy") else "made.npy"
        self.write_npy(npy, shape, values or [math.sin(1.7 * i) for i in range(count)])
        if npy == name:
            return
        # HDF5 is written by the program itself, as the solution of a problem of that shape.
        rows = {"lower": 0, "diag": -1, "upper": 0}
        problem = {"kind": "separable2d", "n": [shape[-1], shape[-2]], "x": rows, "y": rows, "rhs": npy}
        if len(shape) == 3:
            problem = {"kind": "separable3d", "n": shape[::-1], "length": [1], "y": rows, "z": rows, "rhs": npy}
        with open(self.path("make.json"), "w", encoding="utf-8") as stream:
            json.dump(problem, stream)
        self.run_here(PROGRAM, "solve", "make.json", "--quiet", "--out", name)

    def make_arrays(self, problem):
        shape = problem["n"][::-1]
        for key in ("rhs", "exact"):
            if isinstance(problem.get(key), str):
                self.write_array(problem[key], shape)
        for face, values in problem.get("boundary", {}).items():
            if isinstance(values, str):
                self.write_array(values, [n for axis, n in zip("zyx", shape) if axis != face[0]])
        for axis, grid in problem.get("grid", {}).items():
            if isinstance(grid, dict):
                self.make_positions(problem, axis, grid)
        coefficients = {"lower": 1.0, "diag": -2.5, "upper": 1.0}
        for axis in "xyz":
            rows = problem.get(axis, {})
            for name, value in coefficients.items():
                if isinstance(rows.get(name), str):
                    n = problem["n"]["xyz".index(axis)]
                    self.write_array(rows[name], [n], [value] * n)

    def make_positions(self, problem, axis, grid):
        count = problem["n"]["xyz".index(axis)] + 1
        if "nodes" in grid:
            count += problem["bc"][axis].count("dirichlet") - 1
        self.write_array(*grid.values(), [count], [i * (1 + 0.01 * i) for i in range(count)])


class Solved(Scratch):
    """Problem files, and what is told of their solves and of measurements."""

    def test_problem_files_are_solved(self):
        number = 0
        for page in PAGES:
            for content in blocks(page, "json"):
                number += 1
                with self.subTest(page=page, number=number):
                    problem = json.loads(content)
                    self.make_arrays(problem)
                    with open(self.path("p.json"), "w", encoding="utf-8") as stream:
                        stream.write(content)
                    result = json.loads(self.run_here(PROGRAM, "solve", "p.json", "--json"))
                    self.assertEqual(result["status"], "solved")
                    output = problem.get("solution", "p.json").partition(":")[0]
                    self.assertTrue(os.path.exists(self.path(output)))
        self.assertGreaterEqual(number, 4)

    def test_guide_knows_every_field_of_the_json(self):
        guide = "".join(map(read, GUIDE))
        with open(self.path("p.json"), "w", encoding="utf-8") as stream:
            stream.write(blocks("docs/problem-files.md", "json")[0])
        for words in (("solve", "p.json", "--json"), ("info", "--json")):
            for field in json.loads(self.run_here(PROGRAM, *words)):
                self.assertIn(f"`{field}`", guide)
        for what in (("bench", "poisson3d", "--n", "8"), ("bench", "tridiag", "--size", "8x9"),
                     ("bench", "blktri", "--size", "7", "--levels"), ("bench", "multigrid", "--level", "4"),
                     ("bench", "spmv", "--levels", "1"),
                     ("bench", "atmosphere", "--n", "8", "--layers", "2", "--iterations", "2"),
                     ("bench", "dpcg", "--n", "8"), ("sched", "p.json", "--policies", "eager")):
            quick = (*what, "--repeat", "1", "--warmup", "0", "--json")
            result = json.loads(self.run_here(PROGRAM, *quick))
            for field in set(result).union(*result["rows"], *result.get("calibration", [])):
                self.assertIn(f"`{field}`", guide)
        for name, *size in (("valero-lara-2d", "--n", "16"), ("valero-lara-3d", "--n", "16"),
                            ("goeddeke-table1", "--level", "4"), ("goeddeke-table4", "--level", "4"),
                            ("goeddeke-table6", "--level", "4"), ("goeddeke-figure2", "--level", "3"),
                            ("goeddeke-figure5", "--level", "4"), ("geveler-figure4", "--less", "6"),
                            ("geveler-figure5", "--less", "3"), ("gupta-table1", "--n", "16"),
                            ("gupta-two-phase", "--n", "16"), ("mueller-table5", "--n", "8")):
            result = json.loads(
                self.run_here(PROGRAM, "reproduce", name, *size, "--repeat", "1", "--warmup", "0", "--json"))
            for field in set(result).union(*result["rows"]):
                self.assertIn(f"`{field}`", guide)


class Typed(Scratch):
    """Commands."""

    def test_commands_run(self):
        """What the pages say can be typed, in their order; a name in capitals stands for something of the reader's."""
        with open(self.path("heat.json"), "w", encoding="utf-8") as stream:
            stream.write(blocks("docs/problem-files.md", "json")[0])
        ran = 0
        for page in PAGES:
            for words in commands(page):
                name = os.path.basename(words[0])
                if name not in ("starfish", "make-data") or {"PROBLEM.json", "MESH.msh"} & set(words):
                    continue
                if ("--simulate" in words or "compare" in words) and not SIMULATES:
                    continue
                with self.subTest(page=page, words=words):
                    words = once(words)
                    self.run_here(*(["build/bin/starfish"] if name == "starfish" else [words[0]]), *words[1:])
                    ran += 1
        self.assertGreaterEqual(ran, 6)


class Code(unittest.TestCase):
    def test_codelets_that_run_on_cores_alone_are_named(self):
        """With how many there are, and how many have a CUDA version."""
        sources = "".join(read(os.path.relpath(path, SOURCE)) for path in glob.glob(f"{SOURCE}/codelets/*.c"))
        cores = sorted(re.findall(r"^STARFISH_CORES_CODELET\(\w+, \"(\w+)\"", sources, re.MULTILINE))
        both = len(re.findall(r"^[A-Z_]+_CODELET\(", sources, re.MULTILINE)) - len(cores)
        named = " and ".join([", ".join(f"`{name}`" for name in cores[:-1]), f"`{cores[-1]}`"])
        text = " ".join(read("docs/developers-codelets.md").split())
        self.assertIn(f"{both} of the {both + len(cores)} ", text)
        self.assertIn(named, text)

    def test_readme_shows_the_first_program(self):
        self.assertEqual(blocks("README.md", "c"), [program("apps/examples/first/first.c")])

    def test_the_page_on_batches_shows_their_program(self):
        self.assertEqual(blocks("docs/tridiag.md", "c"), [program("apps/examples/lines/lines.c")])

    def test_the_page_on_multigrid_shows_its_program(self):
        self.assertEqual(blocks("docs/multigrid.md", "c"), [program("apps/examples/layers/layers.c")])

    def test_code_of_the_guide_compiles(self):
        found = [block for page in GUIDE for block in blocks(page, "c")]
        self.assertTrue(found)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "guide.c")
            with open(path, "w", encoding="utf-8") as stream:
                stream.write("#include <starfish/starfish.h>\n#include <stdio.h>\n#include <stdlib.h>\n" +
                             "\n".join(found))
            done = subprocess.run(
                [COMPILER, "-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-I{SOURCE}/include", path],
                capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)

    @unittest.skipUnless(shutil.which("gfortran"), "no Fortran compiler")
    def test_fortran_of_the_guide_compiles(self):
        found = [block for page in GUIDE for block in blocks(page, "fortran")]
        self.assertTrue(found)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "guide.f90")
            with open(path, "w", encoding="utf-8") as stream:
                stream.write("\n".join(found))
            say("gfortran", "-std=f2008", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-J{folder}",
                f"{SOURCE}/include/starfish/fishpack.f90", path)

    @unittest.skipUnless(shutil.which("gfortran"), "no Fortran compiler")
    def test_fortran_of_its_page_compiles(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "page.f90")
            with open(path, "w", encoding="utf-8") as stream:
                stream.write("\n".join(blocks("docs/fortran.md", "fortran")))
            say("gfortran", "-std=f2018", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", f"-J{folder}",
                f"{SOURCE}/include/starfish/starfish.f90", f"{SOURCE}/include/starfish/starfish_mpi.f90", path)

    def test_the_tutorial_shows_its_programs(self):
        for language, extension in (("c", "c"), ("fortran", "f90"), ("python", "py")):
            source = program(f"apps/examples/tutorial/channel.{extension}")
            found = blocks("docs/tutorial.md", language)
            self.assertTrue(found)
            for excerpt in found:
                self.assertIn(excerpt, source)
            self.assertLessEqual(len(source.splitlines()), 150)

    def test_variables_are_described(self):
        """Those that are read somewhere, and no other, but for what the program tells its own other half."""
        read_by = set()
        for pattern in ("apps/**/*.c", "base/*.c", "scheduler/**/*.c", "mpi/*.c", "fishpack/*.c", "python/**/*.py",
                        "bootstrap", "packaging/needed", "scheduler/starpu/build", "base/cmake/*", "tests/common/*.h",
                        "tests/**/*.c"):
            for path in glob.glob(f"{SOURCE}/{pattern}", recursive=True):
                cmake = "cmake" in pattern
                form = r"ENV\{(STARFISH_\w+)" if cmake else \
                    r'(?:getenv\("|environ\.get\("|environ\["|\$\{?)(STARFISH_\w+)'
                read_by |= set(re.findall(form, read(os.path.relpath(path, SOURCE))))
        described = set(re.findall(r"`(STARFISH_\w+)`", read("docs/environment.md")))
        self.assertEqual(described, read_by - {"STARFISH_MACHINE", "STARFISH_FUZZ_FOLDER"})

    def test_excerpts_are_what_the_sources_say(self):
        """Every block of C for developers stands, as it is, in a file that the page links to."""
        checked = 0
        for page in (page for page in PAGES if page.startswith("docs/developers")):
            linked = {os.path.normpath(os.path.join("docs", target)) for target in LINK.findall(read(page))}
            sources = [read(path) for path in linked if path.endswith((".c", ".h"))]
            for excerpt in blocks(page, "c"):
                self.assertTrue(any(excerpt in source for source in sources), excerpt)
                checked += 1
        self.assertGreater(checked, 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])

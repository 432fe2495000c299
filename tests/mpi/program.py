#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""`starfish solve --mpi` as its users meet it: the same files and the same output as with one process, on any number of
ranks; and when one rank fails, all of them do, with one message.

    program.py PROGRAM SOURCE_FOLDER MPIEXEC [unittest arguments]

DeviceMemory, which needs a GPU, runs where it is asked for; without a GPU the exit status is 77 then."""
import json
import os
import signal
import subprocess
import sys
import time
import unittest

MPIEXEC = sys.argv.pop(3)
sys.path.insert(0, os.path.join(sys.argv[2], "tests", "apps"))
from formats import vtk_arrays  # noqa: E402
from program import NX, NY, NZ, PROGRAM, Case, has_gpu, main, poisson, ramp, read_npy, write_npy  # noqa: E402

# Open MPI refuses root, and more ranks than cores, unless it is told.
ENVIRONMENT = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
                   OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_MCA_hwloc_base_binding_policy="none",
                   PRTE_MCA_rmaps_default_mapping_policy=":oversubscribe")
SECONDS = 30  # in which all ranks have ended when one has failed


def launch(*programs):
    """mpiexec of [ranks, arguments...] each, of which NAME=VALUE are variables."""
    command = [MPIEXEC]
    for ranks, *words in programs:
        variables = [word for word in words if "=" in word and word[0].isupper()]
        command += [":"] if len(command) > 1 else []
        command += ["-n", str(ranks), "env", *variables, PROGRAM, *(word for word in words if word not in variables)]
    return command


class Ranks(Case):
    def run_ranks(self, *programs, timeout=120, **variables):
        done = subprocess.run(launch(*programs), capture_output=True, text=True, cwd=self.folder, timeout=timeout,
                              env=dict(ENVIRONMENT, **variables))
        said = [line for line in done.stderr.splitlines() if line.startswith("starfish: ")]
        return done.returncode, done.stdout, said

    def solve_on(self, ranks, problem, *arguments):
        status, out, said = self.run_ranks((ranks, "solve", problem, "--mpi", "--json", *arguments))
        self.assertEqual((status, said), (0, []), out)
        result = json.loads(out)
        self.assertEqual((result["status"], result["ranks"]), ("solved", ranks))
        return result

    def assert_same(self, got, expected):
        self.assertEqual(len(got), len(expected))
        largest = max(map(abs, expected))
        for one, other in zip(got, expected):
            self.assertLessEqual(abs(one - other), 1e-11 * largest)

    def fails(self, message, *programs, **variables):
        before = self.contents()
        start = time.monotonic()
        status, out, said = self.run_ranks(*programs, **variables)
        self.assertLess(time.monotonic() - start, SECONDS)
        self.assertNotEqual(status, 0)
        self.assertEqual((out, len(said)), ("", 1), said)
        self.assertIn(message, said[0])
        self.assertEqual(self.contents(), before)

    def problem(self, **changes):
        """All kinds of data: faces that are read in part, and those that one rank alone reads."""
        for name, shape in {"x.npy": (NZ, NY), "y.npy": (NZ, NX), "z.npy": (NY, NX)}.items():
            write_npy(self.path(name), shape, ramp(shape[0] * shape[1]))
        changes.setdefault("boundary", {"x0": "x.npy", "y1": "y.npy", "z0": "z.npy", "z1": 0.5})
        changes.setdefault("bc", {"x": ["dirichlet", "neumann"], "y": ["neumann", "neumann"],
                                  "z": ["dirichlet", "neumann"]})
        return self.write("p.json", poisson(grid={"x": "cell", "y": "cell", "z": "cell"}, **changes))


class Same(Ranks):
    def test_files(self):
        problem = self.problem()
        self.assertEqual(self.run_program("solve", problem, "--out", "one.npy", "--vtk", "one.vtr")[0], 0)
        _, one = read_npy(self.path("one.npy"))
        for ranks in (1, 2, 4, NZ + 2):
            self.solve_on(ranks, problem, "--out", "u.npy", "--vtk", "u.vtr")
            shape, got = read_npy(self.path("u.npy"))
            self.assertEqual(shape, (NZ, NY, NX))
            self.assert_same(got, one)
            with open(self.path("one.vtr"), "rb") as expected, open(self.path("u.vtr"), "rb") as found:
                a, b = expected.read(), found.read()
            start, end = len(a) - len(b"\n  </AppendedData>\n</VTKFile>\n") - 8 * len(one), len(a) - 30
            self.assertEqual((len(b), b[:start], b[end:]), (len(a), a[:start], a[end:]))
        self.assertFalse([name for name in os.listdir(self.folder) if name.startswith(".starfish")])

    def test_places(self):
        """Points of a cylinder, whose rows are one longer than those of the solution."""
        ends = {"theta": "periodic", "z": "neumann", "r": ["axis", "dirichlet"]}
        problem = self.write("p.json", {"kind": "cylinder3d", "n": [NX, NY, NZ], "range": {"z": [0, 1], "r": [0, 1]},
                                        "bc": ends, "rhs": "f.npy"})
        self.assertEqual(self.run_program("solve", problem, "--vtk", "one.vts")[0], 0)
        one = vtk_arrays(self.path("one.vts"))
        for ranks in (1, 3, NZ + 1):
            self.solve_on(ranks, problem, "--vtk", "u.vts")
            got = vtk_arrays(self.path("u.vts"))
            self.assertEqual((got["Points"], len(got["u"])), (one["Points"], (NX + 1) * NY * NZ))
            self.assert_same(got["u"], one["u"])

    def test_datasets(self):
        """Written by three ranks into a file that holds another one, and read by two."""
        problem = self.problem()
        self.assertEqual(self.run_program("solve", problem, "--out", "u.h5:/first")[0], 0)
        self.solve_on(3, problem, "--out", "u.h5:/a/u")
        for dataset in ("/first", "/a/u"):
            self.assertLessEqual(self.solve_on(2, self.problem(exact="u.h5:" + dataset))["error"], 1e-11)

    def test_fortran_order(self):
        values = ramp(NX * NY * NZ)
        turned = [values[i + NX * (j + NY * k)] for i in range(NX) for j in range(NY) for k in range(NZ)]
        write_npy(self.path("turned.npy"), (NZ, NY, NX), turned)
        with open(self.path("turned.npy"), "r+b") as stream:
            content = stream.read().replace(b"'fortran_order': False", b"'fortran_order': True ")
            stream.seek(0)
            stream.write(content)
        problem = self.problem(solution="u.npy")
        self.assertEqual(self.run_program("solve", problem, "--out", "one.npy")[0], 0)
        self.solve_on(3, problem, "--rhs", "turned.npy")
        self.assert_same(read_npy(self.path("u.npy"))[1], read_npy(self.path("one.npy"))[1])

    def test_singular(self):
        problem = self.write("p.json", poisson(bc={"x": "periodic", "y": ["neumann"] * 2, "z": ["neumann"] * 2},
                                               grid={"y": "cell", "z": "cell"}))
        one = json.loads(self.run_program("solve", problem, "--json")[1])
        together = self.solve_on(2, problem)
        self.assertAlmostEqual(one["pertrb"], together["pertrb"], delta=1e-13)
        self.assertLessEqual(together["residual"], 1e-12)

    def test_other_kinds(self):
        rows = {"lower": 1, "diag": -3, "upper": 1}
        for problem in ({"kind": "separable3d", "n": [NX, NY, NZ], "length": [1], "y": rows, "z": rows, "rhs": "f.npy"},
                        {"kind": "separable2d", "n": [NX, NY], "x": rows, "y": rows, "rhs": 1.0}):
            path = self.write("q.json", problem)
            self.assertEqual(self.run_program("solve", path, "--out", "one.npy")[0], 0)
            self.solve_on(2, path, "--out", "u.npy", "--precision", "f64")
            self.assert_same(read_npy(self.path("u.npy"))[1], read_npy(self.path("one.npy"))[1])

    def test_methods(self):
        """What runs on all ranks, and what the first one does for all, say so and give the same solution."""
        problem = self.problem()
        for method, owners in ("blktri", 3), ("blktri-product", 3), ("multigrid", 1), ("auto", 3):
            one = json.loads(self.run_program("solve", problem, "--json", "--method", method, "--out", "one.npy")[1])
            result = self.solve_on(3, problem, "--method", method, "--out", "u.npy")
            self.assertEqual((result["method"], result["owners"]), (one["method"], owners))
            self.assertEqual(result.get("iterations"), one.get("iterations"))
            self.assert_same(read_npy(self.path("u.npy"))[1], read_npy(self.path("one.npy"))[1])

    def test_multigrid_in_parts(self):
        box = poisson(n=[40, 33, 50], rhs=1.0, grid={"y": "cell", "z": "cell"}, boundary={"z0": 1.0})
        around = dict(box, bc=dict(box["bc"], y=["dirichlet", "dirichlet"], z="periodic"), boundary={"y0": 1.0})
        wide = dict(box, n=[96, 90, 60])  # long rows, of which ranks send each other no more than is read
        for problem, several in ((self.write("p.json", box), (2, 3)), (self.write("q.json", around), (3,)),
                                 (self.write("r.json", wide), (3,))):
            status, out, _ = self.run_program("solve", problem, "--json", "--method", "multigrid", "--out", "one.npy")
            self.assertEqual(status, 0)
            for ranks in several:
                result = self.solve_on(ranks, problem, "--method", "multigrid", "--out", "u.npy")
                self.assertEqual((result["owners"], result["iterations"]), (ranks, json.loads(out)["iterations"]))
                self.assert_same(read_npy(self.path("u.npy"))[1], read_npy(self.path("one.npy"))[1])

    def test_other_families(self):
        """Diffusion with a coefficient and regions for each cell: each rank reads its planes."""
        write_npy(self.path("k.npy"), (NZ, NY, NX), [1 + value * value for value in ramp(NX * NY * NZ)])
        write_npy(self.path("bodies.npy"), (NZ, NY, NX), [float(i % 3) for i in range(NX * NY * NZ)])
        write_npy(self.path("z.npy"), (NY, NX), ramp(NX * NY))
        write_npy(self.path("x.npy"), (NZ, NY), ramp(NZ * NY))
        box = {"length": [1, 1, 1], "rhs": 1.0, "n": [NX, NY, NZ]}
        diffusion = dict(box, kind="diffusion3d", coefficient="k.npy", regions="bodies.npy",
                         bc={axis: ["dirichlet", "neumann"] for axis in "xyz"},
                         boundary={"x0": "x.npy", "z0": "z.npy", "z1": 0.5})
        plane = {"kind": "diffusion2d", "n": [NX, NY], "length": [1, 1], "coefficient": 2.0, "boundary": {"y1": 0.5},
                 "bc": {"x": ["dirichlet"] * 2, "y": ["neumann", "dirichlet"]}, "rhs": 1.0}
        for problem, method, owners in ((diffusion, "cg", 1), (diffusion, "multigrid", 1), (plane, "auto", 1),
                                        (dict(plane, n=[NX, 19]), "auto", 2)):  # 9 planes are enough for a part
            path = self.write("q.json", problem)
            status, out, _ = self.run_program("solve", path, "--json", "--method", method, "--out", "one.npy")
            self.assertEqual(status, 0)
            for ranks in (2, NZ + 1) if method == "cg" else (2,):
                result = self.solve_on(ranks, path, "--method", method, "--out", "u.npy")
                self.assertEqual((result["owners"], result["iterations"]), (owners, json.loads(out)["iterations"]))
                self.assert_same(read_npy(self.path("u.npy"))[1], read_npy(self.path("one.npy"))[1])

    def test_flat_domains(self):
        """Rows of columns are the ranks' parts, or boxes; of few columns the first rank's."""
        rows, ends = 24, "periodic"
        write_npy(self.path("f.npy"), (NZ, rows, NX), ramp(NX * rows * NZ))
        flat = {"kind": "atmosphere3d", "n": [NX, rows, NZ], "height": 0.1, "omega": 0.05, "lambda": 1.0,
                "rhs": "f.npy"}
        for problem, method, ranks, owners in (
                (dict(flat, geometry="flat", length=[1, 1]), ["multigrid"], 2, 2),
                (dict(flat, geometry="flat", length=[1, 1], sides=ends), ["multigrid"], 3, 3),
                (dict(flat, geometry="panel"), ["cg", "--boxes", "2"], 2, 2),
                (dict(flat, n=[NX, NY, NZ], rhs=1.0, geometry="panel"), ["cg"], NZ + 1, 1)):
            path = self.write("q.json", problem)
            status, out, _ = self.run_program("solve", path, "--json", "--method", method[0], "--tolerance", "1e-12",
                                              "--out", "one.npy")
            self.assertEqual(status, 0)
            result = self.solve_on(ranks, path, "--method", *method, "--tolerance", "1e-12", "--out", "u.npy")
            self.assertEqual((result["owners"], result["iterations"]), (owners, json.loads(out)["iterations"]))
            self.assert_same(read_npy(self.path("u.npy"))[1], read_npy(self.path("one.npy"))[1])

    def test_four_ranks_are_quick(self):
        write_npy(self.path("f.npy"), (32, 32, 32), ramp(32 ** 3))
        problem = self.write("p.json", poisson(n=[32, 32, 32]))
        self.assertLessEqual(self.solve_on(4, problem)["seconds"], 5)


class Failures(Ranks):
    def test_bad_usage(self):
        self.fails("unknown option --nothing", (3, "solve", self.problem(), "--mpi", "--nothing"))
        self.fails("--plot", (2, "solve", self.problem(), "--mpi", "--plot", "u.png"))

    def test_bad_file_of_one_rank(self):
        good, bad = self.problem(solution="u.npy"), self.write("bad.json", poisson(rhs="nothing.npy"))
        self.fails("rank 1: ", (1, "solve", good, "--mpi"), (1, "solve", bad, "--mpi"))
        self.fails("bad.json", (1, "solve", bad, "--mpi"), (2, "solve", good, "--mpi"))
        other = self.write("other.json", poisson(n=[NX, NY, NZ], rhs=1.0, **{"lambda": -1}))
        self.fails("differs between ranks", (1, "solve", good, "--mpi"), (1, "solve", other, "--mpi"))

    def test_command_lines_that_differ(self):
        """Not only those that decide how often all ranks call each other."""
        problem = self.problem()
        same = ("solve", problem, "--mpi", "--workers", "cpu:1")
        for option in (("--repeat", "3"), ("--tolerance", "1e-3"), ("--out", "u.npy")):
            self.fails(option[0] + " differs between ranks", (1, *same), (1, *same, *option))
        self.fails("unknown option --nothing", (1, *same), (1, *same, "--nothing"))
        status, out, said = self.run_ranks((1, *same, "--json", "--policy", "eager"), (1, *same, "--workers", "cpu"))
        self.assertEqual((status, said, json.loads(out)["status"]), (0, [], "solved"))

    def test_problem_files_that_differ(self):
        one = self.problem()
        for changes, message in (({"exact": 1.0}, '"exact"'), ({"solution": "u.npy"}, '"solution"'),
                                 ({"lambda": -1.0}, "problem.lambda"),
                                 ({"length": [1, 1, 2]}, "problem.axis[2].length")):
            other = self.write("other.json", poisson(grid={"x": "cell", "y": "cell", "z": "cell"}, boundary={"z1": 0.5},
                                                     bc={"x": ["dirichlet", "neumann"], "y": ["neumann", "neumann"],
                                                         "z": ["dirichlet", "neumann"]}, **changes))
            self.fails(message, (1, "solve", one, "--mpi"), (1, "solve", other, "--mpi"))

    def test_bad_value_on_the_last_rank(self):
        values = ramp(NX * NY * NZ)
        values[-1] = float("nan")
        write_npy(self.path("f.npy"), (NZ, NY, NX), values)
        self.fails("element (%d, %d, %d) is NaN" % (NZ - 1, NY - 1, NX - 1), (2, "solve", self.problem(), "--mpi"))

    def test_iteration_that_ends_short(self):
        for method in ("multigrid", "cg"):
            path = self.write("q.json", {"kind": "diffusion3d", "n": [20, 20, 20], "length": [1, 1, 1], "rhs": 1.0,
                                         "bc": {axis: ["dirichlet", "neumann"] for axis in "xyz"}, "coefficient": 1.0})
            self.fails("after 1 iterations", (2, "solve", path, "--mpi", "--method", method, "--max-iterations", "1"))

    def test_task_that_one_rank_is_refused(self):
        """After all have agreed to go on: the others wait for its data."""
        problem = self.write("p.json", poisson(n=[40, 33, 50], rhs=1.0, grid={"y": "cell", "z": "cell"},
                                               solution="u.npy"))
        for method, rank, codelet in (("slab", 1, "slab_forward"), ("slab", 0, "residual"),
                                      ("multigrid", 1, "grid_visit"), ("multigrid", 0, "grid_tail"),
                                      ("blktri", 0, "transform_rows"), ("blktri-product", 1, "blktri_reduce"),
                                      ("multigrid", 0, "residual")):
            self.fails("refused", (2, "solve", problem, "--mpi", "--method", method), REFUSE_RANK=str(rank),
                       LD_PRELOAD=os.environ["STARFISH_TEST_REFUSE"], REFUSE_CODELET=codelet)

    def test_output_that_cannot_be_written(self):
        self.fails("nowhere", (2, "solve", self.problem(), "--mpi", "--out", "nowhere/u.npy"))

    def test_killed_rank(self):
        problem = self.problem()
        process = subprocess.Popen(launch((3, "solve", problem, "--mpi", "--repeat", "1000000", "--out", "u.npy")),
                                   cwd=self.folder, env=ENVIRONMENT, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        ranks = []
        end = time.monotonic() + SECONDS
        while len(ranks) < 3 and time.monotonic() < end:
            time.sleep(0.1)
            ranks = self.children(process.pid)
        time.sleep(1)
        os.kill(ranks[-1], signal.SIGKILL)
        end = time.monotonic() + SECONDS
        self.assertNotEqual(process.wait(timeout=SECONDS), 0)
        self.assertFalse(os.path.exists(self.path("u.npy")))
        while time.monotonic() < end and any(map(self.is_running, ranks)):
            time.sleep(0.1)
        self.assertFalse([rank for rank in ranks if self.is_running(rank)])

    @staticmethod
    def children(parent):
        listed = subprocess.run(["ps", "-o", "pid=,comm=", "--ppid", str(parent)], capture_output=True, text=True)
        return [int(line.split()[0]) for line in listed.stdout.splitlines() if "starfish" in line]

    @staticmethod
    def is_running(process):
        try:
            with open("/proc/%d/stat" % process) as stream:
                return stream.read().split()[2] not in "ZX"
        except FileNotFoundError:
            return False


SIDE = 8


def mesh(bent):
    """SIDE x SIDE cells of a square, whose points inside are moved by `bent`; groups of the bottom and the rest."""
    number = lambda i, j: 1 + i + (SIDE + 1) * j
    points, cells, sides = [], [], []
    for j in range(SIDE + 1):
        for i in range(SIDE + 1):
            move = bent * (0 < i < SIDE and 0 < j < SIDE)
            points.append((i + move * ((3 * i + j) % 5 - 2), j + move * ((i + 2 * j) % 3 - 1)))
    for j in range(SIDE):
        for i in range(SIDE):
            cells.append((number(i, j), number(i + 1, j), number(i + 1, j + 1), number(i, j + 1)))
    for i in range(SIDE):
        sides += [(1, number(i, 0), number(i + 1, 0)), (2, number(i, SIDE), number(i + 1, SIDE)),
                  (2, number(0, i), number(0, i + 1)), (2, number(SIDE, i), number(SIDE, i + 1))]
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$Nodes", str(len(points))]
    lines += [f"{i + 1} {x!r} {y!r} 0" for i, (x, y) in enumerate(points)]
    lines += ["$EndNodes", "$Elements", str(len(sides) + len(cells))]
    lines += [f"{i + 1} 1 2 {group} {group} {a} {b}" for i, (group, a, b) in enumerate(sides)]
    lines += [f"{1000 + i} 3 2 9 9 {' '.join(map(str, cell))}" for i, cell in enumerate(cells)]
    return "\n".join(lines + ["$EndElements", ""])


class Elements(Ranks):
    def mesh(self, bent=0.1, name="m.msh"):
        with open(self.path(name), "w", encoding="utf-8") as stream:
            stream.write(mesh(bent))
        return name

    def check(self, ranks, *arguments):
        """Every rank has rows of the finer grids: 4096 for a part are enough."""
        status, out, _ = self.run_program("fem", self.mesh(), "--json", "--out", "one.npy", *arguments)
        self.assertEqual(status, 0, out)
        one = json.loads(out)
        self.assertGreaterEqual(one["unknowns"], 4096 * ranks)
        status, out, said = self.run_ranks((ranks, "fem", "m.msh", "--mpi", "--json", "--out", "u.npy", *arguments))
        self.assertEqual((status, said), (0, []), out)
        together = json.loads(out)
        for key in ("status", "iterations", "unknowns", "nonzeros", "smoother_nonzeros", "levels"):
            self.assertEqual(together[key], one[key], key)
        self.assertEqual(together["ranks"], ranks)
        self.assertAlmostEqual(together["pertrb"], one["pertrb"], delta=1e-12)
        self.assert_same(read_npy(self.path("u.npy"))[1], read_npy(self.path("one.npy"))[1])

    def test_same_on_any_number(self):
        fixed = ("--dirichlet", "1=0", "--dirichlet", "2=1", "--levels", "4")
        self.check(1, *fixed)
        self.check(2, *fixed, "--numbering", "random", "--smoother", "jacobi")
        self.check(3, *fixed, "--element", "q2", "--levels", "3")
        self.check(4, "--dirichlet", "1=0", "--levels", "4", "--smoother", "fsai", "--numbering", "xyz")
        self.check(2, "--levels", "4", "--smoother", "sainv", "--cycle", "v")

    def test_small_ones(self):
        """Which every rank has for itself; and mixed precision, in parts."""
        for arguments in (("--levels", "1"), ("--levels", "4", "--precision", "mixed")):
            self.mesh()
            command = ("fem", "m.msh", "--mpi", "--json", "--dirichlet", "1=0", *arguments)
            status, out, said = self.run_ranks((3, *command))
            self.assertEqual((status, said, json.loads(out)["status"]), (0, [], "solved"))

    def test_what_one_rank_has_otherwise(self):
        self.mesh()
        self.mesh(0.11, "other.msh")
        same = ("--mpi", "--levels", "1", "--out", "u.npy")
        self.fails("differs between ranks", (1, "fem", "m.msh", *same), (1, "fem", "other.msh", *same))
        self.fails("--cycle differs between ranks", (1, "fem", "m.msh", *same),
                   (1, "fem", "m.msh", *same, "--cycle", "w"))
        self.fails("none.msh", (1, "fem", "m.msh", *same), (1, "fem", "none.msh", *same))
        self.fails("none", (2, "fem", "m.msh", *same, "--dirichlet", "none=0"))


@unittest.skipUnless("DeviceMemory" in sys.argv, "asked for by name")
class DeviceMemory(Ranks):
    def test_that_one_rank_lacks(self):
        problem = self.write("p.json", poisson(n=[64, 64, 64], rhs=1.0, grid={"y": "cell", "z": "cell"},
                                               solution="u.npy"))
        for method, lacking in ("slab", 1), ("multigrid", 1), ("blktri", 0):
            words = ["solve", problem, "--mpi", "--method", method, "--workers", "gpu"]
            little, enough = (1, "STARPU_LIMIT_CUDA_MEM=1", *words), (1, *words)
            self.fails("memory", *((little, enough) if lacking == 0 else (enough, little)))


if __name__ == "__main__":
    if "DeviceMemory" in sys.argv and not has_gpu():
        sys.exit(77)
    main()

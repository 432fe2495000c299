#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""starfish fem: meshes of Gmsh's in both formats and of both orders, what it writes, and meshes that are no good.

    program.py PROGRAM [unittest arguments]"""
import json
import math
import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "apps"))
from formats import png, vtk_arrays  # noqa: E402

PROGRAM = sys.argv[1]
CORNERS = {2: [(0, 0), (1, 0), (1, 1), (0, 1)]}
CORNERS[3] = [(x, y, z) for z in (0, 1) for x, y in CORNERS[2]]
# Places of Gmsh's nodes behind the corners, in halves of a cell.
MIDDLES = {2: [(1, 0), (2, 1), (1, 2), (0, 1), (1, 1)],
           3: [(1, 0, 0), (0, 1, 0), (0, 0, 1), (2, 1, 0), (2, 0, 1), (1, 2, 0), (2, 2, 1), (0, 2, 1), (1, 0, 2),
               (0, 1, 2), (2, 1, 2), (1, 2, 2), (1, 1, 0), (1, 0, 1), (0, 1, 1), (2, 1, 1), (1, 2, 1), (1, 1, 2),
               (1, 1, 1)]}
TYPES = {(2, 1): 3, (2, 2): 10, (3, 1): 5, (3, 2): 12}


def box(dimension, n, order):
    """n^d cells of the unit box, as points and lists of point numbers from 1 on; and the sides' corners."""
    step, points, numbers = (1 if order == 2 else 2), [], {}

    def number(place):
        if place not in numbers:
            numbers[place] = len(points) + 1
            points.append([x / (2 * n) for x in place] + [0] * (3 - dimension))
        return numbers[place]

    cells, sides = [], []
    for c in range(n ** dimension):
        at = [c // n ** i % n for i in range(dimension)]
        places = [tuple(2 * x for x in corner) for corner in CORNERS[dimension]]
        places += MIDDLES[dimension] if step == 1 else []
        cells.append([number(tuple(2 * a + p for a, p in zip(at, place))) for place in places])
        for x in range(dimension):
            for end in (0, 2):
                if at[x] == (n - 1 if end else 0):
                    on = [number(tuple(2 * a + p for a, p in zip(at, place)))
                          for place in places[:2 ** dimension] if place[x] == end]
                    # Around a face, not across it.
                    sides.append(on if dimension == 2 else order_of_face(on, points))
    return points, cells, sides


def order_of_face(on, points):
    first = points[on[0] - 1]
    far = max(on, key=lambda p: math.dist(points[p - 1], first))
    others = [p for p in on if p not in (on[0], far)]
    return [on[0], others[0], far, others[1]]


def msh2(dimension, points, cells, sides, order=1):
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$PhysicalNames", "2", f'{dimension - 1} 7 "all sides"',
             f'{dimension} 1 "inside"', "$EndPhysicalNames", "$Nodes", str(len(points))]
    lines += [f"{i + 1} {x!r} {y!r} {z!r}" for i, (x, y, z) in enumerate(points)]
    lines += ["$EndNodes", "$Elements", str(len(cells) + len(sides))]
    side = 1 if dimension == 2 else 3
    lines += [f"{i + 1} {side} 2 7 1 {' '.join(map(str, nodes))}" for i, nodes in enumerate(sides)]
    lines += [f"{1000 + i} {TYPES[dimension, order]} 2 1 1 {' '.join(map(str, nodes))}"
              for i, nodes in enumerate(cells)]
    return "\n".join(lines + ["$EndElements", ""])


def msh4(dimension, points, cells, sides, order=1):
    counts = [0] * 4
    counts[dimension] = counts[dimension - 1] = 1
    lines = ["$MeshFormat", "4.1 0 8", "$EndMeshFormat", "$PhysicalNames", "1", f'{dimension - 1} 7 "all sides"',
             "$EndPhysicalNames", "$Entities", " ".join(map(str, counts)),
             "5 0 0 0 1 1 1 1 7 0", "6 0 0 0 1 1 1 0 1 5", "$EndEntities",
             "$Nodes", f"1 {len(points)} 1 {len(points)}", f"{dimension} 6 0 {len(points)}"]
    lines += [str(i + 1) for i in range(len(points))] + [f"{x!r} {y!r} {z!r}" for x, y, z in points]
    side = 1 if dimension == 2 else 3
    lines += ["$EndNodes", "$Elements", f"2 {len(cells) + len(sides)} 1 {1000 + len(cells)}",
              f"{dimension - 1} 5 {side} {len(sides)}"]
    lines += [f"{i + 1} {' '.join(map(str, nodes))}" for i, nodes in enumerate(sides)]
    lines += [f"{dimension} 6 {TYPES[dimension, order]} {len(cells)}"]
    lines += [f"{1000 + i} {' '.join(map(str, nodes))}" for i, nodes in enumerate(cells)]
    return "\n".join(lines + ["$EndElements", ""])


def npy(path):
    with open(path, "rb") as stream:
        data = stream.read()
    length = struct.unpack("<H", data[8:10])[0]
    shape = tuple(int(n) for n in re.search(r"\(([\d, ]*)\)", data[10:10 + length].decode()).group(1).split(",") if
                  n.strip())
    return shape, struct.unpack(f"<{math.prod(shape)}d", data[10 + length:])


class Fem(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def run_fem(self, text, *arguments):
        with open(self.path("mesh.msh"), "w", encoding="utf-8") as stream:
            stream.write(text)
        return subprocess.run([PROGRAM, "fem", self.path("mesh.msh"), *arguments], capture_output=True, text=True,
                              check=False, timeout=120)

    def solve(self, text, *arguments):
        done = self.run_fem(text, "--json", "--workers", "cpu", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def fails(self, text, *words, arguments=("--levels", "1"), status=2):
        before = set(os.listdir(self.folder)) | {"mesh.msh"}
        done = self.run_fem(text, "--out", self.path("u.npy"), "--vtk", self.path("u.vtu"), *arguments)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        for word in words:
            self.assertIn(word, done.stderr)
        self.assertEqual(set(os.listdir(self.folder)), before)

    def test_formats_and_orders_are_the_same_mesh(self):
        for dimension, n in ((2, 3), (3, 2)):
            results = []
            for order in (1, 2):
                for text in (msh2, msh4):
                    found = self.solve(text(dimension, *box(dimension, n, order), order), "--levels", "1",
                                       "--dirichlet", "all sides=0", "--out", self.path("u.npy"),
                                       "--points", self.path("x.npy"))
                    self.assertEqual(found["status"], "solved")
                    self.assertEqual(found["levels"], 2)
                    shape, u = npy(self.path("u.npy"))
                    self.assertEqual(npy(self.path("x.npy"))[0], (shape[0], dimension))
                    results.append((found["unknowns"], found["nonzeros"], max(u)))
            for unknowns, nonzeros, largest in results:
                self.assertEqual((unknowns, nonzeros), ((2 * n - 1) ** dimension, results[0][1]))
                self.assertAlmostEqual(largest, results[0][2], delta=1e-8)

    def test_values_on_groups_by_name_and_number(self):
        mesh = msh2(2, *box(2, 4, 1))
        for group in ("all sides", "7"):
            self.solve(mesh, "--dirichlet", f"{group}=5", "--rhs", "0", "--out", self.path("u.npy"))
            for value in npy(self.path("u.npy"))[1]:
                self.assertAlmostEqual(value, 5, delta=1e-8)
        self.solve(mesh, "--dirichlet", "7=5", "7=3", "--rhs", "0", "--out", self.path("u.npy"))
        self.assertAlmostEqual(npy(self.path("u.npy"))[1][0], 3, delta=1e-8)

    def test_comments_and_windows_lines(self):
        mesh = msh2(2, *box(2, 4, 1))
        results = []
        for text in (mesh, ("$Comments\n$ by hand\n$EndComments\n" + mesh).replace("\n", "\r\n")):
            self.solve(text, "--dirichlet", "all sides=5", "--out", self.path("u.npy"))
            results.append(npy(self.path("u.npy")))
        self.assertEqual(*results)

    def test_a_mesh_cut_into_partitions_is_the_same(self):
        mesh = msh4(2, *box(2, 3, 1))
        parts = ["$PartitionedEntities", "2", "1", "9 1", "0 1 1 0", "15 1 5 2 1 2 0 0 0 1 1 1 1 7 0",
                 "16 2 6 1 1 0 0 0 1 1 1 0 1 15", "$EndPartitionedEntities", "$Nodes"]
        cut = mesh.replace("$Nodes", "\n".join(parts)).replace("1 5 1 12", "1 15 1 12").replace("2 6 3 9", "2 16 3 9")
        results = []
        for text in (mesh, cut):
            self.solve(text, "--dirichlet", "all sides=5", "--out", self.path("u.npy"))
            results.append(npy(self.path("u.npy")))
        self.assertEqual(*results)

    def test_without_given_nodes_the_mean_is_taken_off(self):
        found = self.solve(msh2(2, *box(2, 3, 1)), "--rhs", "2.5")
        self.assertEqual((found["status"], found["iterations"]), ("solved", 0))
        self.assertAlmostEqual(found["pertrb"], 2.5)

    def test_vtu_is_what_was_solved(self):
        for element, per_cell, kind in (("q1", 4, 9), ("q2", 9, 28)):
            self.solve(msh2(2, *box(2, 3, 1)), "--element", element, "--levels", "1", "--dirichlet", "7=0",
                       "--vtk", self.path("u.vtu"), "--out", self.path("u.npy"), "--points", self.path("x.npy"),
                       "--plot", self.path("u.png"))
            found, u, x = vtk_arrays(self.path("u.vtu")), npy(self.path("u.npy"))[1], npy(self.path("x.npy"))[1]
            self.assertEqual(found["u"], u)
            self.assertEqual([c for i, c in enumerate(found["Points"]) if i % 3 < 2], list(x))
            self.assertEqual(len(found["connectivity"]), 36 * per_cell)
            self.assertEqual(set(found["types"]), {kind})
            self.assertEqual(found["offsets"], tuple(per_cell * (c + 1) for c in range(36)))
            for c in range(36):
                corner = [found["Points"][3 * p:3 * p + 2] for p in found["connectivity"][per_cell * c:][:4]]
                area = sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(corner, corner[1:] + corner[:1])) / 2
                self.assertAlmostEqual(area, 1 / 36)

    def test_a_hole_is_blank_in_pictures(self):
        points, cells, sides = box(2, 3, 1)
        middle = cells.pop(4)
        hole = list(map(list, zip(middle, middle[1:] + middle[:1])))
        mesh = msh2(2, points, cells, sides + hole)
        for i in range(4):
            mesh = mesh.replace(f"\n{len(sides) + i + 1} 1 2 7 1 ", f"\n{len(sides) + i + 1} 1 2 8 1 ")
        self.solve(mesh, "--dirichlet", "7=0", "8=1", "--levels", "2", "--plot", self.path("u.png"))
        rows, ink, blank = png(self.path("u.png"), 860), (0x28, 0x28, 0x2e), (255, 255, 255)
        top = next(y for y, row in enumerate(rows) if row.count(ink) > 600)  # the frame of the plot, of 960 pixels
        left = 168  # where the plot begins, past the axis
        across = [rows[top + 480][left + x] for x in range(680)]
        self.assertEqual(set(across[330:630]), {blank})
        self.assertNotIn(blank, across[4:310] + across[650:])
        self.assertNotEqual(across[4], across[310])

    def test_planes_of_pictures(self):
        def picture(*arguments, dimension=3):
            self.solve(msh2(dimension, *box(dimension, 2, 1)), "--dirichlet", "7=0", "--levels", "1", "--plot",
                       self.path("u.svg"), *arguments)
            with open(self.path("u.svg"), encoding="utf-8") as stream:
                return stream.read()

        self.assertEqual(picture(), picture("--plane", "z=0.5"))
        self.assertEqual(picture("--plane", "x=max"), picture("--plane", "x=0.5"))
        self.assertEqual(picture("--plane", "y=7"), picture("--plane", "y=1"))  # the nearest plane of the mesh
        self.assertEqual(len({picture("--plane", plane) for plane in ("x=0.5", "y=0.5", "z=0.5", "z=0.3")}), 4)
        os.unlink(self.path("u.svg"))
        for mesh, words, arguments in ((3, "--plane: 'w=1' is not like z=0.3", ("--plot", "u.svg", "--plane", "w=1")),
                                       (3, "--plane: goes with --plot", ("--plane", "z=max")),
                                       (2, "--plane: the problem has two", ("--plot", "u.svg", "--plane", "z=max"))):
            self.fails(msh2(mesh, *box(mesh, 2, 1)), words, arguments=("--dirichlet", "7=0", *arguments))

    def test_bad_meshes(self):
        points, cells, sides = box(2, 2, 1)
        good = msh2(2, points, cells, sides)
        self.fails(msh2(2, points, [cells[0][::-1]] + cells[1:], sides), "element 1000", "inverted")
        self.fails(good.replace("1001 3 2 1 1", "1001 2 2 1 1"), "mesh.msh:", "element 1001", "type 2")
        self.fails(msh2(2, points, cells + [cells[0]], sides), "element")
        self.fails(good.replace(f"1000 3 2 1 1 {cells[0][0]} ", "1000 3 2 1 1 77 "), "node 77")
        self.fails(msh2(2, points, cells, sides + [[cells[0][0], cells[0][2]]]), "lies on no cell")
        self.fails("", "$MeshFormat")
        self.fails("hello\n", "mesh.msh:1")
        self.fails(good.replace("2.2 0 8", "2.2 1 8"), "binary")
        self.fails(good.replace("2.2 0 8", "3 0 8"), "format 3")
        self.fails(good.replace("Nodes", "ParametricNodes"), "mesh.msh:", "$ParametricNodes is not read",
                   "Mesh.SaveParametric = 0")
        self.fails("$NOD\n" + good.split("$Nodes\n")[1].replace("$EndNodes", "$ENDNOD"), "$NOD is not read",
                   "2.2 or 4.1")
        self.fails(msh2(2, [[x, y, x] for x, y, _ in points], cells, sides), "plane")

    def test_files_that_never_end(self):
        os.mkfifo(self.path("pipe.msh"))
        for name in ("/dev/zero", self.path("pipe.msh")):
            done = subprocess.run([PROGRAM, "fem", name, "--workers", "cpu:1"], capture_output=True, text=True,
                                  check=False, timeout=60)
            self.assertEqual((done.returncode, done.stderr), (2, f"starfish: {name}: is not a regular file\n"))

    def test_numbers_beyond_their_type(self):
        """Which would be others, if they were cut to 32 bits."""
        beyond = 1 << 32
        two, four = msh2(2, *box(2, 2, 1)), msh4(2, *box(2, 2, 1))
        for text, old, new in (
                (two, "1 7 \"all", f"1 {beyond + 7} \"all"), (two, "1 7 \"all", f"{beyond + 1} 7 \"all"),
                (two, "\n1 1 2 7 1 ", f"\n1 {beyond + 1} 2 7 1 "),
                (two, "\n1 1 2 7 1 ", f"\n1 1 2 {beyond + 7} 1 "),
                (two, "\n1 1 2 7 1 ", f"\n1 1 2 -{beyond - 7} 1 "),
                (two, "\n1000 3 2 1 1 ", f"\n1000 {beyond + 3} 2 1 1 "),
                (two, "\n1000 3 2 1 1 ", f"\n1000 3 {beyond + 2} 1 1 "),
                (two, "\n1000 3 2 1 1 ", f"\n1000 3 2 1 {beyond + 1} "),
                (two, "\n1000 3 2 1 1 ", f"\n{beyond << 32} 3 2 1 1 "),
                (four, "0 0 0 1 1 1 1 7 0", f"0 0 0 1 1 1 1 {beyond + 7} 0"),
                (four, "\n1 5 1 8\n", f"\n{beyond + 1} 5 1 8\n"),
                (four, "\n1 5 1 8\n", f"\n1 5 {beyond + 1} 8\n"),
                (four, "\n2 6 0 9\n", f"\n2 6 {beyond} 9\n")):
            self.assertIn(old, text)
            bad = text.replace(old, new, 1)
            line = [one == other for one, other in zip(bad.splitlines(), text.splitlines())].index(False) + 1
            self.fails(bad, f"mesh.msh:{line}: ")

    def test_a_name_that_several_groups_have(self):
        """Stands for all of them that are below the cells, in the order that an option may turn round."""
        points, cells, sides = box(2, 4, 1)
        at = lambda side, x, value: all(points[p - 1][x] == value for p in side)
        number = lambda side: 1 if at(side, 0, 0) else 2 if at(side, 0, 1) else 3 if at(side, 1, 0) else 4
        names = ['"ends"', '"ends"', '"low"', '"high"']
        mesh = msh2(2, points, cells, sides)
        for i, side in enumerate(sides):
            mesh = mesh.replace(f"\n{i + 1} 1 2 7 1 ", f"\n{i + 1} 1 2 {number(side)} 1 ")

        def named(*rows):
            return re.sub(r"(?s)\$PhysicalNames.*\$EndPhysicalNames", "\n".join(
                ["$PhysicalNames", str(len(rows)), *rows, "$EndPhysicalNames"]), mesh)

        lines = [f"1 {i + 1} {name}" for i, name in enumerate(names)]
        for rows in (lines, ['2 1 "ends"'] + lines, ['1 9 "ends"'] + lines, ['0 5 "ends"'] + lines):
            self.solve(named(*rows), "--dirichlet", "ends=5", "--rhs", "0", "--levels", "1",
                       "--out", self.path("u.npy"))
            u = npy(self.path("u.npy"))[1]
            self.assertEqual(len(u), 81)
            self.assertTrue(all(abs(value - 5) < 1e-8 for value in u))
            found = self.solve(named(*rows), "--dirichlet", "ends=0", "--levels", "1")
            self.assertEqual(found["unknowns"], 81 - 2 * 9)
        # Points too, of which one is a corner of none of the lines.
        corner = next(i + 1 for i, p in enumerate(points) if p[:2] == [0.5, 0.5])
        count = len(cells) + len(sides)
        mesh = mesh.replace(f"$Elements\n{count}\n", f"$Elements\n{count + 1}\n5000 15 2 8 8 {corner}\n")
        found = self.solve(named(*lines, '0 8 "ends"'), "--dirichlet", "ends=0", "--levels", "1")
        self.assertEqual(found["unknowns"], 81 - 2 * 9 - 1)
        # Of cells alone: all cells, as their number is not of a boundary.
        found = self.solve(named(*lines, '2 1 "inside"'), "--dirichlet", "inside=0", "--levels", "1")
        self.assertEqual(found["unknowns"], 0)
        # A circle that both ends touch moves the nodes of both.
        self.solve(named(*lines), "--dirichlet", "ends=0", "--curved", "ends=circle:0.5,0.5,1", "--levels", "0",
                   "--points", self.path("x.npy"))
        x = npy(self.path("x.npy"))[1]
        on = [i for i in range(len(x) // 2) if abs(math.dist(x[2 * i:2 * i + 2], (0.5, 0.5)) - 1) < 1e-12]
        self.assertEqual(len(on), 10)
        self.fails(named(*lines, '1 9 "bare"'), "'bare'", "no elements on its cells",
                   arguments=("--dirichlet", "bare=0"))

    def test_nodes_in_no_cell(self):
        """Centres of arcs and lines to them, as Gmsh saves them with all else."""
        points, cells, sides = box(2, 3, 1)
        results = []
        count = len(cells) + len(sides)
        lone = msh2(2, [[0.5, 0.5, 7]] + points, [[p + 1 for p in cell] for cell in cells],
                    [[p + 1 for p in side] for side in sides])
        lone = lone.replace(f"$Elements\n{count}\n", f"$Elements\n{count + 2}\n8000 15 2 9 9 1\n8001 1 2 7 9 1 2\n")
        for text in (msh2(2, points, cells, sides), lone):
            self.solve(text, "--dirichlet", "all sides=5", "--levels", "1", "--out", self.path("u.npy"), "--points",
                       self.path("x.npy"))
            results.append((npy(self.path("u.npy")), npy(self.path("x.npy"))))
        self.assertEqual(*results)
        self.fails(lone, "group '9'", "no elements on its cells", arguments=("--dirichlet", "9=1"))

    def test_truncated_files(self):
        for text in (msh2(2, *box(2, 2, 1)), msh4(3, *box(3, 1, 2), 2)):
            lines = text.splitlines()
            for count in range(0, len(lines), 6):
                self.fails("\n".join(lines[:count]) + "\n", "mesh.msh", arguments=())

    def test_bad_options(self):
        good = msh2(2, *box(2, 2, 1))
        for arguments, words in ((("--dirichlet", "nobody=1"), ("nobody", "its groups: all sides")),
                                 (("--dirichlet", "7"), ("--dirichlet", "'7'")),
                                 (("--dirichlet", "7=x"), ("--dirichlet", "7=x")),
                                 (("--curved", "7=sphere:0,0,0,1"), ("--curved", "circle")),
                                 (("--curved", "7=circle:0,0,-1"), ("--curved", "radius")),
                                 (("--levels", "17"), ("--levels", "16")),
                                 (("--levels", "16"), ("refinements", "nodes")),
                                 (("--smoother", "none"), ("--smoother",)),
                                 (("--points", self.path("u.npy")), ("--points", "--out")),
                                 (("--plot", "u.jpg"), ("png",))):
            self.fails(good, *words, arguments=arguments)

    def test_short_of_the_tolerance(self):
        done = self.run_fem(msh2(2, *box(2, 4, 1)), "--dirichlet", "7=0", "--json", "--max-iterations", "1",
                            "--smoothing-steps", "1")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(json.loads(done.stdout)["status"], "not-converged")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[2:]])

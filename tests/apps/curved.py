#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""VTK files and pictures of problems with coordinates of their own: points by the formulas of docs/curvilinear.md,
values as in the array of the solution, and pictures in their true shape.

    curved.py PROGRAM SOURCE_FOLDER [unittest arguments]"""
import math
from math import cos, pi, sin

import program
from formats import png, vtk_arrays
from program import Case, read_npy, write_npy

AROUND = (0, 2 * pi)
DISC = {"kind": "polar2d", "n": [8, 5], "range": {"r": [0, 2]}, "rhs": -1,
        "bc": {"theta": "periodic", "r": ["axis", "dirichlet"]}}
RING = {**DISC, "range": {"r": [1, 2]}, "bc": {"theta": "periodic", "r": "dirichlet"}}
WEDGE = {**DISC, "range": {"theta": [0.5, 2], "r": [1, 2]}, "bc": {"theta": "dirichlet", "r": "dirichlet"}}
CYLINDER = {"kind": "cylinder3d", "n": [8, 3, 5], "range": {"z": [-1, 1], "r": [0, 1]}, "rhs": -1,
            "bc": {"theta": "periodic", "z": "neumann", "r": ["axis", "dirichlet"]}}
SPHERE = {"kind": "sphere2d", "n": [8, 6], "bc": {"phi": "periodic", "theta": "pole"}, "lambda": -2, "rhs": 1}
SHELL = {"kind": "shell3d", "n": [8, 3, 6], "range": {"r": [1, 2]}, "rhs": -1,
         "bc": {"phi": "periodic", "r": "dirichlet", "theta": "pole"}}


def middles(n, low, high):
    return [low + (i + 0.5) * (high - low) / n for i in range(n)]


# Of each problem the positions of unknowns by direction, and the place of a point.
POLAR = {"disc": (DISC, (middles(8, *AROUND), middles(5, 0, 2))),
         "ring": (RING, (middles(8, *AROUND), middles(5, 1, 2))),
         "wedge": (WEDGE, (middles(8, 0.5, 2), middles(5, 1, 2))),
         "half a turn": ({**DISC, "range": {"theta": [0, pi], "r": [0, 2]}}, (middles(8, 0, pi), middles(5, 0, 2))),
         "nodes": ({**DISC, "grid": {"theta": "node", "r": "node"}},
                   ([i * pi / 4 for i in range(8)], [0.4 * i for i in range(5)]))}
PLACES = {
    "polar2d": lambda t, r: (r * cos(t), r * sin(t), 0),
    "cylinder3d": lambda t, z, r: (r * cos(t), r * sin(t), z),
    "sphere2d": lambda p, t: (sin(t) * cos(p), sin(t) * sin(p), cos(t)),
    "shell3d": lambda p, r, t: (r * sin(t) * cos(p), r * sin(t) * sin(p), r * cos(t))}
CASES = {**POLAR, "cylinder": (CYLINDER, (middles(8, *AROUND), middles(3, -1, 1), middles(5, 0, 1))),
         "sphere": (SPHERE, (middles(8, *AROUND), middles(6, 0, pi))),
         "shell": (SHELL, (middles(8, *AROUND), middles(3, 1, 2), middles(6, 0, pi)))}
OPEN = ("wedge", "half a turn")


class Curved(Case):
    def varied(self, problem):
        """The problem with a right-hand side that is nowhere symmetric."""
        shape = problem["n"][::-1]
        write_npy(self.path("f.npy"), shape, program.ramp(math.prod(shape)))
        return {**problem, "rhs": "f.npy"}

    def points(self, case):
        """The points of the unknowns, the first direction fastest, those of a closed angle once more."""
        problem, positions = CASES[case]
        rows = [()]
        for position in positions[:0:-1]:
            rows = [(q, *row) for row in rows for q in position]
        angles = list(positions[0]) + ([] if case in OPEN else [positions[0][0]])
        return len(angles), [PLACES[problem["kind"]](angle, *row) for row in rows for angle in angles]

    def test_vtk_files(self):
        for case, (problem, positions) in CASES.items():
            for precision in ("f64", "f32"):
                with self.subTest(case=case, precision=precision):
                    self.solve(self.varied(problem), "--out", "u.npy", "--vtk", "u.vts", "--precision", precision)
                    _, solution = read_npy(self.path("u.npy"))
                    row, points = self.points(case)
                    arrays, n = vtk_arrays(self.path("u.vts")), len(positions[0])
                    self.assertEqual(len(arrays["Points"]), 3 * len(points))
                    for i, point in enumerate(points):
                        for x, expected in zip(arrays["Points"][3 * i:3 * i + 3], point):
                            self.assertAlmostEqual(x, expected, places=14)
                    self.assertEqual(list(arrays["u"]), [solution[i // row * n + i % row % n]
                                                         for i in range(len(points))])
                    with open(self.path("u.vts"), "rb") as stream:
                        header = stream.read(400)
                    extent = [row, *problem["n"][1:], 1][:3]
                    self.assertIn('"0 %d 0 %d 0 %d"' % tuple(m - 1 for m in extent), header.decode(errors="replace"))
                    for i in range(0, len(points), row):  # closed to the last bit
                        if row > n:
                            self.assertEqual(arrays["Points"][3 * i:3 * i + 3],
                                             arrays["Points"][3 * (i + n):3 * (i + n) + 3])

    def test_planes_are_boxes(self):
        flat = {"kind": "poisson2d", "n": [8, 5], "length": [2, 1], "bc": {"x": "periodic", "y": "dirichlet"},
                "rhs": 1}
        for name in ("u.vti", "u.vtr"):
            self.solve(self.varied(flat), "--out", "u.npy", "--vtk", name, "--plot", "u.png")
            self.assertEqual(list(vtk_arrays(self.path(name))["u"]), list(read_npy(self.path("u.npy"))[1]))
        self.refuse(2, "u.vts: a VTK file's name ends in .vti or .vtr", "solve", self.write("p.json", flat), "--vtk",
                    "u.vts")

    def test_extensions(self):
        for problem in (DISC, CYLINDER, SPHERE, SHELL):
            for name in ("u.vti", "u.vtr", "u.vtk", "vts"):
                with self.subTest(kind=problem["kind"], name=name):
                    self.refuse(2, f"{name}: a VTK file (--vtk) of kind {problem['kind']} ends in .vts", "solve",
                                self.write("p.json", problem), "--vtk", name)

    def test_pictures_of_each_kind(self):
        for case, (problem, _) in CASES.items():
            for name, magic in (("u.png", b"\x89PNG"), ("u.svg", b"<?xml"), ("u.pdf", b"%PDF")):
                with self.subTest(case=case, name=name):
                    self.solve(self.varied(problem), "--plot", name)
                    with open(self.path(name), "rb") as stream:
                        content = stream.read()
                    self.assertTrue(content.startswith(magic))
                    self.assertGreater(len(content), 5000)

    def plot(self, problem):
        """The pixels of the upper left 480 x 480 of a picture's plot; its corner is at (168, 128)."""
        self.solve(problem, "--plot", "u.png")
        return [row[168:648] for row in png(self.path("u.png"), 648)[128:608]]

    def test_what_is_outside_is_blank(self):
        """By the place of the plot's corner and the size of a pixel; the longer side has 960."""
        one = {"rhs": 0, "lambda": -30}  # nowhere the colour of the paper
        ring = {**RING, **one, "boundary": {"r0": 1, "r1": 1}}
        disc = {**DISC, **one, "boundary": {"r1": 1}}
        wedge = {**WEDGE, **one, "boundary": {"theta0": 1}}
        cylinder = {**CYLINDER, **one, "boundary": {"r1": 1}}
        shell = {**SHELL, **one, "boundary": {"r0": 1, "r1": 1}}
        right, left = 2 * cos(0.5), 2 * cos(2)
        for name, problem, x0, y0, pixel, angles, inner, outer in (
            ("ring", ring, -2, 2, 4 / 960, AROUND, 1, 2), ("disc", disc, -2, 2, 4 / 960, AROUND, -1, 2),
            ("wedge", wedge, left, 2, (right - left) / 960, (0.5, 2), 1, 2),
            ("cylinder", cylinder, -1, 1, 2 / 960, AROUND, -1, 1),
            ("shell", shell, 0, 2, 4 / 960, AROUND, 1, 2),  # right of the axis
        ):
            with self.subTest(name=name):
                pixels, checked = self.plot(problem), set()
                for i in range(7, 480, 14):
                    for j in range(7, 480, 14):
                        x, y = x0 + pixel * (i + 0.5), y0 - pixel * (j + 0.5)
                        radius, angle = math.hypot(x, y), math.atan2(y, x) % (2 * pi)
                        far = min(abs(radius - inner), abs(radius - outer))
                        if angles != AROUND:
                            far = min(far, *(radius * abs(angle - end) for end in angles))
                        if far > 3 * pixel:
                            inside = inner < radius < outer and angles[0] < angle < angles[1]
                            self.assertEqual(pixels[j][i] == (255, 255, 255), not inside, (x, y))
                            checked.add(inside)
                self.assertEqual(checked, {True, False})

    def test_directions_of_pictures(self):
        """Angles are counted from the right, and north is up: one at the first wall of an angle, zero at others."""
        data = {"rhs": 0, "lambda": -30}
        sphere = {**SPHERE, **data, "n": [8, 60], "range": {"theta": [0.2, 2.9]}, "boundary": {"theta0": 1},
                  "bc": {"phi": "periodic", "theta": "dirichlet"}}
        quarter = {**WEDGE, **data, "n": [60, 5], "range": {"theta": [0, pi / 2], "r": [1, 2]},
                   "bc": {"theta": "dirichlet", "r": "neumann"}, "boundary": {"theta1": 1}}
        north, upper = self.plot(sphere), self.plot(quarter)
        for high, low in ((north[5][5], north[400][5]), (upper[5][5], upper[475][478])):
            self.assertGreater(high[1], 200)  # light
            self.assertLess(low[1], 120)

    def test_planes_of_pictures(self):
        def picture(problem, *arguments):
            self.solve(self.varied(problem), "--plot", "u.svg", *arguments)
            with open(self.path("u.svg"), "rb") as stream:
                return stream.read()
        self.assertEqual(picture(CYLINDER), picture(CYLINDER, "--plane", "z=max"))
        self.assertEqual(picture(SHELL), picture(SHELL, "--plane", "phi=max"))
        for problem, planes in ((CYLINDER, ("theta=1", "z=-0.9", "z=0.9", "r=0.3")),
                                (SHELL, ("phi=0.1", "phi=3", "r=max", "theta=1.5"))):
            self.assertEqual(len({picture(problem, "--plane", plane) for plane in planes}), 4)
            self.refuse(2, "--plane: 'x=0' is not like", "solve", self.write("p.json", problem), "--plot", "u.svg",
                        "--plane", "x=0")


if __name__ == "__main__":
    program.main()

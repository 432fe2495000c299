# SPDX-License-Identifier: LGPL-2.1-or-later
"""The problems of the corpus, by name, and its cases: a command, a problem and options. Nothing here is random."""
import itertools

F32 = ("--precision", "f32")
MIXED = ("--precision", "mixed")
DIRICHLET, NEUMANN, PERIODIC = ["dirichlet"] * 2, ["neumann"] * 2, "periodic"


class Array:
    """An array file: its shape, slowest direction first, and a value or values."""

    def __init__(self, shape, values=None, whole=False):
        self.shape, self.count, self.whole = tuple(shape), 1, whole
        for n in shape:
            self.count *= n
        self.values = [noise(i) for i in range(self.count)] if values is None else list(values)


def noise(i):
    """Numbers in -1 .. 1 without order, the same on all machines."""
    return (i * 2654435761 + 12345) % 2**32 / 2**31 - 1


def rows(lower=1, diag=-3, upper=1, **more):
    return dict(lower=lower, diag=diag, upper=upper, **more)


def without(name, problem):
    return {key: value for key, value in problem.items() if key != name}


# ---- problems -------------------------------------------------------------------------------------------------------

def poisson(n=(8, 6, 5), x=PERIODIC, y=NEUMANN, z=DIRICHLET, grid=None, **more):
    problem = {"kind": "poisson3d", "n": n, "length": [1, 1, 1], "bc": {"x": x, "y": y, "z": z},
               "grid": grid or {"y": "cell"}, "rhs": Array(n[::-1])}
    return problem | more


def separable3d(y=None, z=None, **more):
    return {"kind": "separable3d", "n": [8, 6, 5], "length": [1], "y": y or rows(), "z": z or rows(),
            "rhs": Array((5, 6, 8))} | more


def separable2d(x=None, y=None, n=(9, 7), **more):
    return {"kind": "separable2d", "n": n, "x": x or rows(), "y": y or rows(), "rhs": Array(n[::-1])} | more


def bubbles(n, contrast, ends=(NEUMANN, NEUMANN), **more):
    """Four bubbles of another coefficient in the unit square."""
    circles = ((.3, .3, .15), (.7, .35, .1), (.4, .72, .12), (.75, .75, .08))
    cells = [((i + .5) / n, (j + .5) / n) for j in range(n) for i in range(n)]
    region = [next((m + 1 for m, (a, b, r) in enumerate(circles) if (x - a)**2 + (y - b)**2 < r * r), 0)
              for x, y in cells]
    return {"kind": "diffusion2d", "n": [n, n], "length": [1, 1], "bc": dict(zip("xy", ends)),
            "coefficient": Array((n, n), [contrast if r else 1 for r in region]),
            "regions": Array((n, n), region, whole=True), "rhs": Array((n, n))} | more


def diffusion3d(contrast=10, ends=(DIRICHLET, NEUMANN, PERIODIC), n=(8, 6, 5), **more):
    k = [contrast if noise(7 * i + 3) > 0 else 1 for i in range(n[0] * n[1] * n[2])]
    return {"kind": "diffusion3d", "n": n, "length": [1, 1, 1], "bc": dict(zip("xyz", ends)),
            "coefficient": Array(n[::-1], k), "rhs": Array(n[::-1])} | more


def flat(**more):
    return {"kind": "atmosphere3d", "geometry": "flat", "n": [12, 9, 5], "length": [1, 0.75], "height": 0.1,
            "omega": 0.3, "lambda": 1, "rhs": Array((5, 9, 12))} | more


def panel(**more):
    return without("length", flat(**{"geometry": "panel"} | more))


def sphere(**more):
    return panel(**{"geometry": "sphere", "n": [6, 36, 5], "rhs": Array((5, 36, 6))} | more)


FACES = [0, 0.01, 0.025, 0.045, 0.07, 0.1]
STRETCHED = {"z": {"faces": Array((6,), [0, .1, .25, .45, .7, 1])}, "y": {"nodes": Array((6,), [0, .1, .3, .6, .8, 1])}}
SINGULAR = {"x": PERIODIC, "y": NEUMANN, "z": NEUMANN, "grid": {"y": "cell", "z": "cell"}}

DIRECT = {
    "poisson": poisson(),
    "poisson-dirichlet": poisson(x=DIRICHLET, y=DIRICHLET, grid={a: "cell" for a in "xyz"}),
    "poisson-halves": poisson(x=["dirichlet", "neumann"], y=["neumann", "dirichlet"], z=["neumann", "dirichlet"]),
    "poisson-singular": poisson(**SINGULAR),
    "poisson-nodes-singular": poisson(x=NEUMANN, z=NEUMANN, grid={}),
    "poisson-periodic": poisson(y=PERIODIC, z=PERIODIC),
    "poisson-mean-alone": poisson(**SINGULAR | {"rhs": 2.3}),
    "poisson-stretched": poisson(grid=STRETCHED, length=[1, None, None]),
    "poisson-lambda": poisson(**{"lambda": -3.5}),
    "poisson-indefinite": poisson(**{"lambda": 40}),
    "poisson-nearly-singular": poisson(**SINGULAR | {"lambda": -1e-10}),
    "poisson-on-eigenvalue": poisson(n=(4, 4, 1), length=[4, 4, 2], y=PERIODIC, grid={}, rhs=1, **{"lambda": 2}),
    "poisson-thin": poisson(x=DIRICHLET, y=DIRICHLET, z=NEUMANN, grid={"z": "cell"}, length=[1, 1, 1e-3]),
    "poisson-thinner": poisson(x=DIRICHLET, y=DIRICHLET, z=NEUMANN, grid={"z": "cell"}, length=[1, 1, 1e-4]),
    "poisson-boundary": poisson(boundary={"y0": 1, "y1": -2, "z0": Array((6, 8)), "z1": 3}),
    "poisson-one": poisson(n=(1, 1, 1), y=DIRICHLET),
    "poisson-column": poisson(n=(1, 1, 17)),
    "poisson-row": poisson(n=(16, 2, 1)),
    "poisson-primes": poisson(n=(7, 11, 13)),
    "poisson-zero": poisson(rhs=0),
    "poisson-16": poisson(n=(16, 16, 16), y=DIRICHLET, z=["dirichlet", "neumann"]),
    "poisson-long": poisson(n=(4, 4, 65)),
    "separable3d": separable3d(),
    "separable3d-periodic": separable3d(z=rows(diag=-2.5, periodic=True)),
    "separable3d-singular": separable3d(y=rows(diag=-2, periodic=True), z=rows(diag=-2, periodic=True)),
    "separable3d-skew": separable3d(y=rows(lower=-1, upper=1)),
    "separable3d-indefinite": separable3d(y=rows(diag=-1), **{"lambda": 3}),
    "separable3d-varied": separable3d(y=rows(diag=Array((6,), [-3 - j for j in range(6)]))),
    "separable3d-graded": separable3d(z=rows(lower=Array((5,), [10**(j - 2) for j in range(5)]), diag=-250,
                                             upper=Array((5,), [10**(j - 1) for j in range(5)]))),
    "separable2d": separable2d(),
    "separable2d-periodic": separable2d(y=rows(diag=-2.5, periodic=True)),
    "separable2d-singular": separable2d(rows(diag=-2, periodic=True), rows(diag=-2, periodic=True)),
    "separable2d-skew": separable2d(x=rows(lower=Array((9,), [(-1)**i for i in range(9)]))),
    "separable2d-lambda": separable2d(**{"lambda": -0.1}),
    "separable2d-large": separable2d(n=(40, 31)),
}
BUBBLES = {
    "bubbles": bubbles(24, 1000),
    "bubbles-strong": bubbles(24, 1e6, (["neumann", "dirichlet"], NEUMANN)),
    "bubbles-weak": bubbles(24, 1e-3, (DIRICHLET, PERIODIC)),
}
DIFFUSION = {
    "diffusion2d-constant": bubbles(5, 1, rhs=2.3, ends=(PERIODIC, NEUMANN)),
    "diffusion2d-arithmetic": bubbles(12, 50, mean="arithmetic", boundary={"x0": 1, "y1": -1}),
    "diffusion2d-lambda": bubbles(12, 50, (DIRICHLET, DIRICHLET), **{"lambda": -20}),
    "diffusion2d-zero": bubbles(8, 10, rhs=0),
    "diffusion3d": diffusion3d(),
    "diffusion3d-singular": diffusion3d(ends=(NEUMANN, NEUMANN, PERIODIC)),
    "diffusion3d-boundary": diffusion3d(boundary={"x0": Array((5, 6)), "x1": 2, "y0": 1}),
    "diffusion3d-16": diffusion3d(1e3, n=(16, 16, 16)),
    "diffusion3d-flat": diffusion3d(n=(12, 9, 1)),
}
ATMOSPHERE = {
    "flat": flat(),
    "flat-periodic": flat(sides="periodic"),
    "flat-levels": flat(levels={"faces": Array((6,), FACES)}),
    "flat-stiff": flat(omega=500, height=0.00785, sides="periodic"),
    "flat-omega-0": flat(omega=0),
    "flat-anisotropic": flat(**{"lambda": 30}),
    "panel": panel(),
    "panel-levels": panel(levels={"faces": Array((6,), FACES)}),
    "sphere": sphere(),
    "sphere-constant": sphere(rhs=1),
}
# Problems that are refused whatever the options.
BAD = {
    "bad-nan": poisson(rhs=Array((5, 6, 8), [float("nan")] + [1] * 239)),
    "bad-infinite": poisson(rhs=Array((5, 6, 8), [1] * 239 + [float("inf")])),
    "bad-shape": poisson(rhs=Array((5, 6, 7))),
    "bad-absent": poisson(rhs="absent.npy"),
    "bad-no-n": without("n", poisson()),
    "bad-no-rhs": without("rhs", poisson()),
    "bad-key": poisson(speed=1),
    "bad-size": poisson() | {"n": [0, 6, 5]},
    "bad-size-2d": separable2d() | {"n": [9]},
    "bad-kind": poisson(kind="poisson4d"),
    "bad-ends": poisson(y=["periodic", "neumann"]),
    "bad-length": poisson(length=[1, 0, 1]),
    "bad-boundary": poisson(boundary={"x1": 0}),
    "bad-lambda": poisson(**{"lambda": "l"}),
    "bad-faces": poisson(grid={"z": {"faces": Array((6,), [0, .1, .05, .3, .7, 1])}}, length=[1, 1, None]),
    "bad-rows": separable2d(y=rows(lower=Array((7,), [float("nan")] * 7))),
    "bad-coefficient": bubbles(4, -1, coefficient=-1),
    "bad-cell": bubbles(4, 1, coefficient=Array((4, 4), [1] * 6 + [0] + [1] * 9)),
    "bad-mean": bubbles(4, 1, mean="geometric"),
    "bad-grid": bubbles(4, 1, grid={"x": "cell"}),
    "bad-diffusion-nan": bubbles(4, 1, rhs=Array((4, 4), [float("nan")] * 16)),
    "bad-geometry": flat(geometry="cube"),
    "bad-height": flat(height=0),
    "bad-omega": flat(omega=-1),
    "bad-sides": panel(sides="periodic"),
    "bad-sphere": sphere(n=[6, 6, 5]),
    "bad-levels": flat(levels={"faces": Array((6,), FACES[::-1])}),
    "bad-atmosphere-nan": flat(rhs=Array((5, 9, 12), [float("nan")] * 540)),
}
# Right-hand sides whose norms leave the range of numbers.
RANGE = {f"{name}-rhs-{rhs}": dict(problem, rhs=float(rhs))
         for (name, problem), rhs in itertools.product(
             (("poisson", poisson(x=DIRICHLET)), ("separable2d", separable2d()),
              ("diffusion2d", bubbles(6, 2, (PERIODIC, DIRICHLET))), ("flat", flat())),
             ("1e-310", "1e-200", "1e-50", "1e30", "1e200", "1e307"))}
PROBLEMS = DIRECT | BUBBLES | DIFFUSION | ATMOSPHERE | BAD | RANGE


# ---- options --------------------------------------------------------------------------------------------------------

def split(text):
    return tuple(text.split())


LIMITS = [split(f"--method {{}} {text}") for text in
          ("--max-iterations 1", "--max-iterations 2", "--tolerance 1e-3", "--tolerance 1e-15", "--tolerance 1e-17",
           "--tolerance 1e-7 --precision f32", "--tolerance 1e-12 --precision mixed", "--tolerance 0")]
WRONG = [split(text) for text in (
    "--slabs 64", "--slabs 0", "--slabs 65", "--method magic", "--precision f16", "--precision mixed --method slab",
    "--tolerance 2", "--tolerance -1", "--tolerance nan", "--max-iterations 0", "--method multigrid --parts 64",
    "--parts 0", "--vectors 0", "--vectors 100000 --method cg", "--preconditioner magic", "--deflation magic",
    "--method cg", "--method cg --preconditioner block-ic", "--preconditioner line-z", "--deflation regions",
    "--levels 0", "--levels 99", "--coarse-sweeps 0", "--smoothing-steps 0", "--boxes 0", "--boxes 100",
    "--sharing magic", "--algorithm magic", "--radix 3", "--split -2", "--method blktri --slabs 3")]


def with_limits(method):
    return [tuple(method if word == "{}" else word for word in options) for options in LIMITS]


def direct_cases():
    for name, problem in DIRECT.items():
        for method in ("slab", "blktri", "blktri-product", "multigrid"):
            for precision in ((), F32):
                yield name, ("--method", method) + precision
        yield name, ()
        yield name, ("--method", "multigrid") + MIXED
    for name in ("poisson", "poisson-16", "separable3d", "separable2d-large"):
        yield from ((name, options) for options in with_limits("multigrid"))
    for options in ("--slabs 2", "--slabs 3 --precision f32", "--method blktri --radix 2", "--method blktri --radix 4",
                    "--method multigrid --parts 1", "--method multigrid --sharing alone", "--repeat 2",
                    "--method blktri-product --algorithm pcr"):
        yield "poisson-16", split(options)
        yield "poisson-singular", split(options)
    yield "poisson-long", split("--method multigrid --parts 2")
    yield "poisson-long", split("--slabs 8")


def diffusion_cases():
    for name in BUBBLES:
        for by, deflation in itertools.product(("none", "jacobi", "ip", "block-ic", "multigrid"),
                                               ("none", "stripes", "blocks", "regions")):
            if deflation in ("none", "blocks") or by in ("jacobi", "block-ic"):
                yield name, split(f"--method cg --preconditioner {by} --deflation {deflation}")
        for options in ("--precision f32", "--precision mixed", "--method cg", "--method cg --precision f32",
                        "--method cg --precision mixed", "--method cg --preconditioner jacobi --deflation blocks "
                        "--vectors 4 --precision mixed", "--method multigrid", "--method multigrid --precision mixed",
                        "--method multigrid --precision f32"):
            yield name, split(options)
    # With few steps a fallback finishes, or does not.
    for by, deflation, more in itertools.product(("jacobi", "ip", "block-ic"), ("none", "blocks"),
                                                 ("60", "100", "60 --precision f32", "60 --precision mixed")):
        yield "bubbles-strong", split(f"--method cg --preconditioner {by} --deflation {deflation} "
                                      f"--max-iterations {more}")
    for name, options in itertools.product(DIFFUSION, ("", "--precision f32", "--precision mixed", "--method cg",
                                                       "--method cg --preconditioner jacobi --deflation none",
                                                       "--method multigrid")):
        yield name, split(options)
    for name, method in itertools.product(("bubbles", "bubbles-strong", "diffusion3d-16"), ("cg", "multigrid")):
        yield from ((name, options) for options in with_limits(method))


def atmosphere_cases():
    for name, options in itertools.product(ATMOSPHERE, ("", "--precision f32", "--precision mixed", "--method cg",
                                                        "--method cg --precision f32",
                                                        "--method cg --precision mixed",
                                                        "--method cg --preconditioner none")):
        yield name, split(options)
    for name, method in itertools.product(("flat", "panel", "sphere"), ("multigrid", "cg")):
        yield from ((name, options) for options in with_limits(method))
    for options in ("--levels 2 --coarse-sweeps 4 --smoothing-steps 2", "--boxes 2", "--method cg --preconditioner "
                    "multigrid"):
        yield "flat", split(options)


def bad_cases():
    for name in BAD:
        yield name, ()
    for name, precision in itertools.product(RANGE, ((), F32)):
        yield name, precision
        if name.startswith("poisson"):
            yield name, ("--method", "multigrid") + precision
    for name, options in itertools.product(("poisson", "separable2d", "bubbles", "flat"), WRONG):
        yield name, options


def fem_cases():
    good = "--dirichlet 7=0"
    for mesh, element in itertools.product(("square", "cube"), ("q1", "q2")):
        base = f"--element {element} --levels {2 if mesh == 'square' else 1}"
        for options in ("", "--precision f32", "--precision mixed", "--smoother jacobi", "--smoother sainv",
                        "--smoother fsai", "--cycle v", "--cycle w --smoothing-steps 2", "--numbering random",
                        "--format ellpack-t", "--format sell", "--max-iterations 1",
                        "--tolerance 1e-3", "--tolerance 1e-17", "--tolerance 1e-12 --precision mixed"):
            yield mesh, split(f"{base} {good} {options}")
        yield mesh, split(base)  # singular
    # Cycles that need conjugate gradients or BiCGStab.
    for mesh, element, options in itertools.product(("thin", "thin-cube"), ("q1", "q2"), (
            "", "--smoother jacobi", "--precision f32", "--precision mixed", "--max-iterations 61",
            "--smoother jacobi --smoothing-steps 1 --cycle v")):
        yield mesh, split(f"--element {element} --levels {3 if mesh == 'thin' else 1} {good} {options}")
    for options in ("--levels 17", "--levels 0 --dirichlet 7=0", "--dirichlet 8=0", "--dirichlet 7=x", "--rhs nan",
                    "--tolerance 1", "--max-iterations 0", "--smoother magic", "--element q3", "--rhs 1e-310",
                    "--rhs 1e-200 --dirichlet 7=0", "--rhs 1e200 --dirichlet 7=0", "--rhs 0 --dirichlet 7=0",
                    "--rhs 1e-30 --dirichlet 7=0 --precision f32", "--curved 7=circle:0,0", "--dirichlet 7=2 --rhs 0",
                    "--levels 4 --dirichlet 7=0 --smoother jacobi --smoothing-steps 1 --cycle v"):
        yield "square", split(options)
    for mesh in ("bad-inverted", "bad-node", "bad-empty"):
        yield mesh, ()


def cases():
    """(command, problem or mesh, options) of all, without repetitions."""
    found = [("solve", *case) for part in (direct_cases, diffusion_cases, atmosphere_cases, bad_cases)
             for case in part()]
    return list(dict.fromkeys(found + [("fem", *case) for case in fem_cases()]))


# ---- meshes ---------------------------------------------------------------------------------------------------------

def mesh_box(dimension, n, height=1):
    """n^d cells of a box in Gmsh's format 2.2; their sides are group 7."""
    corner = [(0, 0), (1, 0), (1, 1), (0, 1)]
    corners = corner if dimension == 2 else [(*c, z) for z in (0, 1) for c in corner]

    def number(place):
        return 1 + sum(x * (n + 1)**d for d, x in enumerate(place))

    nodes = [[(i // (n + 1)**d) % (n + 1) / n * (height if d == 1 else 1) for d in range(dimension)]
             for i in range((n + 1)**dimension)]
    cells, sides = [], []
    for c in range(n**dimension):
        at = [c // n**d % n for d in range(dimension)]
        cells.append([number([a + p for a, p in zip(at, place)]) for place in corners])
        for d, end in itertools.product(range(dimension), (0, 1)):
            if at[d] == end * (n - 1):
                on = [number([a + p for a, p in zip(at, place)]) for place in corners if place[d] == end]
                # Corners of a solid's face across x or y come row by row; a face goes around.
                sides.append(on if dimension == 2 or d == 2 else [on[i] for i in (0, 1, 3, 2)])
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$Nodes", str(len(nodes))]
    lines += [" ".join(map(str, [i + 1, *node, *[0] * (3 - dimension)])) for i, node in enumerate(nodes)]
    lines += ["$EndNodes", "$Elements", str(len(cells) + len(sides))]
    kinds = (1, 3) if dimension == 2 else (3, 5)
    lines += [f"{i + 1} {kinds[0]} 2 7 1 {' '.join(map(str, side))}" for i, side in enumerate(sides)]
    lines += [f"{1000 + i} {kinds[1]} 2 1 1 {' '.join(map(str, cell))}" for i, cell in enumerate(cells)]
    return "\n".join(lines + ["$EndElements", ""])


def meshes():
    square = mesh_box(2, 3)
    first = next(line for line in square.splitlines() if line.startswith("1000 "))
    words = first.split()
    return {"square": square, "cube": mesh_box(3, 2), "thin": mesh_box(2, 3, 0.01),
            "thin-cube": mesh_box(3, 2, 0.01), "bad-empty": "",
            "bad-inverted": square.replace(first, " ".join(words[:5] + words[:4:-1])),
            "bad-node": square.replace(first, " ".join(words[:-1] + ["77"]))}

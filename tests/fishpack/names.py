# SPDX-License-Identifier: LGPL-2.1-or-later
"""The libraries with FISHPACK's names against model.py: every legal pair of codes with random data, both precisions,
arrays with room between and behind their numbers. Usage: names.py LIBRARY... [--twice]: the second call of the same
problem is a plan's, where the environment wants plans."""
import ctypes as ct
import sys

import numpy as np

import model

RANDOM = np.random.default_rng(5)
GUARD, WORDS = 4711.25, 6000


class Library:
    def __init__(self, path):
        self.lib = ct.CDLL(path)
        self.single, self.without_work = "r4" in path, "90" in path
        self.real = np.float32 if self.single else np.float64
        self.complex = np.complex64 if self.single else np.complex128
        self.c_real = ct.c_float if self.single else ct.c_double
        self.tolerance = 2e-5 if self.single else 1e-10

    def array(self, values):
        values = np.asarray(values)
        return np.array(values, dtype=self.complex if np.iscomplexobj(values) else self.real, order="F")

    def padded(self, values, more):
        """With `more` rows, and in three dimensions columns, that must not change."""
        values = np.asarray(values)
        shape = [n + more for n in values.shape[:-1]] + [values.shape[-1]]
        wide = np.full(shape, GUARD, dtype=self.complex if np.iscomplexobj(values) else self.real, order="F")
        wide[tuple(slice(n) for n in values.shape)] = values
        return wide

    def call(self, name, *arguments):
        keep = []
        for a in arguments:
            if isinstance(a, (int, np.integer)):
                keep.append(ct.byref(ct.c_int(int(a))))
            elif isinstance(a, float):
                keep.append(ct.byref(self.c_real(a)))
            else:
                keep.append(a.ctypes.data_as(ct.c_void_p) if isinstance(a, np.ndarray) else a)
        getattr(self.lib, name + "_")(*keep)

    def work(self, always=False):
        """[], or W with guards; `always`: of routines that have W in all versions."""
        return [np.full(WORDS, GUARD, dtype=self.real)] if always or not self.without_work else []


def inside(wide, shape):
    """What the call was about; fails where it wrote beside it."""
    rest = wide.copy(order="F")
    rest[tuple(slice(n) for n in shape)] = GUARD
    assert (rest == GUARD).all(), "written beside the array"
    return wide[tuple(slice(n) for n in shape)]


def compare(lib, name, case, got, want, constant, pertrb=(0, 0)):
    error = got - want
    if constant:
        error = error - error.ravel()[np.argmin(abs(error - np.median(error)))]
    scale = abs(want - (want.mean() if constant else 0)).max()
    assert abs(error).max() <= lib.tolerance * scale, (name, case, abs(error).max() / scale)
    assert abs(pertrb[0] - pertrb[1]) <= lib.tolerance * max(1, abs(pertrb[1])), (name, case, pertrb)


def zero():
    return np.array([-1], dtype=np.int32)


def codes_of(name):
    system, cells = name[3:], name[1] == "s"
    for mb in range(0 if system == "crt" else 1, {"crt": 5, "plr": 7, "cyl": 7}.get(system, 10)):
        for nb in range(system == "csp", 7 if system == "csp" else 5):
            if system in ("plr", "ssp") and mb >= 5 and nb not in (0, 3):
                continue
            if system == "csp" and nb >= 5 and mb not in (3, 6, 8, 9):
                continue
            for lam in (0.0, -1.25, 0.375):
                axis = mb >= 5 and not cells or (system == "csp" and nb >= 5)
                if lam and axis and system in ("cyl", "csp") or (lam and system == "cyl" and mb >= 5):
                    continue
                yield mb, nb, lam


def driver(lib, name, mb, nb, lam, times):
    cells, csp = name[1] == "s", name[3:] == "csp"
    m, n = RANDOM.integers(5, 12, 2)
    n = int(RANDOM.choice([7, 8, 9])) if csp else n  # FISHPACK's HWSCSP fails with 8 radii
    a, b, c, d = 0.375, 1.5, 0.25, 2.0
    a = 0.0 if model.ENDS[mb][0] == "-" else a
    b = model.PI if model.ENDS[mb][1] == "-" else b
    c = 0.0 if csp and nb >= 5 else c
    c, d = (0.0, 2 * model.PI) if name[3:] in ("plr", "ssp") and nb == 0 else (c, d)
    f = RANDOM.normal(size=(m + (not cells), n + (not cells)))
    f[-1] = f[0] if not cells and mb == 0 else f[-1]
    f[:, -1] = f[:, 0] if not cells and nb == 0 else f[:, -1]
    data = [RANDOM.normal(size=f.shape[1 - k // 2]) for k in range(4)]
    want, pertrb, constant = model.helmholtz(name, a, b, m, mb, *data[:2], c, d, n, nb, *data[2:], lam, f)
    given = [lib.array(x) for x in data]
    for k in range(4):  # what is not read may be anything
        end = model.ENDS[(mb, nb)[k // 2]][k % 2]
        given[k] = None if end in "P-" or (end == "D" and not cells) else given[k]
    for _ in range(times):
        wide, p, number = lib.padded(f, 2), lib.array([9.0]), zero()
        lib.call(name, *([0] if csp else []), a, b, m, mb, *given[:2], c, d, n, nb, *given[2:], lam, wide,
                 wide.shape[0], p, number, *lib.work(csp))
        assert number[0] == 0 or lam > 0, (name, mb, nb, lam, number)
        compare(lib, name, (mb, nb, lam, m, n), inside(wide, f.shape), want, constant, (p[0], pertrb))


def rows_of(n, periodic, imaginary=0.0, sign=1):
    lower, upper = RANDOM.uniform(0.5, 1.5, (2, n)) + 1j * imaginary * RANDOM.uniform(-0.3, 0.3, (2, n))
    diag = -(lower + upper) - RANDOM.uniform(0.2, 1, n)
    if periodic:  # as GENBUN wants
        lower[:], upper[:], diag[:] = lower[0], lower[0], -2.5 * abs(lower[0])
    else:
        lower[0] = upper[-1] = 0
    rows = [lower, diag, upper]
    return [row * sign for row in (rows if imaginary else [row.real for row in rows])]


def systems(lib, times):
    for name, codes in (("genbun", range(5)), ("cmgnbn", range(5)), ("poistg", range(1, 5))):
        for nperod in codes:
            for mperod in (0, 1):
                m, n = (int(k) for k in RANDOM.integers(3, 12, 2))
                is_complex = name == "cmgnbn"
                rows = rows_of(m, mperod == 0, float(is_complex))
                y = RANDOM.normal(size=(m, n)) + (1j * RANDOM.normal(size=(m, n)) if is_complex else 0)
                want = model.system(model.cyclic(*rows, mperod == 0),
                                    model.second_difference(n, nperod, name == "poistg"), y)
                for _ in range(times):
                    wide, number = lib.padded(y, 1), zero()
                    lib.call(name, nperod, n, mperod, m, *map(lib.array, rows), m + 1, wide, number, *lib.work())
                    assert number[0] == 0
                    compare(lib, name, (nperod, mperod), inside(wide, y.shape), want, False)
    for name in ("blktri", "cblktri" if lib.without_work else "cblktr"):
        for code in range(4):
            m, n, is_complex = 7, 6 + code, name != "blktri"
            first = rows_of(m, code & 1, float(is_complex))
            second = rows_of(n, code & 2)
            y = RANDOM.normal(size=(m, n)) + (1j * RANDOM.normal(size=(m, n)) if is_complex else 0)
            want = model.system(model.cyclic(*first, code & 1), model.cyclic(*second, code & 2), y)
            for _ in range(times):
                wide, number = lib.padded(y, 3), zero()
                for iflg in (0, 1):
                    lib.call(name, iflg, int(not code & 2), n, *map(lib.array, second), int(not code & 1), m,
                             *map(lib.array, first), m + 3, wide, number, *lib.work(True))
                assert number[0] == 0
                compare(lib, name, code, inside(wide, y.shape), want, False)


def boxes(lib, times):
    for lperod in range(5):
        for mperod in range(5):
            l, m, n = (int(k) for k in RANDOM.integers(3, 7, 3))
            nperod, factors = int(RANDOM.integers(2)), [0.75, 1.5]
            rows = rows_of(n, nperod == 0)
            f = RANDOM.normal(size=(l, m, n))
            whole, b = model.box([factors[0] * model.second_difference(l, lperod),
                                  factors[1] * model.second_difference(m, mperod),
                                  model.cyclic(*rows, nperod == 0)], f)
            want = np.linalg.solve(whole, b).reshape(f.shape)
            for _ in range(times):
                wide, number = lib.padded(f, 1), zero()
                lib.call("pois3d", lperod, l, factors[0], mperod, m, factors[1], nperod, n, *map(lib.array, rows),
                         l + 1, m + 1, wide, number, *lib.work())
                assert number[0] == 0
                compare(lib, "pois3d", (lperod, mperod, nperod), inside(wide, f.shape), want, False)
    for codes in np.ndindex(5, 5, 5):
        if RANDOM.random() > 0.4 and any(code not in (0, 3) for code in codes):
            continue
        box = [(0.0, 1.25, 5, codes[0]), (0.25, 1.0, 6, codes[1]), (-1.0, 0.5, 5, codes[2])]
        lam, f = float(RANDOM.choice([0, -0.75])), RANDOM.normal(size=(6, 7, 6))
        for d, code in enumerate(codes):
            if code == 0:
                np.moveaxis(f, d, 0)[-1] = np.moveaxis(f, d, 0)[0]
        data = [[RANDOM.normal(size=shape) for _ in range(2)] for shape in ((7, 6), (6, 6), (6, 7))]
        want, pertrb, constant = model.hw3crt(box, lam, data, f)
        for _ in range(times):
            wide, p, number = lib.padded(f, 2), lib.array([9.0]), zero()
            given = [[lib.padded(x, 2) for x in pair] for pair in data]
            lists = [x for b, pair in zip(box, given) for x in (*b, *pair)]
            lib.call("hw3crt", *lists, lam, 8, 9, wide, p, number, *lib.work())
            assert number[0] == 0
            compare(lib, "hw3crt", codes, inside(wide, f.shape), want, constant, (p[0], pertrb))


def functions(constant_y, singular, periodic):
    shift = 0.0 if singular else -0.5
    x = (lambda x: (1 + 0 * x if periodic[0] else 1 + x / 4, 0 * x if periodic[0] else 0.25 + 0 * x, shift + 0 * x))
    if constant_y:
        return x, lambda y: (1 + 0 * y, 0 * y, 0 * y)
    return x, (lambda y: (1.5 + 0 * y if periodic[1] else 1.5 - y / 8, 0 * y, shift + 0 * y))


def separable(lib, times):
    pointer = ct.POINTER(lib.c_real)
    callback = ct.CFUNCTYPE(None, pointer, pointer, pointer, pointer)

    def wrap(function):
        def evaluate(x, a, b, c):
            a[0], b[0], c[0] = (float(value) for value in function(np.float64(x[0])))
        return callback(evaluate)

    for name in ("sepeli", "sepx4"):
        for mb, nb, order, singular in [(*k, s) for k in np.ndindex(5, 5, 2) for s in (False, True)]:
            if singular and (mb not in (0, 3) or nb not in (0, 3)):
                continue
            m, n, x4 = 7, 8, name == "sepx4"
            robin = [0.0] * 4 if singular else [-0.5 * (mb in (3, 4)), 0.5 * (mb in (2, 3)), -0.25 * (nb in (3, 4)),
                                                0.25 * (nb in (2, 3))]
            robin[2:] = [0.0, 0.0] if x4 else robin[2:]
            functions_ = functions(x4, singular, (mb == 0, nb == 0))
            g, u = RANDOM.normal(size=(2, m + 1, n + 1))
            for field in (g, u):
                field[-1] = field[0] if mb == 0 else field[-1]
                field[:, -1] = field[:, 0] if nb == 0 else field[:, -1]
            data = [[RANDOM.normal(size=k) for _ in range(2)] for k in (n + 1, m + 1)]
            sides = ((0.0, 1.0, m, mb, *robin[:2]), (0.0, 1.25, n, nb, *robin[2:]))
            want, pertrb, constant = model.sepeli(2 + 2 * order, sides, functions_, data, g, u)
            for _ in range(times):
                wide, solution, p, number = lib.padded(g, 1), lib.padded(u, 1), lib.array([9.0]), zero()
                work = lib.work(True)[0]
                work[0] = WORDS
                d = [[lib.array(x) for x in pair] for pair in data]
                first = [0.0, 1.0, m, mb, d[0][0], robin[0], d[0][1], robin[1]]
                if x4:
                    lib.call(name, 2 + 2 * order, *first, 0.0, 1.25, n, nb, *d[1], wrap(functions_[0]), wide, solution,
                             m + 2, *([] if lib.without_work else [work]), p, number)
                else:
                    lib.call(name, 0, 2 + 2 * order, *first, 0.0, 1.25, n, nb, d[1][0], robin[2], d[1][1], robin[3],
                             *map(wrap, functions_), wide, solution, m + 2, work, p, number)
                assert number[0] == 0, (name, mb, nb, number)
                numbers = (0, 0) if x4 else (p[0], pertrb)  # SEPX4 scales it, and leaves out the first solve's
                compare(lib, name, (mb, nb, order, singular), inside(solution, u.shape), want, constant, numbers)


def constants(lib):
    """Singular solutions: 0 at axis, pole and centre; on cells a value given at an axis or a pole fixes them."""
    m, n, zeros = 8, 9, lib.array(np.zeros(10))

    def call(name, interval, code, data, f):
        wide, p, number = lib.array(f), lib.array([9.0]), zero()
        period = (0.0, 1.5, n, 6) if name == "hwscsp" else (0.0, 2 * model.PI, n, 0)
        lib.call(name, *([0] if name == "hwscsp" else []), *interval, m, code, *data, *period, zeros, zeros, 0.0, wide,
                 wide.shape[0], p, number, *lib.work(name == "hwscsp"))
        assert number[0] == 0, (name, number)
        return wide, float(p[0])

    for name, interval, code, at in (("hwsplr", (0.0, 1.25), 6, (0, 0)), ("hwsssp", (0.0, 2.0), 6, (0, 0)),
                                     ("hwsssp", (0.0, model.PI), 9, (m, 0)), ("hwscsp", (0.0, model.PI), 9, (0, 0))):
        u, _ = call(name, interval, code, (zeros, zeros), RANDOM.normal(size=(m + 1, n + 1)))
        assert abs(u[at]) <= lib.tolerance, (name, code, u[at])
    for name, interval, code in (("hstplr", (0.0, 1.25), 2), ("hstssp", (0.0, 2.0), 2), ("hstssp", (0.0, model.PI), 1),
                                 ("hstssp", (0.5, model.PI), 4)):
        f, data = RANDOM.normal(size=(m, n)), RANDOM.normal(size=(2, n))
        u, pertrb = call(name, interval, code, map(lib.array, data), f)
        row, h = -(code == 4), (interval[1] - interval[0]) / m
        value = u[row].mean() - h**2 * (f[row].mean() - pertrb) / 16
        assert abs(value - data[row, 0]) <= lib.tolerance * abs(u).max(), (name, code, value, data[row, 0])


def main(arguments):
    times = 2 if "--twice" in arguments else 1
    for path in (argument for argument in arguments if argument != "--twice"):
        lib = Library(path)
        for name in "hwscrt hwsplr hwscyl hwsssp hwscsp hstcrt hstplr hstcyl hstssp hstcsp".split():
            for mb, nb, lam in codes_of(name):
                driver(lib, name, mb, nb, lam, times)
        systems(lib, times)
        boxes(lib, times)
        separable(lib, times)
        constants(lib)
    print("ok")


main(sys.argv[1:])

# SPDX-License-Identifier: LGPL-2.1-or-later
"""FISHPACK's routines as dense matrices, by their documented equations: an oracle for small problems. Arguments are
FISHPACK's without leading dimensions, f[i, j] is F(i+1, j+1). Each driver returns u, pertrb and whether u is defined up
to a constant only."""
import numpy as np

PI = np.pi
ENDS = {0: "PP", 1: "DD", 2: "DN", 3: "NN", 4: "ND", 5: "-D", 6: "-N", 7: "D-", 8: "N-", 9: "--"}


class Line:
    """Rows of the unknowns of one direction, and by how much a right-hand side is reduced for each datum at its ends.
    `at`: places; `first`: index of the first unknown among the nodes or cells."""

    def __init__(self, low, high, panels, code, cells, face, centre):
        self.h = h = (high - low) / panels
        ends = ENDS[code]
        index = np.arange(panels if cells or code == 0 else panels + 1)
        keep = slice(0, None) if cells or code == 0 else slice(ends[0] == "D", len(index) - (ends[1] == "D"))
        self.first, self.periodic, self.nodes = (0 if cells else int(ends[0] == "D")), code == 0, panels + (not cells)
        x = low + h * (index + 0.5 * cells)
        with np.errstate(divide="ignore", invalid="ignore"):
            lower, upper = face(x - h / 2) / (centre(x) * h * h), face(x + h / 2) / (centre(x) * h * h)
            diag = -(lower + upper)
        self.take([x[keep], lower[keep], diag[keep], upper[keep]], ends, cells)

    def take(self, rows, ends, cells):
        """Closes the ends: data[e] is None or (what is given, factor)."""
        self.at, self.lower, self.diag, self.upper = (np.array(row) for row in rows)
        self.n, self.data = len(self.at), [None, None]
        couples = [self.lower[0], self.upper[-1]]
        for end, row in ((0, 0), (1, -1)):
            outward, sign, inward = couples[end], (-1, 1)[end], (self.upper, self.lower)[end]
            if ends[end] == "D":
                self.data[end] = ("u", outward * (2 if cells else 1))
                self.diag[row] -= outward if cells else 0
            elif ends[end] == "N":
                self.data[end] = ("du", sign * self.h * outward * (1 if cells else 2))
                if cells:
                    self.diag[row] += outward
                else:
                    inward[row] += outward
            elif ends[end] == "-":
                self.data[end] = ("point", outward)
        if not self.periodic:
            self.lower[0] = self.upper[-1] = 0

    def matrix(self):
        return cyclic(self.lower, self.diag, self.upper, self.periodic)

    def weights(self):
        """Of the trapezoidal rule."""
        w = np.ones(self.n)
        if not self.periodic and self.nodes == self.n and self.data[0] is not None:
            w[0] = w[-1] = 0.5
        return w


def cyclic(lower, diag, upper, periodic):
    n = len(diag)
    a = np.diag(diag) + np.diag(lower[1:], -1) + np.diag(upper[:-1], 1)
    if periodic:
        a[0, n - 1] += lower[0]
        a[n - 1, 0] += upper[n - 1]
    return a


def solve_bordered(a, f, singular):
    """A u + pertrb = f."""
    if not singular:
        return np.linalg.solve(a, f), 0.0
    n = len(f)
    bordered = np.ones((n + 1, n + 1))
    bordered[:n, :n], bordered[n, n] = a, 0
    z = np.linalg.solve(bordered, np.append(f, 0))
    return z[:n], z[n]


def solve_lines(lines, h, lam, f, data, cells, points=()):
    """(h[1] L[0] + h[0] L[1] + lam) u = f on unknowns (i, j); data[d][end] over the other direction. points: (row or
    -1, coupling, weights, diagonal, right-hand side) of one more unknown each at an end of the first direction."""
    one, two = lines
    a = np.kron(one.matrix(), np.diag(h[1])) + np.kron(np.diag(h[0]), two.matrix()) + np.diag(lam.ravel())
    inside = (slice(one.first, one.first + one.n), slice(two.first, two.first + two.n))
    r = np.array(f, dtype=float)[inside]
    for d, end in ((0, 0), (0, 1), (1, 0), (1, 1)):
        if lines[d].data[end] is None or lines[d].data[end][0] == "point":
            continue
        kind, factor = lines[d].data[end]
        other = inside[1 - d]
        given = np.take(f, -end, axis=d)[other] if kind == "u" and not cells else np.asarray(data[d][end])[other]
        edge = (-end, slice(None)) if d == 0 else (slice(None), -end)
        r[edge] -= factor * h[1 - d] * given
    total, size = r.size, r.size + len(points)
    whole, b = np.zeros((size, size)), np.append(r.ravel(), [point[4] for point in points])
    whole[:total, :total] = a
    for k, (row, coupling, weights, diagonal, _) in enumerate(points):
        unknowns = (row % one.n) * two.n + np.arange(two.n)
        whole[unknowns, total + k] = coupling * h[1]
        whole[total + k, unknowns] = weights
        whole[total + k, total + k] = diagonal
    closed = abs(whole.sum(axis=1)).max() < 1e-9 * abs(whole).max()
    u, pertrb = solve_bordered(whole, b, closed)
    out = np.array(f, dtype=float)
    out[inside] = u[:total].reshape(one.n, two.n)
    for d, line in enumerate(lines):
        if line.periodic and not cells:
            out[(-1, slice(None)) if d == 0 else (slice(None), -1)] = np.take(out, 0, axis=d)
    return out, pertrb, closed, u[total:]


def plain(x):
    return np.ones_like(x)


METRICS = {"crt": (plain, plain), "plr": (lambda x: x,) * 2, "cyl": (lambda x: x,) * 2, "ssp": (np.sin, np.sin),
           "csp": (np.sin, np.sin)}


def trapezoid_mean(two, code):
    w = np.ones(two.n)
    if code != 0:
        w[0] = w[-1] = 0.5
    return w / w.sum()


def helmholtz(name, a, b, m, mb, bda, bdb, c, d, n, nb, bdc, bdd, lam, f):
    """The ten drivers in two dimensions."""
    system, cells = name[3:], name[1] == "s"
    centre = system == "csp" and nb >= 5 and not cells
    one = Line(a, b, m, mb, cells, *METRICS[system])
    two = Line(c, d, n, nb, cells, *((np.square,) * 2 if system == "csp" else (plain, plain)))
    h, data, points = [np.ones(one.n), np.ones(two.n)], [(bda, bdb), (bdc, bdd)], []
    with np.errstate(divide="ignore", invalid="ignore"):
        h[0] = 1 / METRICS[system][0](one.at)**2 if system in ("plr", "ssp") else h[0]
        h[1] = 1 / two.at**2 if system == "csp" else h[1]
        divisor = {"cyl": one.at, "csp": np.sin(one.at)}.get(system, np.ones(one.n))
        spread = np.outer(lam / divisor**2 if lam else np.zeros(one.n), h[1] if lam else np.ones(two.n))
    ends = [0] * (ENDS[mb][0] == "-") + [1] * (ENDS[mb][1] == "-") if not cells else []
    for end in ends:  # the row of an axis or a pole
        k, near = (0, 1) if end == 0 else (-1, m - 1)
        flux = 4 / one.h**2
        one.lower[k], one.upper[k], one.diag[k] = flux * (end == 1), flux * (end == 0), -flux
        if system in ("plr", "ssp"):
            rhs = f[k, two.first] - (4 * (bdd[near] - bdc[near]) / (n * two.h * one.h**2) if nb == 3 else 0)
            points.append((end, flux, rhs))
    if system in ("plr", "ssp") and points:
        return with_points(one, two, h, lam, f, data, points, nb)
    if centre:
        return with_centre(one, two, h, f, data, (a, b, c, d, m, n, mb))
    return solve_lines((one, two), h, spread, f, data, cells)[:3]


def with_points(one, two, h, lam, f, data, points, code):
    """The rows at the points leave the first direction, and each becomes one unknown of the whole."""
    rows, last = [], one.n
    for end, flux, rhs in points:
        near = 1 if end == 0 else last - 2
        rows.append((-end, (one.lower if end == 0 else one.upper)[near], flux * trapezoid_mean(two, code),
                     -flux + lam, rhs))
    lows, highs = [end for end, _, _ in points].count(0), [end for end, _, _ in points].count(1)
    keep = slice(lows, last - highs)
    for member in ("at", "lower", "diag", "upper"):
        setattr(one, member, getattr(one, member)[keep].copy())
    one.n, one.first = len(one.at), one.first + lows
    one.lower[0] = one.upper[-1] = 0
    out, pertrb, singular, values = solve_lines((one, two), (h[0][keep], h[1]), np.full((one.n, two.n), lam), f, data,
                                                False, rows)
    for (end, _, _), value in zip(points, values):
        out[-end] = value
    return out, pertrb, singular


def with_centre(one, two, h, f, data, box):
    """The centre is one unknown beside the first radius of every colatitude; the directions change places."""
    a, b, _, _, _, _, mb = box
    w = np.sin(one.at)
    w[0], w[-1] = w[1] * one.lower[1] / one.upper[0], w[-2] * one.upper[-2] / one.lower[-1]
    flux = 6 * one.h / (two.h**2 * (np.cos(a) - np.cos(b)))
    rhs = f[one.first, 0]
    if mb == 3:
        rhs -= flux / (2 * one.h) * (np.sin(b) * data[0][1][1] - np.sin(a) * data[0][0][1])
    coupling = two.lower[1]
    for member in ("at", "lower", "diag", "upper"):
        setattr(two, member, getattr(two, member)[1:].copy())
    two.n, two.first, two.lower[0] = len(two.at), 1, 0
    out, pertrb, singular, values = solve_lines((two, one), (h[1][1:], np.ones(one.n)), np.zeros((two.n, one.n)), f.T,
                                                data[::-1], False, [(0, coupling, flux * w, -flux * w.sum(), rhs)])
    out = out.T.copy()
    out[:, 0] = values[0]
    return out, pertrb, singular


def second_difference(n, code, staggered=False):
    low, high = code in (1, 2), code in (1, 4)
    a = cyclic(np.ones(n), np.full(n, -2.0), np.ones(n), code == 0)
    if code and staggered:
        a[0, 0] += -1 if low else 1
        a[-1, -1] += -1 if high else 1
    elif code:
        a[0, 1] += not low
        a[-1, -2] += not high
    return a


def system(first, second, y):
    """Matrices along the first and the second index."""
    m, n = y.shape
    return np.linalg.solve(np.kron(first, np.eye(n)) + np.kron(np.eye(m), second), y.ravel()).reshape(m, n)


def box(matrices, f):
    x, y, z = (np.eye(n) for n in f.shape)
    whole = (np.kron(np.kron(matrices[0], y), z) + np.kron(np.kron(x, matrices[1]), z)
             + np.kron(np.kron(x, y), matrices[2]))
    return whole, f.ravel()


def hw3crt(box_, lam, data, f):
    """box_: (low, high, panels, code) of each direction."""
    lines = [Line(*b, False, plain, plain) for b in box_]
    inside = tuple(slice(line.first, line.first + line.n) for line in lines)
    r = np.array(f, dtype=float)[inside]
    for d, line in enumerate(lines):
        for end in (0, 1):
            if line.data[end] is None:
                continue
            others = tuple(inside[k] for k in range(3) if k != d)
            given = np.take(f, -end, axis=d)[others] if line.data[end][0] == "u" else data[d][end][others]
            edge = [slice(None)] * 3
            edge[d] = -end
            r[tuple(edge)] -= line.data[end][1] * given
    whole, b = box([line.matrix() for line in lines], r)
    singular = lam == 0 and all(code in (0, 3) for *_, code in box_)
    u, pertrb = solve_bordered(whole + lam * np.eye(len(b)), b, singular)
    out = np.array(f, dtype=float)
    out[inside] = u.reshape(r.shape)
    for d, line in enumerate(lines):
        if line.periodic:
            edge = [slice(None)] * 3
            edge[d] = -1
            out[tuple(edge)] = np.take(out, 0, axis=d)
    return out, pertrb, singular


def differences(n, periodic):
    """h^3 u''' and h^4 u'''' at n + 1 nodes, on one side at the ends."""
    third, fourth = np.zeros((n + 1, n + 1)), np.zeros((n + 1, n + 1))
    for i in range(n + 1):
        if periodic or 2 <= i <= n - 2:
            for k, c3, c4 in zip(range(-2, 3), (-1, 2, 0, -2, 1), (1, -4, 6, -4, 1)):
                at = (i + k) % n if periodic else i + k
                third[i, at] += c3 / 2
                fourth[i, at] += c4
    if not periodic:
        ends = [((-5, 18, -24, 14, -3), (3, -14, 26, -24, 11, -2)), ((-3, 10, -12, 6, -1), (2, -9, 16, -14, 6, -1))]
        for i, (c3, c4) in enumerate(ends):
            third[i, :5], fourth[i, :6] = np.divide(c3, 2), c4
            third[n - i, n - 4:], fourth[n - i, n - 5:] = -np.divide(c3[::-1], 2), c4[::-1]
    return third, fourth


def sepeli(order, sides, coefficients, data, g, usol):
    """sides: (low, high, panels, code, alpha, beta); coefficients: functions of arrays of places."""
    lines, values, robin = [], [], []
    for (low, high, panels, code, alpha, beta), function in zip(sides, coefficients):
        line = Line(low, high, panels, code, False, plain, plain)
        h, x = line.h, low + line.h * np.arange(panels + 1)
        a, b, c = (value * np.ones(panels + 1) for value in function(x))
        keep = slice(line.first, line.first + line.n)
        rows = [a / h**2 - b / (2 * h), -2 * a / h**2 + c, a / h**2 + b / (2 * h)]
        rows = [row[keep].copy() for row in rows]
        if ENDS[code][0] == "N":
            rows[1][0] += 2 * h * alpha * rows[0][0]
        if ENDS[code][1] == "N":
            rows[1][-1] -= 2 * h * beta * rows[2][-1]
        line.take([x[keep], *rows], ENDS[code], False)
        lines.append(line), values.append((a, b)), robin.append((alpha, beta))
    f = np.array(g, dtype=float)
    for d, (*_, code, _, _) in enumerate(sides):
        for end in (0, 1):
            if ENDS[code][end] == "D":
                edge = (-end, slice(None)) if d == 0 else (slice(None), -end)
                f[edge] = usol[edge]
    h, zero = [np.ones(lines[0].n), np.ones(lines[1].n)], np.zeros((lines[0].n, lines[1].n))
    u, pertrb, singular, _ = solve_lines(lines, h, zero, f, data, False)
    if order == 2:
        return u, pertrb, singular
    f = f.copy()
    inside = tuple(slice(line.first, line.first + line.n) for line in lines)
    for d, line in enumerate(lines):
        third, fourth = differences(sides[d][2], line.periodic)
        u3, u4 = (np.moveaxis(np.tensordot(x, u, (1, d)), 0, d) / line.h for x in (third, fourth / line.h))
        shape = (-1, 1) if d == 0 else (1, -1)
        a, b = (value.reshape(shape) for value in values[d])
        term = a * u4 / 12 + b * u3 / 6
        for end in (0, 1):
            if not line.periodic:
                edge = (-end, slice(None)) if d == 0 else (slice(None), -end)
                wall = a / 3 * (u4 / 4 + (1, -1)[end] * u3 / line.h)
                term[edge] = wall[edge]
        f[inside] += term[inside]
    return solve_lines(lines, h, zero, f, data, False)[:3]

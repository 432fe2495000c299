# SPDX-License-Identifier: LGPL-2.1-or-later
"""Adjoints of plans. The inverse M of a matrix A has the adjoint M' = W N W^-1 with a diagonal W of weights, where N is
the inverse of B = W^-1 A' W.

Where W is the volumes of unknowns, W A is symmetric, so that B is A and N the plan itself: finite volumes and second
differences of any grid. Tridiagonal rows have such weights where their couplings make a product that is the same both
ways around. Else N is a second plan, of the rows of B: `lower` and `upper` change places. Of singular rows the weights
are then the left null vector, so that rows of B sum to zero as those of A do, and means are weighted alike.
"""
from typing import Any, Optional, Sequence, Tuple

import numpy

from ._checks import argument_error
from ._library import C

_MOST_SPREAD = 1e6  # of weights: beyond that a second plan keeps more digits
_ROUNDING = 1e-12


def volumes(widths: Any, ends: Sequence[int], nodes: bool) -> Any:
    """Control volumes of a direction's unknowns from the widths of cells, or between nodes; Dirichlet's nodes are no
    unknowns."""
    if not nodes:
        return numpy.asarray(widths, dtype=float)
    if ends[0] == C["STARFISH_PERIODIC"]:
        return (numpy.roll(widths, 1) + widths) / 2
    both = (numpy.append(0, widths) + numpy.append(widths, 0)) / 2
    return both[int(ends[0] == C["STARFISH_DIRICHLET"]):len(both) - int(ends[1] == C["STARFISH_DIRICHLET"])]


def _chain(up: Any, down: Any) -> Optional[Any]:
    """Weights that make a chain symmetric: up[k] couples k to k + 1, down[k] back. None: one of the two is zero."""
    coupled = (up != 0) & (down != 0)
    if ((up != 0) != coupled).any() or ((down != 0) != coupled).any():
        return None
    with numpy.errstate(all="ignore"):
        weights = numpy.cumprod(numpy.append(1, numpy.where(coupled, up / numpy.where(coupled, down, 1), 1)))
    return weights if numpy.isfinite(weights).all() and (weights != 0).all() else None


def _ring(lower: Any, upper: Any) -> Any:
    """The left null vector of a ring whose rows sum to zero, by elimination without a subtraction (Grassmann, Taksar
    and Heyman 1985)."""
    n, home, from_home = len(lower), upper[-1], lower[0]
    p, q, weights = [0.0] * n, [0.0] * n, [1.0] * n
    for k in range(n - 1, 0, -1):  # row k, coupled to k - 1 and to row 0 by now, is eliminated
        pivot = lower[k] + home
        p[k], q[k] = upper[k - 1] / pivot, from_home / pivot
        home, from_home = home * p[k], q[k] * lower[k]
    for k in range(1, n):
        weights[k] = weights[k - 1] * p[k] + q[k]
    return numpy.array(weights)


def of_rows(rows: dict, singular: bool) -> Tuple[Any, Optional[dict]]:
    """Weights of a tridiagonal matrix, {"lower": ..., "diag": ..., "upper": ..., "periodic": ...}, and the rows of B;
    None where they are the same."""
    lower, diag, upper = (rows[name] for name in ("lower", "diag", "upper"))
    weights, periodic = _chain(upper[:-1], lower[1:]), bool(rows.get("periodic", False))
    if weights is None and singular:
        raise argument_error("plan", "has no adjoint: it is singular, and has rows that are coupled one way")
    if weights is not None:
        ends, sizes = (weights[-1] * upper[-1], weights[0] * lower[0]), numpy.abs(weights)
        closed = not periodic or abs(ends[0] - ends[1]) <= _ROUNDING * (abs(ends[0]) + abs(ends[1]))
        if closed and (singular or sizes.max() <= _MOST_SPREAD * sizes.min()):
            return weights, None
    weights = _ring(lower, upper) if singular else numpy.ones(len(diag))
    below, above = numpy.roll(weights * upper, 1) / weights, numpy.roll(weights * lower, -1) / weights
    return weights, {"lower": below, "diag": -(below + above) if singular else diag, "upper": above,
                     "periodic": periodic}


def product(weights: Sequence) -> Any:
    """Weights of unknowns from those of each direction, x first."""
    result = numpy.ones(())
    for of_direction in weights:
        result = numpy.multiply.outer(of_direction, result)
    return result


def solve(plan: Any, y: Any) -> Any:
    """M' y, of the plan's shape; in complex numbers the conjugate transpose."""
    adjoint, weights = plan.adjoint()
    if weights is None:
        return adjoint.solve(y)
    return numpy.conj(weights * adjoint.solve((numpy.conj(y) / weights).astype(y.dtype))).astype(y.dtype)

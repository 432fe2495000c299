# SPDX-License-Identifier: LGPL-2.1-or-later
"""Starfish from Python: elliptic problems on CPU+GPU nodes (../../docs/python.md).

    import numpy as np
    import pystarfish as sf
    u = sf.solve(np.ones((64, 64, 64)), bc={"x": "periodic", "y": "neumann", "z": "dirichlet"}, grid={"y": "cell"})
"""
from . import fishpack
from ._abi import VERSION as _VERSION
from ._arrays import DeviceArray
from ._context import Context, default_context
from ._families import AtmospherePlan, DiffusionPlan, Mesh, FemPlan, Q1Plan, StencilPlan, TridiagonalPlan
from ._library import (ArgumentError, FileError, NotSymmetrizableError, NumericalError, OutOfMemoryError,
                       RuntimeFailure, SingularError, StarfishError, UnsupportedError)
from ._options import describe as options
from ._plan import Job
from ._coordinates import CoordinatesPlan
from ._poisson import LinearOperator, Plan, Plan2D
from ._solve import solve
from ._problems import plan

__version__ = ".".join(str(n) for n in _VERSION)
__all__ = ["ArgumentError", "AtmospherePlan", "Context", "CoordinatesPlan", "DeviceArray", "DiffusionPlan",
           "FemPlan", "FileError", "Job", "LinearOperator", "Mesh", "NotSymmetrizableError", "NumericalError",
           "OutOfMemoryError", "Plan", "Plan2D", "Q1Plan", "RuntimeFailure", "SingularError", "StarfishError",
           "StencilPlan", "TridiagonalPlan", "UnsupportedError", "default_context", "fishpack", "options", "plan",
           "solve"]

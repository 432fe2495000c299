# SPDX-License-Identifier: LGPL-2.1-or-later
"""Generators of bindings: what python/make-bindings writes for Fortran, Python, the linker and the reference."""

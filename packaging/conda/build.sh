#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Not run by us yet: there was no conda to run it with.
# What conda build runs, in the sources: StarPU, Starfish, pystarfish.
set -eu
scheduler/starpu/build native
cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$PREFIX" -DCMAKE_INSTALL_LIBDIR=lib \
    -DSTARFISH_CUDA=OFF -DSTARFISH_TESTS=OFF -DSTARFISH_BENCHMARKS=OFF
cmake --build build --parallel "${CPU_COUNT:-1}"
cmake --install build
STARFISH_PREFIX=$PREFIX python -m pip install --no-deps --no-index --no-build-isolation ./python

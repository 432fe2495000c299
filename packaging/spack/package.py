# SPDX-License-Identifier: LGPL-2.1-or-later
# Not run by us yet: there was no Spack to run it with.
"""Spack's recipe of Starfish: spack repo create starfish-repo, this file as packages/starfish/package.py there."""
from spack.package import *


class Starfish(CMakePackage, CudaPackage):
    """Elliptic problems on CPU+GPU nodes: every operation is a StarPU task."""

    homepage = "https://example.org/starfish"
    url = "https://example.org/starfish/starfish-0.1.0.tar.gz"
    git = "https://example.org/starfish.git"
    license("LGPL-2.1-or-later")

    version("main", branch="main")

    variant("mpi", default=True, description="The library of contexts on communicators")
    variant("program", default=True, description="The program starfish")
    variant("python", default=False, description="The Python package pystarfish")

    depends_on("c", type="build")
    depends_on("cxx", type="build", when="+cuda")
    depends_on("fortran", type="build")
    depends_on("cmake@3.22:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.9:", type="build")
    depends_on("starpu@1.4: +cuda", when="+cuda")
    depends_on("starpu@1.4: ~cuda", when="~cuda")
    depends_on("starpu@1.4: +mpi", when="+mpi")
    depends_on("mpi", when="+mpi")
    depends_on("hwloc@2:")
    depends_on("fftw@3: precision=float,double")
    depends_on("openblas")
    depends_on("netlib-lapack+lapacke")
    with when("+program"):
        depends_on("hdf5@1.10: +hl ~mpi")
        depends_on("jansson")
        depends_on("cairo +png +pdf +svg")
    with when("+python"):
        extends("python@3.9:")
        depends_on("py-pip", type="build")
        depends_on("py-setuptools@77:", type="build")
        depends_on("py-numpy", type="run")

    def cmake_args(self):
        """What CMake is told; StarPU is Spack's."""
        arguments = [
            self.define("STARFISH_CUDA", "ON" if self.spec.satisfies("+cuda") else "OFF"),
            self.define_from_variant("STARFISH_PROGRAM", "program"),
            self.define("STARFISH_INSTALL_STARPU", False),
            self.define("STARFISH_TESTS", False),
            self.define("STARFISH_BENCHMARKS", False),
        ]
        if self.spec.satisfies("+cuda"):
            arguments.append(self.define("CMAKE_CUDA_ARCHITECTURES", self.spec.variants["cuda_arch"].value))
        return arguments

    @run_after("install", when="+python")
    def install_python(self):
        """pystarfish beside the library that has just been installed."""
        with working_dir("python"):
            python("-m", "pip", "install", "--no-deps", "--no-index", "--no-build-isolation",
                   f"--prefix={self.prefix}", ".", extra_env={"STARFISH_PREFIX": self.prefix})

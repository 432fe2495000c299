# SPDX-License-Identifier: LGPL-2.1-or-later
# Libraries that the house stands on. Each becomes an imported target, with its headers as system headers.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS C)

set(STARFISH_OWN_STARPU "${PROJECT_SOURCE_DIR}/.deps/starpu" CACHE PATH
    "Prefix of the StarPU to build with, where it is there; else the one that pkg-config finds")
if(EXISTS "${STARFISH_OWN_STARPU}/lib/pkgconfig" AND NOT DEFINED ENV{STARFISH_SYSTEM_STARPU})
    set(ENV{PKG_CONFIG_PATH} "${STARFISH_OWN_STARPU}/lib/pkgconfig:$ENV{PKG_CONFIG_PATH}")
    set(starfish_own_starpu ON)
else()
    set(starfish_own_starpu OFF)
endif()
option(STARFISH_INSTALL_STARPU "Install StarPU with Starfish, in a folder of its own below the libraries; else the\
 installed Starfish uses the StarPU that it was built with where that is" ${starfish_own_starpu})
pkg_search_module(STARPU IMPORTED_TARGET starpu-1.4 starpu-1.3)
pkg_check_modules(HWLOC IMPORTED_TARGET hwloc)
pkg_check_modules(FFTW IMPORTED_TARGET fftw3)
pkg_check_modules(FFTWF IMPORTED_TARGET fftw3f)
pkg_check_modules(OPENBLAS IMPORTED_TARGET openblas)
pkg_check_modules(LAPACKE IMPORTED_TARGET lapacke)
set(starfish_missing "")
foreach(needed STARPU HWLOC FFTW FFTWF OPENBLAS LAPACKE)
    if(NOT ${needed}_FOUND)
        string(APPEND starfish_missing " ${needed}")
    endif()
endforeach()
if(starfish_missing)
    message(FATAL_ERROR "Starfish needs libraries that pkg-config does not find:${starfish_missing}.\n"
        "  ${PROJECT_SOURCE_DIR}/bootstrap deps --run  # installs the packages that are missing, or names them\n"
        "  ${PROJECT_SOURCE_DIR}/scheduler/starpu/build  # builds StarPU for Starfish, in a minute or two\n"
        "Or add the folders with the .pc files of installed ones to PKG_CONFIG_PATH.")
endif()
if(STARFISH_PROGRAM)
    pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
    pkg_check_modules(CAIRO REQUIRED IMPORTED_TARGET cairo cairo-svg cairo-pdf)
    pkg_check_modules(PNG REQUIRED IMPORTED_TARGET libpng) # tests read pictures with it
    pkg_search_module(HDF5 REQUIRED IMPORTED_TARGET hdf5 hdf5-serial)
    find_library(HDF5_HL NAMES hdf5_hl hdf5_serial_hl HINTS ${HDF5_LIBRARY_DIRS} REQUIRED)
endif()

include(CheckSymbolExists)
# StarPU may have been built without CUDA even where nvcc is present.
set(CMAKE_REQUIRED_INCLUDES ${STARPU_INCLUDE_DIRS})
check_symbol_exists(STARPU_USE_CUDA "starpu_config.h" STARFISH_STARPU_HAS_CUDA)
unset(CMAKE_REQUIRED_INCLUDES)

if(STARFISH_HAVE_CUDA)
    find_package(CUDAToolkit REQUIRED)
    # nvcc finds its libraries by itself, so CMake leaves their folder out; the dynamic linker need not know it.
    get_target_property(cudart CUDA::cudart IMPORTED_LOCATION)
    get_filename_component(cuda_libraries "${cudart}" DIRECTORY)
    list(APPEND CMAKE_BUILD_RPATH "${cuda_libraries}")
    list(APPEND CMAKE_INSTALL_RPATH "${cuda_libraries}")
endif()

# All but StarPU, which a simulated program has another of.
add_library(starfish_libraries INTERFACE)
foreach(dependency HWLOC FFTW FFTWF OPENBLAS LAPACKE)
    target_include_directories(starfish_libraries SYSTEM INTERFACE ${${dependency}_INCLUDE_DIRS})
    target_link_libraries(starfish_libraries INTERFACE PkgConfig::${dependency})
endforeach()
target_link_libraries(starfish_libraries INTERFACE OpenMP::OpenMP_C Threads::Threads m)
if(STARFISH_HAVE_CUDA)
    target_include_directories(starfish_libraries SYSTEM INTERFACE ${CUDAToolkit_INCLUDE_DIRS})
    target_link_libraries(starfish_libraries INTERFACE CUDA::cudart CUDA::cufft CUDA::cublas)
endif()

# The program's own: files and pictures.
if(STARFISH_PROGRAM)
    add_library(starfish_program_libraries INTERFACE)
    foreach(dependency JANSSON CAIRO HDF5)
        target_include_directories(starfish_program_libraries SYSTEM INTERFACE ${${dependency}_INCLUDE_DIRS})
        target_link_libraries(starfish_program_libraries INTERFACE PkgConfig::${dependency})
    endforeach()
    target_link_libraries(starfish_program_libraries INTERFACE "${HDF5_HL}")
endif()

add_library(starfish_dependencies INTERFACE)
target_include_directories(starfish_dependencies SYSTEM INTERFACE ${STARPU_INCLUDE_DIRS})
target_link_libraries(starfish_dependencies INTERFACE PkgConfig::STARPU starfish_libraries)
if(STARFISH_HAVE_CUDA)
    target_compile_definitions(starfish_dependencies INTERFACE STARFISH_CUDA=1)
endif()

# The same by name, for those who link the static library.
set(starfish_static_needs ${STARPU_LIBRARIES} hwloc fftw3 fftw3f openblas lapacke gomp pthread m)
if(STARFISH_HAVE_CUDA)
    list(APPEND starfish_static_needs cudart cufft cublas stdc++)
endif()

# MPI and StarPU-MPI, for the library beside ours that knows them.
set(STARFISH_HAVE_MPI FALSE)
if(STARFISH_MPI)
    find_package(MPI QUIET COMPONENTS C)
    pkg_search_module(STARPUMPI QUIET IMPORTED_TARGET starpumpi-1.4)
endif()
if(STARFISH_MPI AND MPI_C_FOUND AND STARPUMPI_FOUND)
    set(STARFISH_HAVE_MPI TRUE)
    add_library(starfish_mpi_dependencies INTERFACE)
    target_include_directories(starfish_mpi_dependencies SYSTEM INTERFACE
        ${STARPUMPI_INCLUDE_DIRS} ${MPI_C_INCLUDE_DIRS} ${HWLOC_INCLUDE_DIRS})
    target_link_libraries(starfish_mpi_dependencies INTERFACE PkgConfig::STARPUMPI PkgConfig::HWLOC)
elseif(STARFISH_MPI)
    message(STATUS "MPI or StarPU-MPI is missing: no libstarfish_mpi")
endif()

# StarPU for simulated machines, beside the real one. The sanitizers do not know how SimGrid switches its threads.
set(STARFISH_SIMGRID_STARPU "" CACHE PATH
    "Prefix of a StarPU for SimGrid; empty: .deps/starpu-simgrid, where it is there")
set(STARFISH_SIMULATION FALSE)
set(simgrid_starpu "${STARFISH_SIMGRID_STARPU}")
if(NOT simgrid_starpu AND EXISTS "${PROJECT_SOURCE_DIR}/.deps/starpu-simgrid/lib/pkgconfig")
    set(simgrid_starpu "${PROJECT_SOURCE_DIR}/.deps/starpu-simgrid")
endif()
if(simgrid_starpu AND STARFISH_PROGRAM AND NOT STARFISH_SANITIZE)
    set(real_pkg_config_path "$ENV{PKG_CONFIG_PATH}")
    set(ENV{PKG_CONFIG_PATH} "${simgrid_starpu}/lib/pkgconfig:${real_pkg_config_path}")
    pkg_check_modules(STARPU_SIMGRID REQUIRED IMPORTED_TARGET starpu-1.4)
    set(ENV{PKG_CONFIG_PATH} "${real_pkg_config_path}")
    add_library(starfish_simulated_dependencies INTERFACE)
    target_include_directories(starfish_simulated_dependencies SYSTEM INTERFACE ${STARPU_SIMGRID_INCLUDE_DIRS})
    target_link_libraries(starfish_simulated_dependencies INTERFACE PkgConfig::STARPU_SIMGRID starfish_libraries)
    set(STARFISH_SIMULATION TRUE)
endif()

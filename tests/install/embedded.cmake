# SPDX-License-Identifier: LGPL-2.1-or-later
# A host project with Starfish's sources in a folder of its own (FetchContent, add_subdirectory): it has the library, and
# neither our tests nor our program, and its own targets, folders and settings stay as they are.
include("${CMAKE_CURRENT_LIST_DIR}/run.cmake")

file(REMOVE_RECURSE "${SCRATCH}")
set(ENV{STARFISH_REUSE} "${BUILD}")
set(ENV{CUDAARCHS} "${CUDA_ARCHITECTURES}")
# Where libraries are missing, as StarPU beside a fresh clone, the error names them and the commands that get them.
execute_process(COMMAND ${CMAKE_COMMAND} -E env PKG_CONFIG_LIBDIR=${SCRATCH} PKG_CONFIG_PATH= ${CMAKE_COMMAND}
    -S "${CMAKE_CURRENT_LIST_DIR}/host" -B "${SCRATCH}/missing" -G "${GENERATOR}" -DSTARFISH=${SOURCE}
    -DCMAKE_C_COMPILER=${COMPILER} -DPROGRAM=${PROGRAM} -DSTARFISH_CUDA=OFF -DSTARFISH_OWN_STARPU=${SCRATCH}/none
    RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE said)
string(REGEX REPLACE "[ \n]+" " " said "${said}")
foreach(wanted "does not find: STARPU HWLOC FFTW" "${SOURCE}/bootstrap deps --run" "${SOURCE}/scheduler/starpu/build")
    string(FIND "${said}" "${wanted}" place)
    if(NOT status OR place LESS 0)
        message(FATAL_ERROR "without StarPU there is no '${wanted}' but\n${said}")
    endif()
endforeach()
run("${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}/host" -B "${SCRATCH}" -G "${GENERATOR}" -DSTARFISH=${SOURCE}
    -DCMAKE_C_COMPILER=${COMPILER} -DPROGRAM=${PROGRAM} -DSTARFISH_CUDA=${CUDA}
    -DCMAKE_CUDA_COMPILER=${CUDA_COMPILER} -DCMAKE_C_COMPILER_LAUNCHER=${CMAKE_CURRENT_LIST_DIR}/reuse
    -DCMAKE_CUDA_COMPILER_LAUNCHER=${CMAKE_CURRENT_LIST_DIR}/reuse)
run("${CMAKE_COMMAND}" --build "${SCRATCH}" --parallel)
run_program("${SCRATCH}/starfish-tests")
foreach(unwanted bin lib starfish/bin/starfish starfish/lib/libstarfish_internal.a)
    if(EXISTS "${SCRATCH}/${unwanted}")
        message(FATAL_ERROR "${unwanted} is there")
    endif()
endforeach()
run("${CMAKE_CTEST_COMMAND}" --test-dir "${SCRATCH}" -N)
if(NOT output MATCHES "Total Tests: 1\n")
    message(FATAL_ERROR "the host project has one test:\n${output}")
endif()
run("${CMAKE_COMMAND}" --install "${SCRATCH}" --prefix "${SCRATCH}/prefix")
file(GLOB installed LIST_DIRECTORIES TRUE "${SCRATCH}/prefix/*")
if(installed)
    message(FATAL_ERROR "the host project installs nothing, but there is ${installed}")
endif()

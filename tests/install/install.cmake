# SPDX-License-Identifier: LGPL-2.1-or-later
# What a user does with an installed Starfish that has been moved: find it, build a program in each language, run it.
include("${CMAKE_CURRENT_LIST_DIR}/run.cmake")

file(REMOVE_RECURSE "${SCRATCH}")
set(prefix "${SCRATCH}/moved")
run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${SCRATCH}/installed")
file(RENAME "${SCRATCH}/installed" "${prefix}")

# ---- nothing in it leads out of it

file(GLOB_RECURSE texts "${prefix}/*.cmake" "${prefix}/*.pc")
foreach(text ${texts})
    file(READ "${text}" contents)
    # Whole words: the sources may lie in /starfish, which is also the end of include/starfish.
    string(REGEX MATCHALL "[^][()<>\"'\n;:=, ]+" words "${contents}")
    string(REPLACE ";" "/;" words ";${words};")
    string(REGEX REPLACE ";-[IL]" ";" words "${words}")
    foreach(elsewhere "${BUILD}" "${SOURCE}" "${SCRATCH}")
        string(FIND "${words}" ";${elsewhere}/" found)
        if(NOT found EQUAL -1)
            message(FATAL_ERROR "${text} names ${elsewhere}")
        endif()
    endforeach()
endforeach()
run(python3 -B "${CMAKE_CURRENT_LIST_DIR}/binaries.py" ${FORTIFIED} --elsewhere "${BUILD}" --elsewhere "${SOURCE}"
    --elsewhere "${SCRATCH}" "${prefix}")

# ---- the libraries show our functions and nothing else

file(GLOB libraries "${prefix}/${LIBDIR}/libstarfish*.so")
foreach(library ${libraries})
    run(nm -D --defined-only "${library}")
    # A resolver chooses among versions of a function by the processor.
    set(ours "starfish_[a-z0-9_]+@@STARFISH_[A-Z0-9]+|starfish_[a-z0-9_]+.resolver@@STARFISH_PRIVATE|STARFISH_[A-Z0-9]+")
    string(REGEX REPLACE "[^\n]* (${ours})\n" "" others "${output}")
    if(library MATCHES "fishpack") # FISHPACK's names alone
        string(REGEX REPLACE "[^\n]* [a-z0-9]+_\n" "" others "${others}")
    endif()
    if(others)
        message(FATAL_ERROR "${library} shows\n${others}")
    endif()
endforeach()

# ---- the program

run("${prefix}/bin/starfish" --version)
if(POLICIES AND NOT EXISTS "${prefix}/${LIBDIR}/starfish-policies.so")
    message(FATAL_ERROR "the plug-in with policies is not installed")
endif()
run("${prefix}/bin/starfish" machine list)
foreach(page man/man1/starfish.1 man/man1/starfish-sched.1)
    file(SIZE "${prefix}/share/${page}" size)
    if(size LESS 1000)
        message(FATAL_ERROR "share/${page} has ${size} bytes")
    endif()
endforeach()
file(READ "${prefix}/share/bash-completion/completions/starfish" completion)
if(NOT completion MATCHES "complete [^\n]* starfish\n")
    message(FATAL_ERROR "bash has no completion:\n${completion}")
endif()
if(NOT output MATCHES "h200-16c")
    message(FATAL_ERROR "the recorded machines are not installed:\n${output}")
endif()
if(SIMULATION)
    run("${prefix}/bin/starfish" sched "${PROBLEM}" --simulate h200-16c --policies dmdas --repeat 1)
endif()

# ---- programs by CMake, in C, C++ and Fortran, against the shared and the static library

run("${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}/outside" -B "${SCRATCH}/cmake" -G "${GENERATOR}"
    -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_C_COMPILER=${COMPILER} -DFORTRAN=${FORTRAN} -DCXX=${CXX}
    -DEXAMPLES=${EXAMPLES})
run("${CMAKE_COMMAND}" --build "${SCRATCH}/cmake")
foreach(program first first_static first_cxx first_fortran)
    if(EXISTS "${SCRATCH}/cmake/${program}")
        run_program("${SCRATCH}/cmake/${program}")
    elseif(program STREQUAL "first" OR (program STREQUAL "first_fortran" AND FORTRAN))
        message(FATAL_ERROR "${program} was not built")
    endif()
endforeach()

# ---- and by pkg-config

set(ENV{PKG_CONFIG_PATH} "${prefix}/${LIBDIR}/pkgconfig")
run("${PKG_CONFIG}" --cflags --libs starfish)
run("${PKG_CONFIG}" --static --libs starfish)
if(NOT output MATCHES "-lstarpu")
    message(FATAL_ERROR "a static program needs more than ${output}")
endif()

# ---- Python, in a fresh virtual environment, whose pip is the system's

if(PYTHON)
    execute_process(COMMAND ${PYTHON} -c "import setuptools, wheel, pip" RESULT_VARIABLE no_pip ERROR_QUIET)
    execute_process(COMMAND ${PYTHON} -m venv --without-pip --system-site-packages "${SCRATCH}/venv"
        RESULT_VARIABLE no_venv OUTPUT_QUIET ERROR_QUIET)
    if(NOT no_pip AND NOT no_venv)
        # pip writes beside what it builds.
        file(COPY "${SOURCE}/python" DESTINATION "${SCRATCH}" PATTERN __pycache__ EXCLUDE)
        run(${PYTHON} -m pip --disable-pip-version-check --python "${SCRATCH}/venv/bin/python" install -q --no-index
            --no-build-isolation "${SCRATCH}/python")
        file(REMOVE_RECURSE "${SCRATCH}/python")
        run_program("${SCRATCH}/venv/bin/python" "${EXAMPLES}/first/first.py")
        run(${PYTHON} -B "${CMAKE_CURRENT_LIST_DIR}/place.py" "${SOURCE}" "${prefix}" "${SCRATCH}/place")
    else()
        message("Python has no venv or pip: left out")
    endif()
endif()

# ---- what the pages tell to type

if(EXISTS "${SCRATCH}/venv/bin/python")
    set(with_python "${SCRATCH}/venv/bin/python")
endif()
run(python3 -B "${CMAKE_CURRENT_LIST_DIR}/typed.py" "${SOURCE}" "${prefix}" "${LIBDIR}" "${SCRATCH}/typed"
    ${with_python})

# ---- a part of it into DESTDIR, and out again

set(ENV{DESTDIR} "${SCRATCH}/staged")
run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix /opt/starfish --component development)
if(NOT EXISTS "${SCRATCH}/staged/opt/starfish/include/starfish/starfish.h"
   OR EXISTS "${SCRATCH}/staged/opt/starfish/bin/starfish")
    message(FATAL_ERROR "DESTDIR or the component is not heeded")
endif()
file(GLOB manifests "${BUILD}/install_manifest*.txt")
file(REMOVE "${BUILD}/install_manifest.txt") # of the first installation, which was moved
run("${CMAKE_COMMAND}" -DBUILD=${BUILD} -P "${SOURCE}/base/cmake/StarfishUninstall.cmake")
file(GLOB_RECURSE left "${SCRATCH}/staged/*")
if(left)
    message(FATAL_ERROR "the removal leaves ${left}")
endif()

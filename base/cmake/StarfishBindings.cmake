# SPDX-License-Identifier: LGPL-2.1-or-later
# What is written from the public headers (python/make-bindings) into the source tree: the linker's lists of symbols,
# Fortran's declarations, Python's table of the interface, the reference. Configuring writes what is missing or not
# current, and a build configures again after a change of what they are made from, or where one of them is gone.
find_package(Python3 3.7 QUIET COMPONENTS Interpreter)
if(NOT Python3_Interpreter_FOUND)
    message(FATAL_ERROR "Starfish needs Python 3.7 or newer to be built: python/make-bindings writes the linker's lists"
        " of symbols from the headers. Install python3, or name it by -DPython3_EXECUTABLE=FILE")
endif()
set(starfish_bindings_command "${Python3_EXECUTABLE}" -B "${PROJECT_SOURCE_DIR}/python/make-bindings")
foreach(options "" --list)
    execute_process(COMMAND ${starfish_bindings_command} ${options} RESULT_VARIABLE status OUTPUT_VARIABLE written
        ERROR_VARIABLE said)
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "${said}")
    endif()
endforeach()
string(STRIP "${written}" written)
string(REPLACE "\n" ";" written "${written}")
file(GLOB sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/include/starfish/*.h"
    "${PROJECT_SOURCE_DIR}/python/bindings/*.py")
set_property(DIRECTORY "${PROJECT_SOURCE_DIR}" APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${sources} ${written}
    "${PROJECT_SOURCE_DIR}/python/make-bindings" "${PROJECT_SOURCE_DIR}/scheduler/ranks.h"
    "${PROJECT_SOURCE_DIR}/mpi/transport.h")

# What a user does with an installed Starfish: find it, build a program, run it.
include("${CMAKE_CURRENT_LIST_DIR}/run.cmake")

file(REMOVE_RECURSE "${SCRATCH}")
set(prefix "${SCRATCH}/prefix")
run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${prefix}")
run("${prefix}/bin/starfish" --version)
if(POLICIES AND NOT EXISTS "${prefix}/${LIBDIR}/starfish-policies.so")
    message(FATAL_ERROR "the plug-in with policies is not installed")
endif()
run("${prefix}/bin/starfish" machine list)
if(NOT output MATCHES "h200-16c")
    message(FATAL_ERROR "the recorded machines are not installed:\n${output}")
endif()
if(SIMULATION)
    run("${prefix}/bin/starfish" sched "${PROBLEM}" --simulate h200-16c --policies dmdas --repeat 1)
endif()

run("${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}/outside" -B "${SCRATCH}/cmake" -G "${GENERATOR}"
    -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_C_COMPILER=${COMPILER} -DCMAKE_C_FLAGS=${FLAGS} -DPROGRAM=${PROGRAM})
run("${CMAKE_COMMAND}" --build "${SCRATCH}/cmake")
run_program("${SCRATCH}/cmake/first")

set(ENV{PKG_CONFIG_PATH} "${prefix}/${LIBDIR}/pkgconfig")
run("${PKG_CONFIG}" --cflags --libs starfish)
separate_arguments(flags UNIX_COMMAND "${output}")
run("${COMPILER}" ${FLAGS} "${PROGRAM}" ${flags} "-Wl,-rpath,${prefix}/${LIBDIR}" -o "${SCRATCH}/first")
run_program("${SCRATCH}/first")

if(FORTRAN)
    # The module's file for the compiler goes where it is started.
    execute_process(COMMAND "${FORTRAN}" ${FLAGS} "${prefix}/include/starfish/fishpack.f90" "${FORTRAN_PROGRAM}" ${flags}
        "-Wl,-rpath,${prefix}/${LIBDIR}" -o "${SCRATCH}/fortran" WORKING_DIRECTORY "${SCRATCH}" COMMAND_ERROR_IS_FATAL ANY)
    run("${SCRATCH}/fortran")
endif()

# SPDX-License-Identifier: LGPL-2.1-or-later
# Running programs in scripts of CMake: what fails ends the script.
function(run)
    execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(status)
        message(FATAL_ERROR "${ARGN}\nended with ${status}\n${output}")
    endif()
    set(output "${output}" PARENT_SCOPE)
endfunction()

function(run_program program)
    run("${program}" ${ARGN})
    if(NOT output MATCHES "potential a quarter of the box away: 0\\.17")
        message(FATAL_ERROR "${program} says\n${output}")
    endif()
endfunction()

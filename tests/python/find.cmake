# SPDX-License-Identifier: LGPL-2.1-or-later
# starfish_python: a Python that has NumPy, the first one, or the system's; else empty.
set(STARFISH_PYTHON "" CACHE STRING "A Python that has NumPy, for tests")
foreach(python ${STARFISH_PYTHON} python3 /usr/bin/python3)
    execute_process(COMMAND ${python} -c "import numpy" RESULT_VARIABLE no_numpy OUTPUT_QUIET ERROR_QUIET)
    if(no_numpy EQUAL 0)
        set(starfish_python ${python})
        break()
    endif()
endforeach()

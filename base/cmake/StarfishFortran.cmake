# SPDX-License-Identifier: LGPL-2.1-or-later
# Starfish::fortran, the Fortran modules starfish and starfish_fishpack, and with MPI Starfish::fortran_mpi, the module
# starfish_mpi (docs/fortran.md): compiled by the compiler of the project that uses them, since a module file is one
# compiler's own. starfish_modules: the folder of the sources.

# starfish_fortran_modules(NAME LIBRARY SOURCE...): Starfish::NAME, modules that come with a library.
function(starfish_fortran_modules name library)
    list(TRANSFORM ARGN PREPEND "${starfish_modules}/" OUTPUT_VARIABLE sources)
    add_library(starfish_${name}_objects OBJECT EXCLUDE_FROM_ALL ${sources})
    set_target_properties(starfish_${name}_objects PROPERTIES POSITION_INDEPENDENT_CODE ON
        Fortran_MODULE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/starfish-modules")
    target_include_directories(starfish_${name}_objects PRIVATE "${starfish_modules}"
        INTERFACE "${CMAKE_CURRENT_BINARY_DIR}/starfish-modules")
    target_link_libraries(starfish_${name}_objects PUBLIC ${library})
    add_library(starfish_${name} INTERFACE)
    target_sources(starfish_${name} INTERFACE $<TARGET_OBJECTS:starfish_${name}_objects>)
    target_link_libraries(starfish_${name} INTERFACE starfish_${name}_objects)
    add_library(Starfish::${name} ALIAS starfish_${name})
endfunction()

if(NOT TARGET Starfish::fortran)
    starfish_fortran_modules(fortran Starfish::starfish starfish.f90 fishpack.f90)
    if(TARGET Starfish::starfish_mpi)
        starfish_fortran_modules(fortran_mpi Starfish::starfish_mpi starfish_mpi.f90)
        target_link_libraries(starfish_fortran_mpi_objects PUBLIC starfish_fortran_objects)
        # CMake knows of no dependence on modules of another library of objects.
        file(GLOB declarations "${starfish_modules}/fortran/*.inc")
        set_source_files_properties("${starfish_modules}/starfish_mpi.f90" PROPERTIES OBJECT_DEPENDS
            "${declarations}")
        add_dependencies(starfish_fortran_mpi_objects starfish_fortran_objects)
        target_link_libraries(starfish_fortran_mpi INTERFACE Starfish::fortran)
    endif()
endif()

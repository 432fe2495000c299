# Starfish::fortran, the Fortran modules starfish and starfish_fishpack (docs/fortran.md), compiled by the compiler of
# the project that uses them, since a module file is one compiler's own. starfish_modules: the folder of the sources.
if(NOT TARGET Starfish::fortran)
    add_library(starfish_fortran_objects OBJECT EXCLUDE_FROM_ALL
        "${starfish_modules}/starfish.f90" "${starfish_modules}/fishpack.f90")
    set_target_properties(starfish_fortran_objects PROPERTIES POSITION_INDEPENDENT_CODE ON
        Fortran_MODULE_DIRECTORY "${CMAKE_CURRENT_BINARY_DIR}/starfish-modules")
    target_include_directories(starfish_fortran_objects PRIVATE "${starfish_modules}"
        INTERFACE "${CMAKE_CURRENT_BINARY_DIR}/starfish-modules")
    target_link_libraries(starfish_fortran_objects PUBLIC Starfish::starfish)
    add_library(starfish_fortran INTERFACE)
    target_sources(starfish_fortran INTERFACE $<TARGET_OBJECTS:starfish_fortran_objects>)
    target_link_libraries(starfish_fortran INTERFACE starfish_fortran_objects)
    add_library(Starfish::fortran ALIAS starfish_fortran)
endif()

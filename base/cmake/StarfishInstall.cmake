# SPDX-License-Identifier: LGPL-2.1-or-later
# Install tree, by components: `library`, `mpi`, `program` and `development`. It may be moved: what is inside finds what
# is inside by places relative to itself. `cmake --install build --prefix P --component library` takes one of them,
# DESTDIR is heeded, `cmake --build build --target uninstall` removes what was installed last.
include(CMakePackageConfigHelpers)
set(starfish_cmake_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Starfish)
set(starfish_private_folder ${CMAKE_INSTALL_LIBDIR}/starfish) # StarPU, where it comes along

# starfish_finds(TARGET FROM BUILT FOLDER...): the target, in folder FROM of the install tree and in folder BUILT of the
# build tree, finds libraries in these folders of both. The search paths are the same in both trees: where they differ,
# CMake ends the build tree's with a colon for its own use, and the dynamic linker takes the empty entry after it for
# the current folder.
function(starfish_finds target from built)
    set(places)
    foreach(folder ${ARGN})
        file(RELATIVE_PATH place "/${from}" "/${folder}")
        list(APPEND places "$ORIGIN/${place}")
        string(REGEX REPLACE "^${CMAKE_INSTALL_LIBDIR}" lib folder "${folder}")
        file(RELATIVE_PATH place "/${built}" "/${folder}")
        list(APPEND places "$ORIGIN/${place}")
    endforeach()
    list(APPEND places ${CMAKE_INSTALL_RPATH} ${starfish_starpu_elsewhere})
    list(REMOVE_DUPLICATES places)
    set_target_properties(${target} PROPERTIES INSTALL_RPATH "${places}" BUILD_WITH_INSTALL_RPATH ON)
endfunction()
set(starfish_library_folders ${CMAKE_INSTALL_LIBDIR} ${starfish_private_folder})
set(starfish_starpu_elsewhere)
if(starfish_own_starpu AND NOT STARFISH_INSTALL_STARPU)
    set(starfish_starpu_elsewhere ${STARPU_LIBRARY_DIRS})
endif()

# ---- component library

install(TARGETS starfish EXPORT StarfishTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
starfish_finds(starfish ${CMAKE_INSTALL_LIBDIR} lib ${starfish_library_folders})
install(TARGETS ${starfish_fishpack_libraries} EXPORT StarfishTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development)
foreach(library ${starfish_fishpack_libraries})
    starfish_finds(${library} ${CMAKE_INSTALL_LIBDIR} lib ${starfish_library_folders})
endforeach()
if(TARGET starfish_policies)
    install(TARGETS starfish_policies LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
    starfish_finds(starfish_policies ${CMAKE_INSTALL_LIBDIR} lib ${starfish_library_folders})
endif()
# StarPU's own libraries find each other by $ORIGIN (scheduler/starpu/build). In the build tree they are links.
function(starfish_install_starpu folder pattern to component)
    file(GLOB libraries "${folder}/${pattern}")
    install(FILES ${libraries} DESTINATION ${to} COMPONENT ${component})
    string(REGEX REPLACE "^${CMAKE_INSTALL_LIBDIR}" "${PROJECT_BINARY_DIR}/lib" there "${to}")
    file(MAKE_DIRECTORY "${there}")
    foreach(library ${libraries})
        get_filename_component(name "${library}" NAME)
        file(RELATIVE_PATH place "${there}" "${library}")
        file(CREATE_LINK "${place}" "${there}/${name}" SYMBOLIC)
    endforeach()
endfunction()
if(STARFISH_INSTALL_STARPU)
    pkg_get_variable(starpu_folder starpu-1.4 libdir)
    starfish_install_starpu("${starpu_folder}" "libstarpu-1.*.so*" ${starfish_private_folder} library)
    install(FILES "${PROJECT_SOURCE_DIR}/COPYING.LESSER" DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT library)
endif()

# ---- component mpi

if(TARGET starfish_mpi)
    install(TARGETS starfish_mpi EXPORT StarfishMpiTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT mpi NAMELINK_COMPONENT development)
    install(EXPORT StarfishMpiTargets NAMESPACE Starfish:: DESTINATION ${starfish_cmake_folder} COMPONENT development)
    starfish_finds(starfish_mpi ${CMAKE_INSTALL_LIBDIR} lib ${starfish_library_folders})
    if(STARFISH_INSTALL_STARPU)
        starfish_install_starpu("${starpu_folder}" "libstarpumpi-1.*.so*" ${starfish_private_folder} mpi)
    endif()
endif()

# ---- component program

if(STARFISH_PROGRAM)
    install(TARGETS starfish_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
    starfish_finds(starfish_program ${CMAKE_INSTALL_BINDIR} bin ${starfish_library_folders})
    install(DIRECTORY "${PROJECT_SOURCE_DIR}/data/machines" DESTINATION ${CMAKE_INSTALL_DATADIR}/starfish
        COMPONENT program)
    # Pages and completion are written by the installed program's twin in the build folder, when it is installed.
    set(starfish_pages "${PROJECT_BINARY_DIR}/pages")
    install(CODE "execute_process(COMMAND \"${CMAKE_COMMAND}\" \"-DPROGRAM=$<TARGET_FILE:starfish_program>\"
        \"-DOUT=${starfish_pages}\" -P \"${PROJECT_SOURCE_DIR}/apps/pages.cmake\" COMMAND_ERROR_IS_FATAL ANY)"
        COMPONENT program)
    install(DIRECTORY "${starfish_pages}/" DESTINATION ${CMAKE_INSTALL_DATADIR} COMPONENT program)
    install(FILES docs/problem.schema.json DESTINATION ${CMAKE_INSTALL_DATADIR}/starfish COMPONENT program)
    if(TARGET starfish_simulated_program)
        set(folder ${CMAKE_INSTALL_LIBEXECDIR}/starfish)
        install(TARGETS starfish_simulated_program RUNTIME DESTINATION ${folder} COMPONENT program)
        starfish_finds(starfish_simulated_program ${folder} bin ${starfish_private_folder}/simgrid)
        starfish_install_starpu("${simgrid_starpu}/lib" "libstarpu-1.*.so*" ${starfish_private_folder}/simgrid program)
    endif()
endif()

# ---- component development

install(DIRECTORY include/starfish DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development FILES_MATCHING
    PATTERN "*.h" PATTERN "*.f90" PATTERN "*.inc")
install(EXPORT StarfishTargets NAMESPACE Starfish:: DESTINATION ${starfish_cmake_folder} COMPONENT development)
if(TARGET starfish_static)
    install(TARGETS starfish_static EXPORT StarfishStaticTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
    install(EXPORT StarfishStaticTargets NAMESPACE Starfish:: DESTINATION ${starfish_cmake_folder}
        COMPONENT development)
    if(STARFISH_INSTALL_STARPU)
        target_link_directories(starfish_static INTERFACE $<INSTALL_INTERFACE:${starfish_private_folder}>)
        target_link_options(starfish_static INTERFACE
            $<INSTALL_INTERFACE:LINKER:-rpath,$<INSTALL_PREFIX>/${starfish_private_folder}>)
    endif()
endif()
configure_package_config_file(base/cmake/StarfishConfig.cmake.in "${PROJECT_BINARY_DIR}/StarfishConfig.cmake"
    INSTALL_DESTINATION ${starfish_cmake_folder} PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/StarfishConfigVersion.cmake" COMPATIBILITY SameMajorVersion)
install(FILES "${PROJECT_BINARY_DIR}/StarfishConfig.cmake" "${PROJECT_BINARY_DIR}/StarfishConfigVersion.cmake"
    base/cmake/StarfishFortran.cmake
    DESTINATION ${starfish_cmake_folder} COMPONENT development)
# Relative to the .pc file, so that the tree may be moved.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
    set(starfish_pc_prefix "${CMAKE_INSTALL_PREFIX}")
else()
    file(RELATIVE_PATH starfish_pc_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
    string(REGEX REPLACE "/$" "" starfish_pc_prefix "\${pcfiledir}/${starfish_pc_prefix}")
endif()
list(TRANSFORM starfish_static_needs PREPEND "-l" OUTPUT_VARIABLE starfish_pc_needs)
list(JOIN starfish_pc_needs " " starfish_pc_needs)
foreach(module starfish starfish-mpi)
    configure_file(base/cmake/${module}.pc.in "${PROJECT_BINARY_DIR}/${module}.pc" @ONLY)
endforeach()
foreach(module ${starfish_fishpack_libraries})
    configure_file(base/cmake/starfish_fishpack.pc.in "${PROJECT_BINARY_DIR}/${module}.pc" @ONLY)
    install(FILES "${PROJECT_BINARY_DIR}/${module}.pc" DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
        COMPONENT development)
endforeach()
install(FILES "${PROJECT_BINARY_DIR}/starfish.pc" DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
if(TARGET starfish_mpi)
    install(FILES "${PROJECT_BINARY_DIR}/starfish-mpi.pc" DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
        COMPONENT development)
endif()

# ---- the way back, and packages

if(PROJECT_IS_TOP_LEVEL)
    add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -DBUILD=${PROJECT_BINARY_DIR}
        -P "${PROJECT_SOURCE_DIR}/base/cmake/StarfishUninstall.cmake" VERBATIM)
    include(StarfishPackages)
endif()

# Install tree: library, headers, program, CMake package Starfish::starfish and pkg-config file.
include(CMakePackageConfigHelpers)
install(TARGETS starfish EXPORT StarfishTargets
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/starfish DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING
    PATTERN "*.h" PATTERN "*.f90")
install(EXPORT StarfishTargets NAMESPACE Starfish:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Starfish)
configure_package_config_file(base/cmake/StarfishConfig.cmake.in "${PROJECT_BINARY_DIR}/StarfishConfig.cmake"
    INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Starfish)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/StarfishConfigVersion.cmake" COMPATIBILITY SameMajorVersion)
install(FILES "${PROJECT_BINARY_DIR}/StarfishConfig.cmake" "${PROJECT_BINARY_DIR}/StarfishConfigVersion.cmake"
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Starfish)
# Relative to the .pc file, so that the tree may be moved.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}")
    set(starfish_pc_prefix "${CMAKE_INSTALL_PREFIX}")
else()
    file(RELATIVE_PATH starfish_pc_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
    string(REGEX REPLACE "/$" "" starfish_pc_prefix "\${pcfiledir}/${starfish_pc_prefix}")
endif()
configure_file(base/cmake/starfish.pc.in "${PROJECT_BINARY_DIR}/starfish.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/starfish.pc" DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

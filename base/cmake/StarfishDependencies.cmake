# Libraries that the house stands on. Each becomes an imported target, with its headers as system headers.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

if(EXISTS "${CMAKE_SOURCE_DIR}/.deps/starpu/lib/pkgconfig" AND NOT DEFINED ENV{STARFISH_SYSTEM_STARPU})
    set(ENV{PKG_CONFIG_PATH} "${CMAKE_SOURCE_DIR}/.deps/starpu/lib/pkgconfig:$ENV{PKG_CONFIG_PATH}")
    # CMake counts .deps as a part of the build, so what is installed must be told.
    set(CMAKE_INSTALL_RPATH "${CMAKE_SOURCE_DIR}/.deps/starpu/lib")
endif()
pkg_search_module(STARPU REQUIRED IMPORTED_TARGET starpu-1.4 starpu-1.3)
pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc)
pkg_check_modules(FFTW REQUIRED IMPORTED_TARGET fftw3)
pkg_check_modules(FFTWF REQUIRED IMPORTED_TARGET fftw3f)
pkg_check_modules(LAPACKE REQUIRED IMPORTED_TARGET lapacke)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
pkg_check_modules(PNG REQUIRED IMPORTED_TARGET libpng)
pkg_search_module(HDF5 REQUIRED IMPORTED_TARGET hdf5 hdf5-serial)

include(CheckSymbolExists)
# StarPU may have been built without CUDA even where nvcc is present.
set(CMAKE_REQUIRED_INCLUDES ${STARPU_INCLUDE_DIRS})
check_symbol_exists(STARPU_USE_CUDA "starpu_config.h" STARFISH_STARPU_HAS_CUDA)
unset(CMAKE_REQUIRED_INCLUDES)

if(STARFISH_HAVE_CUDA)
    find_package(CUDAToolkit REQUIRED)
    # nvcc finds its libraries by itself, so CMake leaves their folder out; the dynamic linker need not know it.
    get_target_property(cudart CUDA::cudart IMPORTED_LOCATION)
    get_filename_component(cuda_libraries "${cudart}" DIRECTORY)
    list(APPEND CMAKE_BUILD_RPATH "${cuda_libraries}")
    list(APPEND CMAKE_INSTALL_RPATH "${cuda_libraries}")
endif()

add_library(starfish_dependencies INTERFACE)
foreach(dependency STARPU HWLOC FFTW FFTWF LAPACKE JANSSON PNG HDF5)
    target_include_directories(starfish_dependencies SYSTEM INTERFACE ${${dependency}_INCLUDE_DIRS})
    target_link_libraries(starfish_dependencies INTERFACE PkgConfig::${dependency})
endforeach()
target_link_libraries(starfish_dependencies INTERFACE Threads::Threads m)
if(STARFISH_HAVE_CUDA)
    target_include_directories(starfish_dependencies SYSTEM INTERFACE ${CUDAToolkit_INCLUDE_DIRS})
    target_link_libraries(starfish_dependencies INTERFACE CUDA::cudart CUDA::cufft)
    target_compile_definitions(starfish_dependencies INTERFACE STARFISH_CUDA=1)
endif()

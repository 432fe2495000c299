# SPDX-License-Identifier: LGPL-2.1-or-later
# Options, warnings, sanitizers and CUDA architectures: everything that holds for every target.
# A project that takes Starfish in by add_subdirectory wants the library alone, unless it says otherwise.
option(STARFISH_PROGRAM "Build the program starfish" ${PROJECT_IS_TOP_LEVEL})
option(STARFISH_EXAMPLES "Build the examples, with the program" ${PROJECT_IS_TOP_LEVEL})
option(STARFISH_INSTALL "Install" ${PROJECT_IS_TOP_LEVEL})
option(STARFISH_TESTS "Build the tests, which need the program and the examples" ${PROJECT_IS_TOP_LEVEL})
option(STARFISH_BENCHMARKS "Build the benchmarks, which need the program" ${PROJECT_IS_TOP_LEVEL})
option(STARFISH_MPI "Build libstarfish_mpi, where MPI and StarPU-MPI are there" ON)
set(STARFISH_CUDA AUTO CACHE STRING "CUDA kernels: ON, OFF or AUTO (when nvcc is found)")
# For our own checks (.ci/run): another compiler, or a newer one, may warn of what this one does not.
option(STARFISH_WERROR "Warnings are errors, in C, CUDA and Fortran" OFF)
option(STARFISH_LIBFUZZER "Fuzz targets for libFuzzer too; clang, with STARFISH_SANITIZE=address,undefined" OFF)
set(STARFISH_SANITIZE "" CACHE STRING "Sanitizers, as in -fsanitize=: address,undefined or thread")

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
# A build tree may be carried to another machine: find our own library relative to the program.
set(CMAKE_BUILD_RPATH_USE_ORIGIN ON)
# What is installed finds libraries that stand outside the system's folders.
set(CMAKE_INSTALL_RPATH_USE_LINK_PATH ON)

add_library(starfish_settings INTERFACE)
target_compile_definitions(starfish_settings INTERFACE _GNU_SOURCE)
target_compile_options(starfish_settings INTERFACE
    $<$<COMPILE_LANGUAGE:C>:-Wall;-Wextra;-Wshadow;-Wstrict-prototypes;-Wmissing-prototypes;-Wvla;-Wdouble-promotion>
    # Results returned through pointers beside a status are beyond what gcc can follow.
    $<$<COMPILE_LANG_AND_ID:C,GNU>:-Wno-maybe-uninitialized>
    # -fno-math-errno and -fno-trapping-math let loops vectorise; neither changes a result.
    $<$<COMPILE_LANGUAGE:C>:-fno-math-errno;-fno-trapping-math;-fopenmp-simd>)
if(STARFISH_WERROR)
    target_compile_options(starfish_settings INTERFACE $<$<COMPILE_LANGUAGE:C>:-Werror>)
endif()
if(STARFISH_SANITIZE)
    target_compile_options(starfish_settings INTERFACE
        $<$<COMPILE_LANGUAGE:C>:-fsanitize=${STARFISH_SANITIZE};-fno-omit-frame-pointer;-fno-sanitize-recover=all>)
    target_link_options(starfish_settings INTERFACE -fsanitize=${STARFISH_SANITIZE})
else() # sanitizers enlarge frames
    # Large structs are allocated. Kernels keep blocks for the nearest cache on the stack.
    set(most_bytes $<IF:$<BOOL:$<TARGET_PROPERTY:STARFISH_KERNELS>>,20480,9216>)
    target_compile_options(starfish_settings INTERFACE
        $<$<COMPILE_LANG_AND_ID:C,GNU,Clang,AppleClang>:-Wframe-larger-than=${most_bytes}>)
endif()
if(STARFISH_LIBFUZZER)
    target_compile_options(starfish_settings INTERFACE $<$<COMPILE_LANGUAGE:C>:-fsanitize=fuzzer-no-link>)
endif()

# Hardening, for everything that is linked here, examples and tests included: a canary in functions with arrays, checked
# string functions, addresses that cannot be written after loading, no executable stack, programs at random addresses.
# Sanitizers check more than _FORTIFY_SOURCE, and a compiler that defines it already may have chosen a higher level.
include(CheckCSourceCompiles)
include(CheckPIESupported)
check_pie_supported(LANGUAGES C)
set(CMAKE_REQUIRED_FLAGS -O2)
check_c_source_compiles("#ifdef _FORTIFY_SOURCE\n#error\n#endif\nint main(void) { return 0; }" STARFISH_SETS_FORTIFY)
unset(CMAKE_REQUIRED_FLAGS)
add_compile_options($<$<COMPILE_LANGUAGE:C,CXX>:-fstack-protector-strong>
    $<$<COMPILE_LANG_AND_ID:Fortran,GNU>:-fstack-protector-strong>
    $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-fstack-protector-strong>)
if(STARFISH_SETS_FORTIFY AND NOT STARFISH_SANITIZE)
    add_compile_options(
        $<$<AND:$<COMPILE_LANGUAGE:C,CXX>,$<CONFIG:Release,RelWithDebInfo,MinSizeRel>>:-D_FORTIFY_SOURCE=2>)
endif()
set(STARFISH_FORTIFIES FALSE) # so that a test may look for it
if(CMAKE_BUILD_TYPE MATCHES "^(Release|RelWithDebInfo|MinSizeRel)$" AND NOT STARFISH_SANITIZE)
    set(STARFISH_FORTIFIES TRUE)
endif()
add_link_options(LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack)

include(CheckLanguage)
# For the module's example and test alone: the library needs none.
check_language(Fortran)
if(CMAKE_Fortran_COMPILER)
    enable_language(Fortran)
endif()

if(NOT STARFISH_CUDA STREQUAL "OFF")
    if(NOT CMAKE_CUDA_COMPILER AND EXISTS /usr/local/cuda/bin/nvcc)
        set(CMAKE_CUDA_COMPILER /usr/local/cuda/bin/nvcc)
    endif()
    check_language(CUDA)
    if(CMAKE_CUDA_COMPILER)
        if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND DEFINED ENV{CUDAARCHS})
            set(CMAKE_CUDA_ARCHITECTURES "$ENV{CUDAARCHS}")
        elseif(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
            execute_process(COMMAND nvidia-smi --query-gpu=compute_cap --format=csv,noheader
                RESULT_VARIABLE no_gpu OUTPUT_VARIABLE capabilities ERROR_QUIET)
            string(REGEX MATCHALL "[0-9]+\\.[0-9]+" capabilities "${capabilities}")
            if(no_gpu AND STARFISH_WERROR)
                # Our own checks compile the CUDA code and cannot run it: the assembler's work is left out.
                set(CMAKE_CUDA_ARCHITECTURES 90-virtual)
            elseif(no_gpu)
                # Machine code for both, and PTX, of the newer one alone, for GPUs to come.
                set(CMAKE_CUDA_ARCHITECTURES 80-real 90)
            elseif(capabilities)
                # Machine code for each kind of GPU that is here, and PTX, of the newest alone, for others.
                string(REPLACE "." "" capabilities "${capabilities}")
                list(REMOVE_DUPLICATES capabilities)
                list(SORT capabilities COMPARE NATURAL)
                list(POP_BACK capabilities newest)
                list(TRANSFORM capabilities APPEND -real)
                set(CMAKE_CUDA_ARCHITECTURES ${capabilities} ${newest})
            else()
                set(CMAKE_CUDA_ARCHITECTURES native) # a driver that does not say
            endif()
        endif()
        enable_language(CXX)
        enable_language(CUDA)
        set(CMAKE_CUDA_STANDARD 17)
        set(CMAKE_CUDA_VISIBILITY_PRESET hidden)
        set(CMAKE_CUDA_RUNTIME_LIBRARY Shared)
        # The compact compression takes a quarter less.
        if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12.8)
            set(compressed -Xfatbin=-compress-all)
        else()
            set(compressed --compress-mode=size)
        endif()
        target_compile_options(starfish_settings INTERFACE
            $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-Wall,-Wextra;${compressed}>)
        if(STARFISH_WERROR)
            target_compile_options(starfish_settings INTERFACE
                $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings;-Xcompiler=-Werror>)
        endif()
        set(STARFISH_HAVE_CUDA TRUE)
    elseif(STARFISH_CUDA STREQUAL "ON")
        message(FATAL_ERROR "STARFISH_CUDA is ON and no nvcc was found: put it on PATH or set CMAKE_CUDA_COMPILER")
    endif()
endif()

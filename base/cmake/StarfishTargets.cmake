# SPDX-License-Identifier: LGPL-2.1-or-later
# The library's targets, and the functions by which each folder adds to them.
#
#   starfish_sources(FILE...)       C files, compiled once
#   starfish_runtime_sources(FILE...)  C files that know StarPU, compiled once more for simulated machines
#   starfish_real_sources(FILE...)  C files compiled twice, for f32 and f64 (base/real.h)
#   starfish_number_sources(FILE...)  the same, each also for complex vectors and for complex lines (base/number.h)
#   starfish_stored_sources(FILE...)  the same as real, each also for matrices whose entries are stored in 16 bits
#                                   (base/real.h)
#   starfish_cuda_sources(FILE...)  CUDA files, compiled when CUDA is there
#   starfish_kind(NAME)             a kind of plans: starfish_kind_NAME is a row of starfish_kinds[] (solver/kinds.h)
#   starfish_program_with_kind(NAME FILE...)  beside the program and the library the same with one kind more
#   starfish_test(NAME SOURCES ... LABELS ... [LIBRARY starfish_static])   a test program at bin/tests/NAME, free to
#                                   call private functions; with the archive, where the linker wraps the library's calls

# The functions that a shared library shows (StarfishBindings writes the list): all others are its own, clones of
# kernels for several processors included, which visibility does not hide.
function(starfish_symbols library)
    set(map "${PROJECT_SOURCE_DIR}/base/symbols/${library}.map")
    target_link_options(${library} PRIVATE "LINKER:--version-script=${map}")
    set_target_properties(${library} PROPERTIES LINK_DEPENDS "${map}")
endfunction()

add_library(starfish_objects OBJECT)
set(starfish_kernel_libraries starfish_objects)
foreach(precision f32 f64)
    string(TOUPPER ${precision} upper)
    set(objects starfish_objects_${precision})
    foreach(numbers "" _complex_vectors _complex_lines)
        string(TOUPPER "${numbers}" kind)
        add_library(${objects}${numbers} OBJECT)
        target_compile_definitions(${objects}${numbers} PRIVATE STARFISH_REAL_${upper}
            $<$<BOOL:${kind}>:STARFISH${kind}>)
        list(APPEND starfish_kernel_libraries ${objects}${numbers})
    endforeach()
endforeach()
foreach(storage f16 bf16)
    string(TOUPPER ${storage} upper)
    add_library(starfish_objects_f32_${storage} OBJECT)
    target_compile_definitions(starfish_objects_f32_${storage} PRIVATE STARFISH_REAL_F32 STARFISH_STORED_${upper})
    list(APPEND starfish_kernel_libraries starfish_objects_f32_${storage})
endforeach()
add_library(starfish_runtime_objects OBJECT)
add_library(starfish_kinds OBJECT) # the table alone
set(starfish_object_libraries ${starfish_kernel_libraries} starfish_runtime_objects)
# The shared library's list of symbols says what is seen outside (starfish_symbols). Calls within
# the library are not to be replaced from outside, so that the compiler may inline them.
foreach(objects ${starfish_object_libraries} starfish_kinds)
    string(REGEX MATCH "_f(32|64)" is_kernel ${objects})
    set_target_properties(${objects} PROPERTIES C_VISIBILITY_PRESET default CUDA_VISIBILITY_PRESET default
        STARFISH_KERNELS "${is_kernel}")
    target_compile_options(${objects} PRIVATE $<$<COMPILE_LANGUAGE:C>:-fno-semantic-interposition>
        $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-fno-semantic-interposition>)
    target_link_libraries(${objects} PUBLIC starfish_settings starfish_dependencies)
    target_include_directories(${objects} PUBLIC "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/include")
endforeach()

add_library(starfish SHARED)
add_library(Starfish::starfish ALIAS starfish)
foreach(objects ${starfish_object_libraries} starfish_kinds)
    target_sources(starfish PRIVATE $<TARGET_OBJECTS:${objects}>)
endforeach()
target_link_libraries(starfish PRIVATE $<BUILD_INTERFACE:starfish_settings> $<BUILD_INTERFACE:starfish_dependencies>)
target_include_directories(starfish PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
set_target_properties(starfish PROPERTIES LINKER_LANGUAGE C
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
starfish_symbols(starfish)
if(STARFISH_HAVE_CUDA)
    # .cu files are C++ inside; the library itself links as C with the C++ runtime.
    target_link_libraries(starfish PRIVATE stdc++)
endif()
# For the program, the tests and the benchmarks, which call private functions too: the headers, and with the library.
add_library(starfish_headers INTERFACE)
target_link_libraries(starfish_headers INTERFACE starfish_settings starfish_dependencies)
target_include_directories(starfish_headers INTERFACE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/include")
if(STARFISH_HAVE_CUDA)
    target_link_libraries(starfish_headers INTERFACE stdc++)
endif()
add_library(starfish_internal INTERFACE)
target_link_libraries(starfish_internal INTERFACE starfish starfish_headers)

# For programs that want no shared library of ours: the same objects, and the libraries below them by name.
option(STARFISH_STATIC "Also install libstarfish.a (Starfish::starfish_static)" ${STARFISH_INSTALL})
if(STARFISH_STATIC)
    add_library(starfish_static STATIC)
    add_library(Starfish::starfish_static ALIAS starfish_static)
    foreach(objects ${starfish_object_libraries} starfish_kinds)
        target_sources(starfish_static PRIVATE $<TARGET_OBJECTS:${objects}>)
    endforeach()
    set_target_properties(starfish_static PROPERTIES LINKER_LANGUAGE C OUTPUT_NAME starfish)
    target_include_directories(starfish_static INTERFACE
        $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
    target_link_libraries(starfish_static PUBLIC $<BUILD_INTERFACE:starfish_dependencies>
        INTERFACE $<INSTALL_INTERFACE:${starfish_static_needs}>)
endif()

# For a simulated machine, kernels are the same, though tasks never run them, and all above knows another StarPU.
if(STARFISH_SIMULATION)
    add_library(starfish_simulated STATIC)
    foreach(objects ${starfish_kernel_libraries} starfish_kinds)
        target_sources(starfish_simulated PRIVATE $<TARGET_OBJECTS:${objects}>)
    endforeach()
    # Analysers see each file once, as the real program has it.
    set_target_properties(starfish_simulated PROPERTIES LINKER_LANGUAGE C EXPORT_COMPILE_COMMANDS OFF)
    target_link_libraries(starfish_simulated PUBLIC starfish_settings starfish_simulated_dependencies)
    target_include_directories(starfish_simulated PUBLIC "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/include")
endif()

function(starfish_absolute output)
    set(paths)
    foreach(file ${ARGN})
        list(APPEND paths "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
    endforeach()
    set(${output} ${paths} PARENT_SCOPE)
endfunction()

function(starfish_sources)
    starfish_absolute(paths ${ARGN})
    target_sources(starfish_objects PRIVATE ${paths})
endfunction()

function(starfish_runtime_sources)
    starfish_absolute(paths ${ARGN})
    target_sources(starfish_runtime_objects PRIVATE ${paths})
    if(STARFISH_SIMULATION)
        target_sources(starfish_simulated PRIVATE ${paths})
    endif()
endfunction()

function(starfish_real_sources)
    starfish_absolute(paths ${ARGN})
    target_sources(starfish_objects_f32 PRIVATE ${paths})
    target_sources(starfish_objects_f64 PRIVATE ${paths})
endfunction()

function(starfish_stored_sources)
    starfish_real_sources(${ARGN})
    starfish_absolute(paths ${ARGN})
    target_sources(starfish_objects_f32_f16 PRIVATE ${paths})
    target_sources(starfish_objects_f32_bf16 PRIVATE ${paths})
endfunction()

function(starfish_number_sources)
    starfish_real_sources(${ARGN})
    starfish_absolute(paths ${ARGN})
    foreach(numbers _complex_vectors _complex_lines)
        target_sources(starfish_objects_f32${numbers} PRIVATE ${paths})
        target_sources(starfish_objects_f64${numbers} PRIVATE ${paths})
    endforeach()
endfunction()

function(starfish_cuda_sources)
    if(STARFISH_HAVE_CUDA)
        starfish_sources(${ARGN})
    endif()
endfunction()

function(starfish_kind name)
    set_property(GLOBAL APPEND PROPERTY STARFISH_KINDS ${name})
endfunction()

# The table of all kinds, when each folder has had its turn: those of folders, and others.
function(starfish_write_kinds target)
    get_property(kinds GLOBAL PROPERTY STARFISH_KINDS)
    set(declared)
    set(rows)
    foreach(kind ${kinds} ${ARGN})
        string(APPEND declared "extern const struct starfish_kind starfish_kind_${kind};\n")
        string(APPEND rows "    &starfish_kind_${kind},\n")
    endforeach()
    set(file "${PROJECT_BINARY_DIR}/solver/${target}.c")
    file(CONFIGURE OUTPUT "${file}" @ONLY CONTENT "\
/* Written when the build was configured, from the lines starfish_kind(NAME). */
#include \"solver/kinds.h\"

@declared@
const struct starfish_kind *const starfish_kinds[] = {
@rows@    NULL,
};
")
    target_sources(${target} PRIVATE "${file}")
endfunction()

# bin/starfish-NAME and lib/NAME/libstarfish.so: all objects are those of the program and the library, but for the table
# of kinds. The object library starfish_with_NAME has what is new.
function(starfish_program_with_kind name)
    set(objects starfish_with_${name})
    add_library(${objects} OBJECT ${ARGN})
    set_target_properties(${objects} PROPERTIES C_VISIBILITY_PRESET default)
    target_link_libraries(${objects} PUBLIC starfish_settings starfish_dependencies)
    target_include_directories(${objects} PUBLIC "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/include")
    starfish_write_kinds(${objects} ${name})
    add_library(starfish_${name} SHARED $<TARGET_OBJECTS:${objects}>)
    foreach(shared ${starfish_object_libraries})
        target_sources(starfish_${name} PRIVATE $<TARGET_OBJECTS:${shared}>)
    endforeach()
    target_link_libraries(starfish_${name} PRIVATE starfish_settings starfish_dependencies)
    if(STARFISH_HAVE_CUDA)
        target_link_libraries(starfish_${name} PRIVATE stdc++)
    endif()
    set_target_properties(starfish_${name} PROPERTIES LINKER_LANGUAGE C OUTPUT_NAME starfish
        LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib/${name}"
        VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})
    target_link_options(starfish_${name} PRIVATE
        "LINKER:--version-script=${PROJECT_SOURCE_DIR}/base/symbols/starfish.map")
    add_executable(starfish_program_${name} "${PROJECT_SOURCE_DIR}/apps/main.c")
    target_link_libraries(starfish_program_${name} PRIVATE starfish_commands starfish_${name})
    set_target_properties(starfish_program_${name} PROPERTIES OUTPUT_NAME starfish-${name} EXPORT_COMPILE_COMMANDS OFF)
endfunction()

# ctest --parallel runs unit tests side by side, and tests of the runtime alone. StarPU's workers are on all cores;
# starting and waiting leave half of their time. Two tests with solves share it: they compare results and no times.
cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
math(EXPR half "(${cores} + 1) / 2")
set(starfish_beside PROCESSORS ${half})
# bin/tests/arguments, for tests/programs: a line for each test that has some.
file(WRITE "${PROJECT_BINARY_DIR}/bin/tests/arguments" "")
function(starfish_test name)
    cmake_parse_arguments(test "" LIBRARY "SOURCES;LABELS;ARGUMENTS" ${ARGN})
    if(NOT test_LIBRARY)
        set(test_LIBRARY starfish)
    endif()
    if(NOT TARGET ${name})
        add_executable(${name} ${test_SOURCES})
        target_link_libraries(${name} PRIVATE ${test_LIBRARY} starfish_headers PkgConfig::CMOCKA)
        set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin/tests")
    endif()
    add_test(NAME ${name} COMMAND ${name} ${test_ARGUMENTS})
    if(test_ARGUMENTS)
        string(REPLACE ";" " " words "${name};${test_ARGUMENTS}")
        file(APPEND "${PROJECT_BINARY_DIR}/bin/tests/arguments" "${words}\n")
    endif()
    set_tests_properties(${name} PROPERTIES LABELS "${test_LABELS}" SKIP_RETURN_CODE 77 TIMEOUT 600)
    if("solver" IN_LIST test_LABELS)
        set_tests_properties(${name} PROPERTIES ${starfish_beside})
    elseif(NOT "unit" IN_LIST test_LABELS)
        set_tests_properties(${name} PROPERTIES RUN_SERIAL ON)
    endif()
    if(STARFISH_SANITIZE)
        # Memory that cannot be had is refused, as without the sanitizer, and what the library says then is tested.
        set(refuse "path_list_append:allocator_may_return_null=1")
        set_property(TEST ${name} PROPERTY ENVIRONMENT_MODIFICATION "ASAN_OPTIONS=${refuse}" "TSAN_OPTIONS=${refuse}")
    endif()
endfunction()

# SPDX-License-Identifier: Apache-2.0
set(CMAKE_CXX_STANDARD 17) # Debian's SystemC library is built as C++17, and checks that we are too.
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

# What is the project's that includes us to decide, if there is one.
if(PROJECT_IS_TOP_LEVEL)
    if(NOT CMAKE_BUILD_TYPE)
        set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
    endif()
    set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG")

    find_program(CCACHE_PROGRAM ccache)
    if(CCACHE_PROGRAM)
        # Without the first ccache does not take what uses precompiled headers; with the second a file that is new
        # to it is not preprocessed in vain before it is compiled: what the compiler says of its headers is enough.
        set(CMAKE_CXX_COMPILER_LAUNCHER
            ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_DEPEND=true ${CCACHE_PROGRAM})
    endif()
endif()

add_library(alxsim_compile_options INTERFACE)
target_compile_options(alxsim_compile_options INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
    # g++ 12 reports temporary std::strings of the standard library (GCC bugs 105562, 105593).
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
    # g++ 13 and 14 take any function with a name as argument for one that returns a reference to it.
    $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_GREATER_EQUAL:$<CXX_COMPILER_VERSION>,13>>:-Wno-dangling-reference>
    # Clang 19 reports what headers of g++ 12's standard library and of the JSON library do by themselves.
    $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>
    # g++ collects its garbage later: a tenth less time for a sixth more memory (1.2 GB for the largest file).
    $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-expand=100> $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=400000>
    # A product and a sum are never fused behind our back: the same bits whatever -march says.
    -ffp-contract=off
    # The Python module has all of it in a shared object, where nobody puts other functions in place of ours.
    -fPIC -fno-semantic-interposition)
if(ALXSIM_WARNINGS_AS_ERRORS)
    target_compile_options(alxsim_compile_options INTERFACE -Werror)
endif()
include(json_header)
# For what is compiled far more often than it is waited for; the numerics stand in the layers below.
add_library(alxsim_light_options INTERFACE)
target_compile_options(alxsim_light_options INTERFACE $<$<CONFIG:Release>:-O1>)
target_link_libraries(alxsim_light_options INTERFACE alxsim_compile_options)
if(ALXSIM_SANITIZE)
    add_compile_options(-fsanitize=${ALXSIM_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${ALXSIM_SANITIZE})
    if(ALXSIM_SANITIZE_NOT)
        add_compile_options(-fno-sanitize=${ALXSIM_SANITIZE_NOT})
    endif()
endif()

set(ALXSIM_INCLUDE_DIRS ${PROJECT_SOURCE_DIR})
if(NOT PROJECT_IS_TOP_LEVEL)
    # A project that includes us writes <alxsim/NAME/header.h>, as it would with an installed alxsim.
    file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/include)
    file(CREATE_LINK ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/include/alxsim SYMBOLIC)
    list(APPEND ALXSIM_INCLUDE_DIRS ${PROJECT_BINARY_DIR}/include)
endif()

include(together)

# alxsim_kernel_levels(TARGET): kernels/LEVEL.cpp, once for each level of CPU. What all sources parse before
# theirs (precompiled headers) stays out: nothing of it may be compiled for a newer CPU.
function(alxsim_kernel_levels target)
    set(levels baseline)
    if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
        set(levels baseline x86_64_v3 x86_64_v4)
        set(options_of_baseline -march=x86-64)
        set(options_of_x86_64_v3 -march=x86-64-v3)
        set(options_of_x86_64_v4 -march=x86-64-v4)
    endif()
    foreach(level ${levels})
        target_sources(${target} PRIVATE kernels/${level}.cpp)
        set_source_files_properties(kernels/${level}.cpp PROPERTIES
            COMPILE_OPTIONS "${options_of_${level}}" SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
    endforeach()
endfunction()

# alxsim_layer(NAME [LIGHT] [SOURCES a.cpp ...] [LIGHT_SOURCES regex ...] [NOT regex ...] LINKS target ...
#              RESOURCES file ...)
# One library target per layer, `alxsim::NAME`. SOURCES: without them all in the folder and below it but what matches
# a regex of NOT, compiled folder by folder. LIGHT: with the light options, as in any layer what matches one of
# LIGHT_SOURCES.
function(alxsim_layer name)
    cmake_parse_arguments(layer "LIGHT" "" "SOURCES;LIGHT_SOURCES;NOT;LINKS;RESOURCES" ${ARGN})
    set(kind layer)
    set(options alxsim_compile_options)
    if(layer_LIGHT)
        set(kind light)
        set(options alxsim_light_options)
    endif()
    set(light_sources)
    if(NOT layer_SOURCES)
        alxsim_sources_here(layer_SOURCES ${layer_NOT})
        alxsim_take_matching(layer_SOURCES light_sources ${layer_LIGHT_SOURCES})
        set(in_folders ON)
    endif()
    add_library(alxsim_${name} STATIC ${layer_SOURCES})
    add_library(alxsim::${name} ALIAS alxsim_${name})
    target_include_directories(alxsim_${name} PUBLIC "$<BUILD_INTERFACE:${ALXSIM_INCLUDE_DIRS}>")
    target_compile_features(alxsim_${name} PUBLIC cxx_std_17)
    target_link_libraries(alxsim_${name} PUBLIC ${layer_LINKS} PRIVATE $<BUILD_INTERFACE:${options}>)
    target_precompile_headers(alxsim_${name} REUSE_FROM alxsim_${kind}_headers)
    if(light_sources)
        add_library(alxsim_${name}_light OBJECT ${light_sources})
        target_include_directories(alxsim_${name}_light PRIVATE ${PROJECT_SOURCE_DIR})
        target_link_libraries(alxsim_${name}_light PRIVATE ${layer_LINKS} alxsim_light_options)
        target_precompile_headers(alxsim_${name}_light REUSE_FROM alxsim_light_headers)
        target_sources(alxsim_${name} PRIVATE $<TARGET_OBJECTS:alxsim_${name}_light>)
        alxsim_compile_folders(alxsim_${name}_light ${light_sources})
    endif()
    if(in_folders)
        alxsim_compile_folders(alxsim_${name} ${layer_SOURCES})
    endif()
    if(layer_RESOURCES)
        alxsim_embed(alxsim_${name} ${name} ${layer_RESOURCES})
    endif()
    set_property(GLOBAL APPEND PROPERTY ALXSIM_LAYERS ${name}) # each before those that use it
    alxsim_install_target(${name} alxsim)
endfunction()

# SPDX-License-Identifier: Apache-2.0
set(CMAKE_CXX_STANDARD 17) # Debian's SystemC library is built as C++17, and checks that we are too.
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)

if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O3 -DNDEBUG")

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

add_library(alxsim_compile_options INTERFACE)
target_compile_options(alxsim_compile_options INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Werror
    # Eigen 3.4 under -O3 trips g++ 12's flow analysis; the reports are in its headers, not in ours.
    -Wno-maybe-uninitialized -Wno-array-bounds -Wno-stringop-overread)
if(ALXSIM_NATIVE)
    target_compile_options(alxsim_compile_options INTERFACE -march=native)
endif()
if(ALXSIM_SANITIZE)
    add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
    add_link_options(-fsanitize=address,undefined)
endif()

# alxsim_layer(NAME SOURCES a.cpp ... LINKS target ... RESOURCES file ...)
# One library target per layer, `alxsim::NAME`. Headers are included as "NAME/header.h".
function(alxsim_layer name)
    cmake_parse_arguments(layer "" "" "SOURCES;LINKS;RESOURCES" ${ARGN})
    add_library(alxsim_${name} STATIC ${layer_SOURCES})
    add_library(alxsim::${name} ALIAS alxsim_${name})
    target_include_directories(alxsim_${name} PUBLIC ${PROJECT_SOURCE_DIR})
    target_link_libraries(alxsim_${name} PUBLIC ${layer_LINKS} PRIVATE alxsim_compile_options)
    if(layer_RESOURCES)
        alxsim_embed(alxsim_${name} ${name} ${layer_RESOURCES})
    endif()
endfunction()

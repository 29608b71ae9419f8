# SPDX-License-Identifier: Apache-2.0
# ALXSIM_BUILD_FUZZERS: instruments all that is compiled for libFuzzer, with sanitizers.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "ALXSIM_BUILD_FUZZERS found ${CMAKE_CXX_COMPILER_ID} as compiler, allowed is Clang: add "
                        "-DCMAKE_CXX_COMPILER=clang++ in a fresh build folder (Debian: clang, libclang-rt-14-dev).")
endif()
add_compile_options(-O1 -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined
    -fno-omit-frame-pointer -Wno-unknown-warning-option)
add_link_options(-fsanitize=address,undefined)

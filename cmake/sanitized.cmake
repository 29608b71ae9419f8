# SPDX-License-Identifier: Apache-2.0
# Readers of files and documents once more, under AddressSanitizer and most of UndefinedBehaviorSanitizer, for tests
# that for the rest share all that is compiled: what is not compiled so is not looked into, but blocks of the heap are
# guarded wherever they come from. scripts/check asan looks into everything.
option(ALXSIM_SANITIZED_READERS "Tests of readers run once more with sanitized readers" OFF)
if(NOT ALXSIM_SANITIZED_READERS)
    return()
endif()

set(alxsim_sanitizers -fsanitize=address,undefined -fno-sanitize=null,alignment,object-size,vptr
    -fno-sanitize-recover=all)
add_library(alxsim_sanitized_options INTERFACE)
target_compile_options(alxsim_sanitized_options INTERFACE -O1 ${alxsim_sanitizers} -fno-omit-frame-pointer)
target_link_libraries(alxsim_sanitized_options INTERFACE alxsim_compile_options)
alxsim_precompile(alxsim_sanitized_headers LINKS alxsim_sanitized_options)

# Of each of these targets every source, so that a linker finds nothing missing in the archives behind them.
foreach(target alxsim_base alxsim_base_light alxsim_topologies_light alxsim_model_light alxsim_alx alxsim_alx_light alxsim_import)
    get_target_property(folder ${target} SOURCE_DIR)
    get_target_property(sources ${target} SOURCES)
    foreach(source ${sources})
        if(source MATCHES "^[a-z].*\\.cpp$")
            list(APPEND sanitized ${folder}/${source})
        endif()
    endforeach()
endforeach()
add_library(alxsim_sanitized_readers OBJECT ${sanitized})
target_link_libraries(alxsim_sanitized_readers PRIVATE alxsim::alx alxsim::import METIS::METIS TBB::tbb alxsim_valijson
                      alxsim_sanitized_options)
target_precompile_headers(alxsim_sanitized_readers REUSE_FROM alxsim_sanitized_headers)
alxsim_compile_folders(alxsim_sanitized_readers ${sanitized})

# alxsim_sanitized_test(NAME LINKS target ...): the tests of NAME, which links these, once more.
function(alxsim_sanitized_test name)
    cmake_parse_arguments(test "" "" "LINKS" ${ARGN})
    add_executable(${name}_sanitized $<TARGET_OBJECTS:${name}> $<TARGET_OBJECTS:alxsim_sanitized_readers>)
    set_target_properties(${name}_sanitized PROPERTIES LINKER_LANGUAGE CXX)
    target_link_libraries(${name}_sanitized PRIVATE ${test_LINKS} alxsim::kinds METIS::METIS TBB::tbb GTest::gtest_main)
    target_link_options(${name}_sanitized PRIVATE ${alxsim_sanitizers})
    gtest_discover_tests(${name}_sanitized TEST_PREFIX "Sanitized." DISCOVERY_TIMEOUT 60
        PROPERTIES TIMEOUT ${alxsim_test_timeout} LABELS fast)
endfunction()

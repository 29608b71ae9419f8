# SPDX-License-Identifier: Apache-2.0
# The objects of the kernels' levels (spmd/kernels) may define nothing that the linker merges with a copy from
# another source: it could keep the one that was compiled for a newer CPU.
#   cmake -DNM=nm -DOBJECTS="a.o;b.o;..." -P kernel_symbols.cmake
set(checked 0)
foreach(object ${OBJECTS})
    if(NOT object MATCHES "kernels/(baseline|x86_64_v[34])\\.cpp")
        continue()
    endif()
    math(EXPR checked "${checked} + 1")
    execute_process(COMMAND ${NM} --defined-only --demangle ${object}
        OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX MATCHALL "[^\n]* [VWuvw] [^\n]*" merged "${symbols}")
    if(merged)
        list(JOIN merged "\n" merged)
        message(SEND_ERROR "${object} defines what the linker may merge:\n${merged}")
    endif()
endforeach()
if(checked EQUAL 0)
    message(SEND_ERROR "none of the kernels' objects is among: ${OBJECTS}")
endif()
message("${checked} objects define nothing that could be merged")

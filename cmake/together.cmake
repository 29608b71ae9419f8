# SPDX-License-Identifier: Apache-2.0
# Sources that are compiled as one.
option(ALXSIM_COMPILE_TOGETHER "Compile files in groups: a clean build costs half, one changed file more" ON)
# So large a part takes some ten seconds: what one changed line costs.
set(ALXSIM_PART_BYTES 50000)

# alxsim_compile_together(TARGET GROUP file ...): compiles these files as one, since most of their time goes
# into what they share: headers, and templates. No local name of one may clash with another's. A file with
# compile options of its own stays out by itself.
function(alxsim_compile_together target group)
    set_source_files_properties(${ARGN} PROPERTIES UNITY_GROUP ${group})
    set_target_properties(${target} PROPERTIES UNITY_BUILD ${ALXSIM_COMPILE_TOGETHER} UNITY_BUILD_MODE GROUP)
endfunction()

# alxsim_compile_in_parts(TARGET GROUP file ...): the same in parts of about equal size.
function(alxsim_compile_in_parts target group)
    set(total 0)
    foreach(source ${ARGN})
        list(APPEND starts ${total})
        file(REAL_PATH ${source} path)
        file(SIZE ${path} bytes)
        math(EXPR total "${total} + ${bytes}")
    endforeach()
    foreach(source start IN ZIP_LISTS ARGN starts)
        math(EXPR part "1 + ${start} * ((${total} - 1) / ${ALXSIM_PART_BYTES} + 1) / ${total}")
        alxsim_compile_together(${target} ${group}_${part} ${source})
    endforeach()
endfunction()

# alxsim_compile_folders(TARGET file ...): each folder's files in parts.
function(alxsim_compile_folders target)
    foreach(source ${ARGN})
        get_filename_component(path ${source} ABSOLUTE)
        file(RELATIVE_PATH path ${CMAKE_CURRENT_SOURCE_DIR} ${path})
        get_filename_component(folder ${path} DIRECTORY)
        string(MAKE_C_IDENTIFIER "folder_${folder}" group)
        list(APPEND groups ${group})
        list(APPEND ${group} ${source})
    endforeach()
    list(REMOVE_DUPLICATES groups)
    foreach(group ${groups})
        alxsim_compile_in_parts(${target} ${group} ${${group}})
    endforeach()
endfunction()

# alxsim_sources_here(VARIABLE [regex ...]): the sources in this folder and below it, without those whose paths from
# here match one of these.
function(alxsim_sources_here variable)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} *.cpp)
    alxsim_take_matching(sources left_out ${ARGN})
    set(${variable} ${sources} PARENT_SCOPE)
endfunction()

# alxsim_take_matching(FROM TO [regex ...]): moves what matches one of these from one list to the other.
macro(alxsim_take_matching from to)
    foreach(regex ${ARGN})
        set(matching ${${from}})
        list(FILTER matching INCLUDE REGEX "^${regex}")
        list(FILTER ${from} EXCLUDE REGEX "^${regex}")
        list(APPEND ${to} ${matching})
    endforeach()
endmacro()

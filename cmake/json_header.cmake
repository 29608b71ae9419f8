# SPDX-License-Identifier: Apache-2.0
# We compile against a copy of the JSON library's header without the literals ""_json, which we do not use: they
# instantiate the parser of nlohmann::json in every source that includes the header, half a second of each. With
# ALXSIM_FORBID_CONST_SUBSCRIPT operator[] of a const value is deprecated in it, and its use an error: it is
# undefined behaviour where key or index is missing; at() throws.
option(ALXSIM_FORBID_CONST_SUBSCRIPT "The JSON library's const operator[] ends the build" OFF)

# In the variable `name`, a header, the literals are removed; in a wording that we do not know they stay.
function(alxsim_remove_json_literals name)
    set(literal "operator ?\"\" ?_json(_pointer)?")
    set(function "JSON_HEDLEY_NON_NULL\\(1\\)\ninline [a-z:_]+ ${literal}\\([^)]*\\)\n{\n[^\n]*\n}")
    if("${${name}}" MATCHES "${function}")
        string(REGEX REPLACE "${function}" "" text "${${name}}")
        string(REGEX REPLACE "using nlohmann::literals::json_literals::${literal};" "" text "${text}")
        set(${name} "${text}" PARENT_SCOPE)
    endif()
endfunction()

# In the variable `name`, a header, each operator[] of a const value is deprecated.
function(alxsim_deprecate_const_subscript name)
    set(text "${${name}}")
    foreach(parameter "size_type idx" "const typename object_t::key_type ?& ?key" "T ?\\* ?key"
            "KeyType ?&& ?key" "const json_pointer ?& ?ptr")
        set(overload "const_reference operator\\[\\] ?\\(${parameter}\\) const")
        if(NOT text MATCHES "\n +${overload}")
            message(FATAL_ERROR "ALXSIM_FORBID_CONST_SUBSCRIPT found no operator[](${parameter}) const in "
                                "${NLOHMANN_JSON_HEADER}: teach cmake/json_header.cmake this version's wording.")
        endif()
        string(REGEX REPLACE "(\n +)(${overload})" "\\1[[deprecated(\"undefined where it is missing: use at()\")]] \\2"
               text "${text}")
    endforeach()
    set(${name} "${text}" PARENT_SCOPE)
endfunction()

# Stops unless the compiler, given the header in `folder`, refuses operator[] of a const value.
function(alxsim_try_const_subscript folder)
    set(source ${folder}/try.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT [[
#include <nlohmann/json.hpp>
int size_at(const nlohmann::ordered_json& json) { return json["key"].size(); }
int main() {}
]])
    try_compile(compiles ${folder}/try ${source}
        COMPILE_DEFINITIONS -isystem ${folder} -Werror=deprecated-declarations
        CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON OUTPUT_VARIABLE output)
    if(compiles OR NOT output MATCHES "use at\\(\\)")
        message(FATAL_ERROR "ALXSIM_FORBID_CONST_SUBSCRIPT found a compiler that does not refuse operator[] of a "
                            "const value: ${output}")
    endif()
endfunction()

# alxsim_copy_json_header(OPTIONS): what is compiled with these options sees the copy.
function(alxsim_copy_json_header options)
    get_target_property(folders nlohmann_json::nlohmann_json INTERFACE_INCLUDE_DIRECTORIES)
    find_file(NLOHMANN_JSON_HEADER nlohmann/json.hpp HINTS ${folders} REQUIRED)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${NLOHMANN_JSON_HEADER})
    file(READ ${NLOHMANN_JSON_HEADER} header)
    alxsim_remove_json_literals(header)
    set(folder ${PROJECT_BINARY_DIR}/json_header)
    if(ALXSIM_FORBID_CONST_SUBSCRIPT)
        alxsim_deprecate_const_subscript(header)
        target_compile_options(${options} INTERFACE -Werror=deprecated-declarations)
    endif()
    file(CONFIGURE OUTPUT ${folder}/nlohmann/json.hpp CONTENT "${header}" @ONLY)
    target_include_directories(${options} SYSTEM BEFORE INTERFACE ${folder})
    if(ALXSIM_FORBID_CONST_SUBSCRIPT)
        alxsim_try_const_subscript(${folder})
    endif()
endfunction()

alxsim_copy_json_header(alxsim_compile_options)

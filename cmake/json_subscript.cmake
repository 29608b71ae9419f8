# SPDX-License-Identifier: Apache-2.0
# The JSON library's operator[] of a const value is undefined behaviour where key or index is missing;
# at() throws. ALXSIM_FORBID_CONST_SUBSCRIPT compiles against a copy of the library's header in which it
# is deprecated, and makes its use an error.
option(ALXSIM_FORBID_CONST_SUBSCRIPT "The JSON library's const operator[] ends the build" OFF)

function(alxsim_forbid_const_subscript options)
    get_target_property(folders nlohmann_json::nlohmann_json INTERFACE_INCLUDE_DIRECTORIES)
    find_file(NLOHMANN_JSON_HEADER nlohmann/json.hpp HINTS ${folders} REQUIRED)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${NLOHMANN_JSON_HEADER})
    file(READ ${NLOHMANN_JSON_HEADER} header)
    foreach(parameter "size_type idx" "const typename object_t::key_type ?& ?key" "T ?\\* ?key"
            "KeyType ?&& ?key" "const json_pointer ?& ?ptr")
        set(overload "const_reference operator\\[\\] ?\\(${parameter}\\) const")
        if(NOT header MATCHES "\n +${overload}")
            message(FATAL_ERROR "ALXSIM_FORBID_CONST_SUBSCRIPT found no operator[](${parameter}) const in "
                                "${NLOHMANN_JSON_HEADER}: teach cmake/json_subscript.cmake this version's wording.")
        endif()
        string(REGEX REPLACE "(\n +)(${overload})" "\\1[[deprecated(\"undefined where it is missing: use at()\")]] \\2"
               header "${header}")
    endforeach()
    set(folder ${PROJECT_BINARY_DIR}/json_subscript)
    file(CONFIGURE OUTPUT ${folder}/nlohmann/json.hpp CONTENT "${header}" @ONLY)
    target_include_directories(${options} SYSTEM BEFORE INTERFACE ${folder})
    target_compile_options(${options} INTERFACE -Werror=deprecated-declarations)
    alxsim_try_const_subscript(${folder})
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

if(ALXSIM_FORBID_CONST_SUBSCRIPT)
    alxsim_forbid_const_subscript(alxsim_compile_options)
endif()

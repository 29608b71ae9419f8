# SPDX-License-Identifier: Apache-2.0
# alxsim_embed(TARGET LAYER file ...): embeds files into the library and defines
#     const alxsim::Resources& alxsim::LAYER::resources();   (base/resource.h)
# which finds each by the path given here (an absolute path: by its file name).
function(alxsim_embed target layer)
    set(assembly "    .section .rodata\n")
    set(declarations "")
    set(entries "")
    set(index 0)
    foreach(file ${ARGN})
        if(IS_ABSOLUTE ${file})
            set(path ${file})
            get_filename_component(name ${file} NAME)
        else()
            set(path ${CMAKE_CURRENT_SOURCE_DIR}/${file})
            set(name ${file})
        endif()
        set(symbol alxsim_${layer}_resource_${index})
        string(APPEND assembly
            "    .global ${symbol}_begin\n    .global ${symbol}_end\n"
            "${symbol}_begin:\n    .incbin \"${path}\"\n${symbol}_end:\n    .byte 0\n")
        string(APPEND declarations "extern \"C\" const char ${symbol}_begin[];\nextern \"C\" const char ${symbol}_end[];\n")
        string(APPEND entries "        {\"${name}\", {${symbol}_begin, static_cast<std::size_t>(${symbol}_end - ${symbol}_begin)}},\n")
        list(APPEND paths ${path})
        math(EXPR index "${index} + 1")
    endforeach()
    string(APPEND assembly "    .section .note.GNU-stack,\"\",@progbits\n")
    set(generated ${CMAKE_CURRENT_BINARY_DIR}/${layer}_resources)
    file(CONFIGURE OUTPUT ${generated}.S CONTENT "${assembly}" @ONLY)
    file(CONFIGURE OUTPUT ${generated}.cpp CONTENT
"#include \"base/resource.h\"
${declarations}
namespace alxsim::${layer} {
const Resources& resources();
const Resources& resources()
{
    static const Resources all{{
${entries}    }};
    return all;
}
} // namespace alxsim::${layer}
" @ONLY)
    set_source_files_properties(${generated}.S PROPERTIES OBJECT_DEPENDS "${paths}")
    target_sources(${target} PRIVATE ${generated}.S ${generated}.cpp)
endfunction()

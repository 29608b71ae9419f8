# SPDX-License-Identifier: Apache-2.0
# Headers that most sources parse, precompiled once per set of compile options. They come before
# what a source includes, never instead of it: -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON must build, too.
set(alxsim_common_headers <nlohmann/json.hpp>
    <algorithm> <array> <cmath> <cstdint> <filesystem> <fstream> <functional> <iostream> <map> <memory>
    <numeric> <optional> <random> <set> <sstream> <string> <utility> <variant> <vector>)

# alxsim_precompile(NAME HEADERS <header> ... LINKS target ...): the common headers and these, for
# targets with the options of these links; such a target takes them with
#     target_precompile_headers(target REUSE_FROM NAME)
function(alxsim_precompile name)
    cmake_parse_arguments(precompile "" "" "HEADERS;LINKS" ${ARGN})
    set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "// Only its precompiled headers are of use.\n")
    add_library(${name} OBJECT ${source})
    target_link_libraries(${name} PRIVATE nlohmann_json::nlohmann_json ${precompile_LINKS})
    target_precompile_headers(${name} PRIVATE ${alxsim_common_headers} ${precompile_HEADERS})
endfunction()

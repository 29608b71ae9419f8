# SPDX-License-Identifier: Apache-2.0
# Part of the install script: writes `headers` ("folder/|path") to `stage`/alxsim as they are
# installed, including each other as "alxsim/path".
file(REMOVE_RECURSE "${stage}")
set(layers "base|topologies|model|sim|workloads|spmd|alx|report|experiments|program")
foreach(header IN LISTS headers)
    string(REPLACE "|" ";" parts "${header}")
    list(GET parts 1 path)
    string(REPLACE "|" "" source "${header}")
    file(READ "${source}" text)
    string(REGEX REPLACE "#include \"(${layers})/" "#include \"alxsim/\\1/" text "${text}")
    file(WRITE "${stage}/alxsim/${path}" "${text}")
endforeach()

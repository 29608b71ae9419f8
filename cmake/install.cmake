# SPDX-License-Identifier: Apache-2.0
# cmake --install: the program, a static library per layer, public headers under include/alxsim, a CMake
# package and pkg-config files. All but alxsim_install_package is called by the layers.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
if(SKBUILD) # a wheel, whose root this is
    set(ALXSIM_PYTHON_DIR .)
else()
    set(ALXSIM_PYTHON_DIR lib/python3/dist-packages CACHE STRING "Where the Python module is installed, below the prefix")
endif()
set(ALXSIM_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/alxsim)
set(ALXSIM_HEADER_STAGE ${PROJECT_BINARY_DIR}/installed_headers)

# alxsim_install_target(NAME EXPORT): the target alxsim_NAME, to others alxsim::NAME; of the file of targets
# that is named so.
function(alxsim_install_target name export)
    set_target_properties(alxsim_${name} PROPERTIES EXPORT_NAME ${name})
    if(ALXSIM_INSTALL)
        install(TARGETS alxsim_${name} EXPORT ${export}
                ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
    endif()
endfunction()

function(alxsim_install_package)
    if(NOT ALXSIM_INSTALL)
        return()
    endif()
    # The headers include each other as "model/graph/op_graph.h"; installed, as "alxsim/model/graph/op_graph.h".
    install(CODE "set(source \"${PROJECT_SOURCE_DIR}\")\nset(stage \"${ALXSIM_HEADER_STAGE}\")")
    install(SCRIPT ${PROJECT_SOURCE_DIR}/cmake/stage_headers.cmake)
    install(DIRECTORY ${ALXSIM_HEADER_STAGE}/alxsim DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

    install(EXPORT alxsim NAMESPACE alxsim:: FILE alxsimTargets.cmake DESTINATION ${ALXSIM_CMAKE_DIR})
    if(TARGET alxsim_program)
        install(EXPORT alxsim_program NAMESPACE alxsim:: FILE alxsimProgramTargets.cmake
                DESTINATION ${ALXSIM_CMAKE_DIR})
    endif()
    configure_package_config_file(cmake/alxsimConfig.cmake.in ${PROJECT_BINARY_DIR}/alxsimConfig.cmake
        INSTALL_DESTINATION ${ALXSIM_CMAKE_DIR})
    write_basic_package_version_file(${PROJECT_BINARY_DIR}/alxsimConfigVersion.cmake
        COMPATIBILITY SameMinorVersion)
    install(FILES ${PROJECT_BINARY_DIR}/alxsimConfig.cmake ${PROJECT_BINARY_DIR}/alxsimConfigVersion.cmake
                  cmake/FindMETIS.cmake
            DESTINATION ${ALXSIM_CMAKE_DIR})

    # Found by its own place, so that the tree can be moved.
    file(RELATIVE_PATH ALXSIM_PREFIX_FROM_PC
         ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
    # A linker looks for what a library needs in those behind it.
    get_property(layers GLOBAL PROPERTY ALXSIM_LAYERS)
    list(REVERSE layers)
    list(TRANSFORM layers PREPEND "-lalxsim_")
    list(JOIN layers " " ALXSIM_LAYER_LIBRARIES)
    set(ALXSIM_IO_URING_LIBRARY)
    if(ALXSIM_WITH_IO_URING)
        set(ALXSIM_IO_URING_LIBRARY " -luring")
    endif()
    set(packages alxsim)
    if(TARGET alxsim_program)
        list(APPEND packages alxsim-program)
    endif()
    foreach(package ${packages})
        configure_file(cmake/${package}.pc.in ${PROJECT_BINARY_DIR}/${package}.pc @ONLY)
        install(FILES ${PROJECT_BINARY_DIR}/${package}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
    endforeach()
endfunction()

# SPDX-License-Identifier: Apache-2.0
# The commit that a report names. Taken at configure time; "unknown" outside a git checkout, unless it is given.
find_package(Git QUIET)
set(ALXSIM_COMMIT_GIVEN "" CACHE STRING "The commit that reports name, where the sources are no git checkout")
set(ALXSIM_COMMIT "unknown")
if(ALXSIM_COMMIT_GIVEN)
    set(ALXSIM_COMMIT ${ALXSIM_COMMIT_GIVEN})
elseif(GIT_FOUND AND EXISTS ${PROJECT_SOURCE_DIR}/.git) # and not the commit of a project around us
    execute_process(COMMAND ${GIT_EXECUTABLE} rev-parse --short=12 HEAD
        WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} OUTPUT_VARIABLE commit
        OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE result)
    if(result EQUAL 0)
        set(ALXSIM_COMMIT ${commit})
        # A new commit configures anew, so that no report names an old one.
        if(EXISTS ${PROJECT_SOURCE_DIR}/.git/logs/HEAD)
            set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY
                CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/.git/logs/HEAD)
        endif()
    endif()
endif()

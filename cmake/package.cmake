# SPDX-License-Identifier: Apache-2.0
# cpack: a Debian package of what cmake --install installs. Dependencies of the program come from
# its shared libraries; what compiling against the library needs is suggested.
set(ALXSIM_MAINTAINER "alxsim developers <maintainers@alxsim.invalid>"
    CACHE STRING "Maintainer field of the Debian package")
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)
install(DIRECTORY examples/embed experiments/studies experiments/data DESTINATION ${CMAKE_INSTALL_DOCDIR}/examples)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME alxsim)
set(CPACK_PACKAGE_VENDOR alxsim)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION
"Simulates TPU slices in SystemC while the real ALX algorithm trains on real links:
time of every step on TensorCores, HBM and ICI links, recall, memory per core.
Contains the program alxsim, its manual pages and completion, the Python module
alxsim, and the static libraries, headers, CMake package and pkg-config file to
embed the simulator.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${ALXSIM_MAINTAINER}")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
# The module alxsim of Python; without it the program is whole.
set(CPACK_DEBIAN_PACKAGE_PROVIDES python3-alxsim)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3, python3-pandas, python3-matplotlib")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS
    "bash-completion, g++, cmake, pkg-config, libsystemc-dev, nlohmann-json3-dev, libtbb-dev, zlib1g-dev, libbz2-dev, liblzma-dev, libzstd-dev, liburing-dev, libmetis-dev")
include(CPack)

# SPDX-License-Identifier: Apache-2.0
# Everything comes from Debian packages. Nothing is downloaded; a missing package stops the
# configuration with its name.

function(alxsim_require found package what)
    if(NOT ${found})
        message(FATAL_ERROR "${what} is missing. Install the Debian package '${package}' "
                            "(scripts/demo and scripts/test install all that is needed).")
    endif()
endfunction()

if(NOT PROJECT_IS_TOP_LEVEL)
    set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON) # seen, too, by the project that links our libraries
endif()

find_package(PkgConfig QUIET)
alxsim_require(PkgConfig_FOUND pkg-config "pkg-config")

pkg_check_modules(systemc QUIET IMPORTED_TARGET GLOBAL systemc>=2.3.4)
alxsim_require(systemc_FOUND libsystemc-dev "SystemC (>= 2.3.4)")

find_package(Eigen3 3.4 QUIET CONFIG)
alxsim_require(Eigen3_FOUND libeigen3-dev "Eigen (>= 3.4)")
# In scalar code its sums have one order; its vector code follows the CPU's width and fuses.
add_library(alxsim_eigen INTERFACE)
target_link_libraries(alxsim_eigen INTERFACE Eigen3::Eigen)
# Under a name of its own: a program that links our libraries may compile Eigen otherwise, and a
# linker keeps one of two functions with the same name.
target_compile_definitions(alxsim_eigen INTERFACE EIGEN_DONT_VECTORIZE Eigen=EigenOfAlxsim)

find_package(nlohmann_json 3.11 QUIET CONFIG)
alxsim_require(nlohmann_json_FOUND nlohmann-json3-dev "nlohmann/json (>= 3.11)")

if(ALXSIM_BUILD_PROGRAM OR ALXSIM_BUILD_TESTS)
    find_package(CLI11 2.1 QUIET CONFIG)
    alxsim_require(CLI11_FOUND libcli11-dev "CLI11 (>= 2.1)")

    # Headers alone: Beast, for HTTP, and Asio.
    find_package(Boost 1.74 QUIET CONFIG)
    alxsim_require(Boost_FOUND libboost-dev "Boost (>= 1.74)")
    add_library(alxsim_boost INTERFACE)
    target_link_libraries(alxsim_boost INTERFACE Boost::headers)
endif()

if(ALXSIM_WITH_MPI AND (ALXSIM_BUILD_PROGRAM OR ALXSIM_BUILD_TESTS))
    find_package(MPI QUIET COMPONENTS CXX)
    # Open MPI leaks what sanitizers count, and is not instrumented.
    if(NOT MPI_CXX_FOUND OR CMAKE_CROSSCOMPILING OR ALXSIM_SANITIZE)
        set(ALXSIM_WITH_MPI OFF) # of this configuration; the next looks again
    endif()
else()
    set(ALXSIM_WITH_MPI OFF)
endif()

if(ALXSIM_BUILD_PYTHON AND ALXSIM_BUILD_PROGRAM)
    set(ALXSIM_PYTHON_MISSING "")
    if(CMAKE_CROSSCOMPILING OR ALXSIM_SANITIZE OR ALXSIM_BUILD_FUZZERS)
        set(ALXSIM_PYTHON_MISSING "a Python that can load what is built here")
    else()
        if(NOT Python_EXECUTABLE AND EXISTS /usr/bin/python3)
            set(Python_EXECUTABLE /usr/bin/python3) # whose headers Debian packages
        endif()
        find_package(Python 3.9 QUIET COMPONENTS Interpreter Development.Module)
        find_package(pybind11 2.10 QUIET CONFIG)
        if(NOT Python_Development.Module_FOUND)
            set(ALXSIM_PYTHON_MISSING "python3-dev")
        elseif(NOT pybind11_FOUND)
            set(ALXSIM_PYTHON_MISSING "pybind11-dev")
        endif()
    endif()
    if(ALXSIM_PYTHON_MISSING)
        if(ALXSIM_REQUIRE_PYTHON)
            alxsim_require(ALXSIM_NO_PYTHON "${ALXSIM_PYTHON_MISSING}" "What the Python module is built with")
        endif()
        message(STATUS "The Python module is not built: ${ALXSIM_PYTHON_MISSING} is missing")
        set(ALXSIM_BUILD_PYTHON OFF) # of this configuration; the next looks again
    endif()
else()
    set(ALXSIM_BUILD_PYTHON OFF)
endif()

# The program's malloc: a third of an estimate is small objects that come and go. Sanitizers have one of
# their own; who links our libraries chooses.
add_library(alxsim_malloc INTERFACE)
if((ALXSIM_BUILD_PROGRAM OR ALXSIM_BUILD_TESTS) AND PROJECT_IS_TOP_LEVEL
   AND NOT (ALXSIM_SANITIZE OR ALXSIM_BUILD_FUZZERS OR CMAKE_CROSSCOMPILING))
    find_package(mimalloc QUIET CONFIG) # Debian 12 has 2, Debian 13 has 3
    alxsim_require(mimalloc_FOUND libmimalloc-dev "mimalloc")
    # No symbol of its own is used, which linkers take for no use at all.
    target_link_libraries(alxsim_malloc INTERFACE "-Wl,--push-state,--no-as-needed,-lmimalloc,--pop-state")
endif()

find_package(TBB QUIET CONFIG)
alxsim_require(TBB_FOUND libtbb-dev "oneTBB")

find_package(ZLIB QUIET)
alxsim_require(ZLIB_FOUND zlib1g-dev "zlib")

find_package(BZip2 QUIET)
alxsim_require(BZIP2_FOUND libbz2-dev "bzip2")

find_package(LibLZMA QUIET)
alxsim_require(LIBLZMA_FOUND liblzma-dev "liblzma")

pkg_check_modules(zstd QUIET IMPORTED_TARGET GLOBAL libzstd>=1.4)
alxsim_require(zstd_FOUND libzstd-dev "zstd (>= 1.4)")

if(ALXSIM_WITH_IO_URING)
    pkg_check_modules(liburing QUIET IMPORTED_TARGET GLOBAL liburing>=2.0)
    if(NOT liburing_FOUND)
        message(STATUS "The tensor store goes without io_uring: liburing-dev is missing")
        set(ALXSIM_WITH_IO_URING OFF) # of this configuration; the next looks again
    endif()
endif()

find_package(METIS QUIET MODULE)
alxsim_require(METIS_FOUND libmetis-dev "METIS")

find_path(VALIJSON_INCLUDE_DIR valijson/validator.hpp)
alxsim_require(VALIJSON_INCLUDE_DIR libvalijson-dev "valijson")
add_library(alxsim_valijson INTERFACE)
target_include_directories(alxsim_valijson SYSTEM INTERFACE ${VALIJSON_INCLUDE_DIR})

find_file(CHART_JS_FILE chart.min.js PATHS /usr/share/javascript/chart.js NO_DEFAULT_PATH)
alxsim_require(CHART_JS_FILE libjs-chart.js "Chart.js")

if(ALXSIM_BUILD_TESTS)
    if(CMAKE_CROSSCOMPILING) # Debian's library is there for one architecture at a time; its source is not
        add_subdirectory(/usr/src/googletest ${PROJECT_BINARY_DIR}/googletest EXCLUDE_FROM_ALL)
        set(GTest_FOUND ON)
    else()
        find_package(GTest QUIET)
    endif()
    alxsim_require(GTest_FOUND libgtest-dev "GoogleTest")
    find_path(GMOCK_INCLUDE_DIR gmock/gmock.h)
    alxsim_require(GMOCK_INCLUDE_DIR libgmock-dev "GoogleMock")
    if(ALXSIM_BUILD_BENCHMARKS)
        find_package(benchmark QUIET CONFIG)
        alxsim_require(benchmark_FOUND libbenchmark-dev "Google Benchmark")
    endif()
endif()

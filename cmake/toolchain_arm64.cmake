# SPDX-License-Identifier: Apache-2.0
# Builds for arm64 on an x86-64 Debian, whose packages of both architectures lie beside each other:
#   cmake --preset arm64; what it builds runs under qemu-user.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_ASM_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static)
# Headers that no architecture owns are in /usr/include: they must be found, other libraries must not.
set(CMAKE_IGNORE_PREFIX_PATH /usr/lib/x86_64-linux-gnu)
set(CMAKE_IGNORE_PATH /usr/lib/x86_64-linux-gnu /usr/lib/x86_64-linux-gnu/cmake)
# Debian has METIS for one architecture at a time, but its run-time library for several.
set(METIS_LIBRARY /usr/lib/aarch64-linux-gnu/libmetis.so.5 CACHE FILEPATH "METIS")
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig)

// SPDX-License-Identifier: Apache-2.0

/// SystemC's shared library has a main() of its own, which calls this function; a linker takes no
/// library with a reference that nothing fulfils. Nobody runs that main(), so that this does
/// nothing. It stands in an archive by itself: a linker leaves it there if the program has its own.
extern "C" int sc_main(int, char*[])
{
    return 0;
}

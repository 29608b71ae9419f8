// SPDX-License-Identifier: Apache-2.0
// libFuzzer's entry (llvm.org/docs/LibFuzzer.html): one executable per reader. An exception that
// leaves it ends the process, which libFuzzer reports with the input.
#include "tests/fuzz/replay.h"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size)
{
    alxsim::fuzz::replay(ALXSIM_FUZZ_TARGET, {reinterpret_cast<const char*>(bytes), size});
    return 0;
}

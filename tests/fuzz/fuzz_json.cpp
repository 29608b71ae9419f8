// SPDX-License-Identifier: Apache-2.0
// libFuzzer's hook for mutations that know the structure of an input
// (github.com/google/fuzzing, docs/structure-aware-fuzzing.md).
#include "tests/fuzz/json_mutation.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* bytes, std::size_t size, std::size_t most);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* bytes, std::size_t size,
                                               std::size_t most, unsigned seed)
{
    const std::string mutated =
        alxsim::fuzz::mutated_json({reinterpret_cast<const char*>(bytes), size}, seed);
    if (mutated.empty() || mutated.size() > most) {
        return LLVMFuzzerMutate(bytes, size, most);
    }
    std::copy(mutated.begin(), mutated.end(), bytes);
    return mutated.size();
}

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "workloads/offload/store/store_layout.h"

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace alxsim::offload {

/// CRC-32 (zlib's) of these bytes.
std::uint32_t checksum_of(const char* bytes, std::size_t size);

/// What a commit says of all tensors.
struct CommittedState {
    std::uint64_t generation = 0; ///< commits so far
    std::int64_t step = -1;       ///< of the last one; -1: none yet, all bytes are zeros
    std::vector<int> slots;       ///< of each tensor: where its bytes are
    std::vector<std::vector<std::uint32_t>> checksums; ///< of each tensor, of each of its blocks
};

/// That of a new store.
CommittedState zeros(const StoreLayout& layout);

/// A header as bytes, numbers as little-endian machines have them: magic words and version, its
/// length, block size, number of tensors, generation, step; of each tensor its name, size and slot;
/// checksums of all blocks; a checksum of all before it. Its length depends on the layout alone.
std::string encode_header(const StoreLayout& layout, const CommittedState& state);
std::size_t header_size(const StoreLayout& layout);

/// A header that was found.
struct FoundHeader {
    std::size_t block_bytes = 0;
    std::vector<StoredTensor> tensors;
    CommittedState state;
};

/// Why bytes are no header: "is no tensor store", for instance.
struct NoHeader : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Bytes of its beginning that tell how long a header is.
std::size_t header_prefix_size();
/// By those bytes. Throws NoHeader.
std::size_t length_in_prefix(const std::string& prefix);
/// Throws NoHeader where anything of it is wrong.
FoundHeader decode_header(const std::string& bytes);

/// How a layout that was found differs from the one that is asked for, as an InputError says it;
/// "" where they are alike.
std::string difference(const FoundHeader& found, const StoreLayout& layout);

} // namespace alxsim::offload

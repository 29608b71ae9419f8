// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace alxsim::offload {

/// A tensor as the store knows it: raw bytes under a name.
struct StoredTensor {
    std::string name;
    std::size_t bytes = 0;
};

/// Where everything lies in the file of a store:
///
///     header | its copy | tensor 0, slot 0 | tensor 0, slot 1 | tensor 1, slot 0 | ...
///
/// each from the beginning of a page. A tensor has two slots: the last commit's bytes are in one,
/// the next step's go into the other. Blocks follow one another in a slot; the last may be shorter.
class StoreLayout {
public:
    /// What the block size must be a multiple of.
    static constexpr std::size_t block_unit = 512;

    /// Throws std::invalid_argument where there is no tensor, a name is empty, longer than 255
    /// bytes or stands twice, a tensor has no bytes, or the block size is no multiple of
    /// block_unit, or beyond 1 GiB.
    StoreLayout(std::vector<StoredTensor> tensors, std::size_t block_bytes);

    const std::vector<StoredTensor>& tensors() const { return tensors_; }
    int count() const { return static_cast<int>(tensors_.size()); }
    /// Returns that of the tensor with this name; throws std::invalid_argument if there is none.
    int index(const std::string& name) const;
    const StoredTensor& tensor(int index) const { return tensors_.at(index); }

    std::size_t block_bytes() const { return block_bytes_; }
    std::size_t blocks(int tensor) const;
    /// In bytes.
    std::size_t block_size(int tensor, std::size_t block) const;
    std::uint64_t block_offset(int tensor, int slot, std::size_t block) const;
    std::size_t largest_tensor() const;

    /// Returns those of one copy, without what fills its last page.
    std::size_t header_bytes() const { return header_bytes_; }
    std::uint64_t header_offset(int copy) const;
    std::uint64_t file_bytes() const { return file_bytes_; }

private:
    std::vector<StoredTensor> tensors_;
    std::size_t block_bytes_;
    std::size_t header_bytes_;
    std::vector<std::uint64_t> offsets_; ///< of slot 0
    std::uint64_t file_bytes_;
};

} // namespace alxsim::offload

// SPDX-License-Identifier: Apache-2.0
#include "workloads/offload/store/store_layout.h"

#include "workloads/offload/store/aligned_bytes.h"
#include "workloads/offload/store/store_header.h"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace alxsim::offload {
namespace {

constexpr std::size_t longest_name = 255;
/// No sum of two such overflows.
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 60;
/// What one request to the system takes.
constexpr std::size_t largest_block = std::size_t{1} << 30;

void refuse_unless(bool allowed, const std::string& problem)
{
    if (!allowed) {
        throw std::invalid_argument("tensor store: " + problem);
    }
}

} // namespace

StoreLayout::StoreLayout(std::vector<StoredTensor> tensors, std::size_t block_bytes)
    : tensors_(std::move(tensors)),
      block_bytes_(block_bytes)
{
    refuse_unless(block_bytes > 0 && block_bytes % block_unit == 0 && block_bytes <= largest_block,
                  "blocks of " + std::to_string(block_bytes) +
                      " bytes; allowed: multiples of 512 up to 1 GiB");
    refuse_unless(!tensors_.empty(), "no tensors");
    std::set<std::string> names;
    for (const StoredTensor& tensor : tensors_) {
        refuse_unless(!tensor.name.empty() && tensor.name.size() <= longest_name,
                      "the name '" + tensor.name + "' has no byte, or more than 255");
        refuse_unless(names.insert(tensor.name).second, "two tensors '" + tensor.name + "'");
        refuse_unless(tensor.bytes > 0 && tensor.bytes <= most_bytes,
                      "tensor '" + tensor.name + "' has no bytes, or too many");
    }
    header_bytes_ = header_size(*this);
    file_bytes_ = 2 * in_whole_pages(header_bytes_);
    for (const StoredTensor& tensor : tensors_) {
        offsets_.push_back(file_bytes_);
        file_bytes_ += 2 * in_whole_pages(tensor.bytes);
        refuse_unless(file_bytes_ <= 2 * most_bytes, "too many bytes");
    }
}

int StoreLayout::index(const std::string& name) const
{
    const auto found =
        std::find_if(tensors_.begin(), tensors_.end(),
                     [&](const StoredTensor& tensor) { return tensor.name == name; });
    refuse_unless(found != tensors_.end(), "no tensor '" + name + "'");
    return static_cast<int>(found - tensors_.begin());
}

std::size_t StoreLayout::blocks(int tensor) const
{
    return (tensors_.at(tensor).bytes + block_bytes_ - 1) / block_bytes_;
}

std::size_t StoreLayout::block_size(int tensor, std::size_t block) const
{
    return std::min(block_bytes_, tensors_.at(tensor).bytes - block * block_bytes_);
}

std::uint64_t StoreLayout::block_offset(int tensor, int slot, std::size_t block) const
{
    return offsets_.at(tensor) + slot * in_whole_pages(tensors_.at(tensor).bytes) +
           block * block_bytes_;
}

std::size_t StoreLayout::largest_tensor() const
{
    std::size_t largest = 0;
    for (const StoredTensor& tensor : tensors_) {
        largest = std::max(largest, tensor.bytes);
    }
    return largest;
}

std::uint64_t StoreLayout::header_offset(int copy) const
{
    return copy * in_whole_pages(header_bytes_);
}

} // namespace alxsim::offload

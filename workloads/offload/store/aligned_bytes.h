// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>

namespace alxsim::offload {

/// What direct I/O wants its memory, places in a file and lengths to be multiples of: the pages of
/// x86-64 and arm64, and the logical blocks of SSDs (512 or 4096 bytes).
constexpr std::size_t page_bytes = 4096;

/// The next multiple of a page.
constexpr std::size_t in_whole_pages(std::size_t bytes)
{
    return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

/// Bytes that begin at a page and have whole pages for themselves; zeros at first.
class AlignedBytes {
public:
    AlignedBytes() = default;
    /// Throws std::bad_alloc.
    explicit AlignedBytes(std::size_t size);

    char* data() { return bytes_.get(); }
    const char* data() const { return bytes_.get(); }
    std::size_t size() const { return size_; }
    template <class Number>
    Number* as()
    {
        return reinterpret_cast<Number*>(bytes_.get());
    }

private:
    struct Free {
        void operator()(char* bytes) const;
    };
    std::unique_ptr<char, Free> bytes_;
    std::size_t size_ = 0;
};

} // namespace alxsim::offload

// SPDX-License-Identifier: Apache-2.0
#include "workloads/offload/store/aligned_bytes.h"

#include <cstdlib>
#include <cstring>
#include <new>

namespace alxsim::offload {

AlignedBytes::AlignedBytes(std::size_t size)
    : bytes_(static_cast<char*>(std::aligned_alloc(page_bytes, in_whole_pages(size)))),
      size_(size)
{
    if (bytes_ == nullptr && size > 0) {
        throw std::bad_alloc();
    }
    if (size > 0) {
        std::memset(bytes_.get(), 0, in_whole_pages(size));
    }
}

void AlignedBytes::Free::operator()(char* bytes) const
{
    std::free(bytes);
}

} // namespace alxsim::offload

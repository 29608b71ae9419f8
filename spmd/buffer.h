// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace alxsim::spmd {

/// Gives memory that begins on a cache line, which is as long as the widest vector register.
template <class Number>
struct CacheLineAllocator {
    using value_type = Number;
    static constexpr std::align_val_t alignment{64};

    CacheLineAllocator() = default;
    template <class Other>
    CacheLineAllocator(const CacheLineAllocator<Other>&) // NOLINT: conversions are the interface
    {
    }
    Number* allocate(std::size_t count)
    {
        return static_cast<Number*>(::operator new(count * sizeof(Number), alignment));
    }
    void deallocate(Number* memory, std::size_t) { ::operator delete(memory, alignment); }

    friend bool operator==(CacheLineAllocator, CacheLineAllocator) { return true; }
    friend bool operator!=(CacheLineAllocator, CacheLineAllocator) { return false; }
};

/// What kernels work on.
template <class Number>
using Buffer = std::vector<Number, CacheLineAllocator<Number>>;
using FloatBuffer = Buffer<float>;

/// Vectors and rows of matrices in the kernels are this long: `dim` and zeros behind it.
constexpr int padded(int dim)
{
    return (dim + 15) / 16 * 16;
}

} // namespace alxsim::spmd

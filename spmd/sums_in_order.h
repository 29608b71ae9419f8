// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/host_pool.h"
#include "spmd/buffer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace alxsim::spmd {

/// Takes `parts` vectors of `length` numbers one after another, though the pool's threads make them
/// side by side: `make(part, numbers)` adds to zeros, then `add(part, numbers, begin, end)` gets
/// the numbers [begin, end) of each part by ascending part. A few MiB of parts are there at a time,
/// however many there are in all.
template <class Real, class Make, class Add>
void sum_in_order(HostPool& pool, std::int64_t parts, std::size_t length, const Make& make,
                  const Add& add)
{
    constexpr std::size_t numbers_at_once = 1 << 20;
    constexpr std::int64_t numbers_added = 2048;
    const std::int64_t at_once =
        std::min(parts, std::max<std::int64_t>(numbers_at_once / length, 4 * pool.threads()));
    Buffer<Real> made(static_cast<std::size_t>(at_once) * length);
    for (std::int64_t first = 0; first < parts; first += at_once) {
        const std::int64_t count = std::min(at_once, parts - first);
        const auto numbers_of = [&](std::int64_t part) {
            return made.data() + static_cast<std::size_t>(part - first) * length;
        };
        pool.for_chunks(count, 1, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t part = first + begin; part < first + end; ++part) {
                std::fill_n(numbers_of(part), length, Real(0));
                make(part, numbers_of(part));
            }
        });
        pool.for_chunks(static_cast<std::int64_t>(length), numbers_added,
                        [&](std::int64_t begin, std::int64_t end) {
                            for (std::int64_t part = first; part < first + count; ++part) {
                                add(part, numbers_of(part), static_cast<std::size_t>(begin),
                                    static_cast<std::size_t>(end));
                            }
                        });
    }
}

} // namespace alxsim::spmd

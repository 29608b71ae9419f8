// SPDX-License-Identifier: Apache-2.0
#include "model/op_graph.h"

#include <algorithm>
#include <stdexcept>

namespace alxsim::model {

Bytes size_of(DType dtype)
{
    switch (dtype) {
    case DType::bf16:
        return Bytes(2);
    case DType::f32:
    case DType::i32:
        return Bytes(4);
    case DType::f64:
        return Bytes(8);
    }
    throw std::logic_error("unknown dtype");
}

int OpGraph::add(Op op)
{
    constexpr std::size_t few = 8;
    if (ops.capacity() == 0) {
        ops.reserve(few);
    }
    ops.push_back(std::move(op));
    return static_cast<int>(ops.size()) - 1;
}

std::int64_t iterations(const Repeat& repeat, const Counts& counts, int device)
{
    const auto found = repeat.counter.empty() ? counts.end() : counts.find(repeat.counter);
    return found == counts.end() ? repeat.times
                                 : found->second.at(static_cast<std::size_t>(device));
}

std::int64_t slowest_iterations(const Repeat& repeat, const Counts& counts)
{
    const auto found = repeat.counter.empty() ? counts.end() : counts.find(repeat.counter);
    if (found == counts.end() || found->second.empty()) {
        return repeat.times;
    }
    return *std::max_element(found->second.begin(), found->second.end());
}

} // namespace alxsim::model

// SPDX-License-Identifier: Apache-2.0
#include "model/graph/op_graph.h"

#include "base/input_error.h"
#include "model/graph/for_each_op.h"

#include <algorithm>
#include <stdexcept>

namespace alxsim::model {

double bytes_of(DType dtype)
{
    switch (dtype) {
    case DType::bf16:
        return 2;
    case DType::f32:
    case DType::i32:
        return 4;
    case DType::f64:
        return 8;
    case DType::i8:
    case DType::fp8_e4m3:
    case DType::fp8_e5m2:
        return 1;
    case DType::i4:
    case DType::fp4:
        return 0.5;
    }
    throw std::logic_error("unknown dtype");
}

Bytes size_of(DType dtype)
{
    return Bytes(rounded_up(bytes_of(dtype)));
}

bool same_kind(const Work& a, const Work& b)
{
    if (a.index() != b.index()) {
        return false;
    }
    if (const AlongRows* rows = std::get_if<AlongRows>(&a)) {
        return rows->operation == std::get<AlongRows>(b).operation;
    }
    const Copy* copy = std::get_if<Copy>(&a);
    const Copy* other = std::get_if<Copy>(&b);
    return copy == nullptr || (copy->from == other->from && copy->to == other->to);
}

std::vector<Buffer> all_buffers(const OpGraph& graph)
{
    NameNumbers numbers;
    std::vector<Buffer> buffers;
    const auto declare = [&](const OpGraph& here) {
        for (const Buffer& buffer : here.buffers) {
            const std::size_t number = numbers.number_of(buffer.name);
            if (number == buffers.size()) {
                buffers.push_back(buffer);
            } else if (buffers[number].bytes != buffer.bytes ||
                       buffers[number].residency != buffer.residency) {
                throw InputError("", "buffer '" + buffer.name + "'",
                                 "declared with two sizes or residencies; allowed: one");
            }
        }
    };
    declare(graph);
    for_each_op(graph, [&](const Op& op) {
        if (const OpGraph* body = body_of(op)) {
            declare(*body);
        }
    });
    const std::size_t declared = buffers.size();
    for_each_op(graph, [&](const Op& op) {
        for (const std::vector<BufferUse>* uses : {&op.reads, &op.writes}) {
            for (const BufferUse& use : *uses) {
                const std::size_t number = numbers.number_of(use.buffer);
                if (number == buffers.size()) {
                    buffers.push_back({use.buffer, use.touched});
                } else if (number >= declared) {
                    buffers[number].bytes = std::max(buffers[number].bytes, use.touched);
                }
            }
        }
    });
    return buffers;
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
